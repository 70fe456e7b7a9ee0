"""Exports without a window: builds and arranges the scene of a pass, then writes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from gradviz.diagnose.finding import Finding
from gradviz.draw.fonts import Measurer
from gradviz.draw.picture import Picture
from gradviz.draw.tokens import THEMES
from gradviz.errors import ExportError
from gradviz.export.picture_file import Drawing, write_picture
from gradviz.layout import arrange
from gradviz.scene.build import Build, Shown, build
from gradviz.scene.place import place, request
from gradviz.scene.states import states_at
from gradviz.trace.model import Backward
from gradviz.trace.reader import Trace

PAGE = (1600.0, 1000.0)  # what a wrapped drawing should look like
LARGEST_SCALE = 16.0


def export_pass(trace: Trace, findings: tuple[Finding, ...], path: Path, options: dict[str, str]) -> str:
    """See `gradviz.export.export`."""
    drawing = _drawing(trace, options)
    backward = choose_pass(trace, findings, options.get("pass_number", ""))
    application = _application()
    try:
        made = build(trace, backward.id, findings, Measurer(), _shown(trace, backward, findings, options))
        scene = place(made.draft, arrange(request(made.draft, options.get("wrap", "1") != "0", PAGE)), Measurer())
        picture = Picture(scene, made.texts, options.get("shapes", "1") != "0")
        return write_picture(picture, states_at(made.timeline, len(made.timeline)), path, drawing)
    finally:
        del application  # alive until here: fonts need one


def choose_pass(trace: Trace, findings: tuple[Finding, ...], number: str) -> Backward:
    """The pass that was asked for, else that of the first finding that has one, else the first. Raises ExportError."""
    passes = trace.passes()
    if not passes:
        raise ExportError("There is nothing to draw: no backward pass was recorded.")
    if number:
        found = next((one for one in passes if str(one.id) == number), None)
        if found is None:
            known = ", ".join(str(one.id) for one in passes[:20])
            raise ExportError(f"There is no backward pass {number} in this recording: it has {known}.")
        return found
    ids = {one.id: one for one in passes}
    named = [finding.pass_id for finding in findings if finding.pass_id in ids]
    return ids[named[0]] if named and named[0] is not None else passes[0]


def _shown(trace: Trace, backward: Backward, findings: tuple[Finding, ...], options: dict[str, str]) -> Shown:
    groups = options.get("groups", "auto")
    shown = Shown(shapes=options.get("shapes", "1") != "0", direction=options.get("direction", "down"))
    if groups == "folded":
        return replace(shown, opened=frozenset())
    if groups == "open":
        plain: Build = build(trace, backward.id, findings, Measurer(), Shown())
        return replace(shown, opened=frozenset(card.key for card in plain.draft.cards))
    return shown


def _drawing(trace: Trace, options: dict[str, str]) -> Drawing:
    theme = options.get("theme", "light")
    if theme not in THEMES:
        raise ExportError(f"There is no theme {theme}: choose light or dark.")
    text = options.get("scale", "1")
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.05 <= scale <= LARGEST_SCALE:
        raise ExportError(f"The scale has to be a number from 0.05 to {LARGEST_SCALE:g}, not {text}.")
    transparent = options.get("transparent", "0") not in ("0", "")
    return Drawing(THEMES[theme], scale, transparent, title=Path(trace.run().target).name)


def _application() -> QCoreApplication:
    """The running application, or one without a display: fonts need one."""
    running = QCoreApplication.instance()
    if running is None:
        return QGuiApplication(["gradviz", "-platform", "offscreen"])
    return running
