"""Writes a picture that is ready, of a part of it or all, into a file: what the window and the command line share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImageWriter

from gradviz.draw.nearby import Area
from gradviz.draw.picture import Picture
from gradviz.draw.telling import Tell, nobody
from gradviz.draw.tokens import LIGHT, Tokens
from gradviz.errors import ExportError
from gradviz.export.formats import require_format
from gradviz.export.graph_files import dot_of, graphml_of, json_of
from gradviz.export.pdf import write_pdf
from gradviz.export.raster import LONGEST, image_of
from gradviz.export.svg import svg_of
from gradviz.export.whole_file import whole_file
from gradviz.scene.model import States

MARGIN = 24.0


@dataclass(frozen=True)
class Drawing:
    """How to draw. `area` None: the whole graph with a margin; `scale` is of a PNG."""

    tokens: Tokens = LIGHT
    scale: float = 1.0
    transparent: bool = False
    area: Area | None = None
    title: str = "gradviz"


def write_picture(
    picture: Picture, states: States, path: Path, drawing: Drawing = Drawing(), tell: Tell = nobody
) -> str:
    """Write `path` in the format of its ending. Returns a remark for the person, or "". Raises ExportError.

    `tell` hears how many boxes and edges are drawn; whatever it raises ends the export, and nothing is written.
    """
    form = require_format(path)
    area = drawing.area if drawing.area is not None else whole_area(picture)
    with whole_file(path) as place:
        if form == "png":
            return _png(picture, states, place, drawing, area, tell)
        if form == "pdf":
            return write_pdf(place, picture, states, drawing.tokens, area, drawing.title, drawing.transparent, tell)
        place.write_text(_text(form, picture, states, drawing, area, tell), encoding="utf-8")
    return ""


def whole_area(picture: Picture) -> Area:
    left, top, right, bottom = picture.scene.bounds
    return left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN


def _text(form: str, picture: Picture, states: States, drawing: Drawing, area: Area, tell: Tell) -> str:
    if form == "svg":
        return svg_of(picture, states, drawing.tokens, area, drawing.title, drawing.transparent, tell)
    if form == "dot":
        return dot_of(picture.scene, picture.texts, states, drawing.title, tell)
    if form == "graphml":
        return graphml_of(picture.scene, picture.texts, states, tell)
    return json_of(picture.scene, picture.texts, states, drawing.title, tell)


def _png(picture: Picture, states: States, place: Path, drawing: Drawing, area: Area, tell: Tell) -> str:
    longest = max(area[2] - area[0], area[3] - area[1])
    scale = min(drawing.scale, LONGEST / longest)
    try:
        image = image_of(picture, states, drawing.tokens, area, scale, drawing.transparent, tell)
    except MemoryError as error:
        raise ExportError(f"The picture can't be made: there is {error}. Try a smaller scale.") from error
    writer = QImageWriter(str(place), QByteArray(b"png"))
    if not writer.write(image):
        raise OSError(0, writer.errorString().rstrip(".").lower())
    if scale < drawing.scale:
        return f"Drawn at {100 * scale:.0f} % of its size, so that no side is over {LONGEST:,} pixels."
    return ""
