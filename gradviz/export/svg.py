"""A scene as SVG: the same figures as on the screen, text as text. Written by hand: a third of the size of Qt's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.sax.saxutils import escape, quoteattr

from gradviz.draw.fonts import font
from gradviz.draw.icons import ICONS
from gradviz.draw.nearby import Area
from gradviz.draw.picture import Picture
from gradviz.draw.surface import Dash, Figure, Points, baseline, hatch_lines
from gradviz.draw.telling import Tell, nobody
from gradviz.draw.tokens import CELL, LIST, TextStyle, Tokens
from gradviz.scene.model import States
from gradviz.scene.words import plain_text

_ANCHORS = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}


def svg_of(
    picture: Picture,
    states: States,
    tokens: Tokens,
    area: Area,
    title: str,
    transparent: bool = False,
    tell: Tell = nobody,
) -> str:
    """The part `area` of the scene as a document."""
    surface = SvgSurface(tokens)
    picture.paint_all(surface, states, area, tell)
    left, top, width, height = area[0], area[1], area[2] - area[0], area[3] - area[1]
    ground = (
        ""
        if transparent
        else f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(width)}" height="{_n(height)}" fill="{tokens.canvas}"/>\n'
    )
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="{_n(left)} {_n(top)} {_n(width)} {_n(height)}" role="img">\n'
        f"<title>{escape(plain_text(title))}</title>\n"
        f'<g font-family="{_families(LIST)}" style="white-space:pre">\n'
    )
    return head + ground + "\n".join(surface.parts) + "\n</g>\n</svg>\n"


class SvgSurface:
    """Collects elements; `zoom` stays 1: an SVG is drawn at 100 %."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.zoom = 1.0
        self.parts: list[str] = []
        self._mono = _families(CELL)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        radius: float = 0,
        fill: str = "",
        stroke: str = "",
        pen: float = 1.0,
        dash: Dash = (),
    ) -> None:
        round_ = f' rx="{_n(min(radius, height / 2, width / 2))}"' if radius else ""
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{round_}'
        self.parts.append(f"<rect {place}{self._paint(fill, stroke, pen, dash)}/>")

    def poly(
        self, points: Points, closed: bool = False, fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None:
        self.parts.append(f'<path d="{_path(points, closed)}"{self._paint(fill, stroke, pen, dash)}/>')

    def many(
        self, figures: Sequence[Figure], fill: str = "", stroke: str = "", pen: float = 1.0, dash: Dash = ()
    ) -> None:
        if not figures:
            return
        self.parts.append(f"<g{self._paint(fill, stroke, pen, dash)}>")
        for figure in figures:
            if figure.rect is not None:
                x, y, width, height = figure.rect
                round_ = f' rx="{_n(min(figure.radius, height / 2))}"' if figure.radius else ""
                self.parts.append(f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{round_}/>')
            else:
                self.parts.append(f'<path d="{_path(figure.points, figure.closed)}"/>')
        self.parts.append("</g>")

    def text(
        self, x: float, middle: float, text: str, style: TextStyle, color: str, align: str = "left", weight: int = 0
    ) -> None:
        heavy = weight or style.weight
        strong = f' font-weight="{heavy}"' if heavy != 400 else ""
        kind = f' font-family="{self._mono}"' if style.mono else ""
        self.parts.append(
            f'<text x="{_n(x)}" y="{_n(middle + baseline(style, weight))}"{kind} font-size="{_n(style.size)}"{strong}'
            f'{_ANCHORS[align]} fill="{self.tokens.color(color)}">{escape(plain_text(text))}</text>'
        )

    def same_text(self, middles: Points, text: str, style: TextStyle, color: str) -> None:
        for x, middle in middles:
            self.text(x, middle, text, style, color, "center")

    def icon(self, name: str, x: float, y: float, size: float = 16.0, ink: str = "text2") -> None:
        self.parts.append(f'<g transform="translate({_n(x)} {_n(y)}) scale({_n(size / 16)})">')
        for figure in ICONS[name]:
            fill = ink if figure.fill == "ink" else figure.fill
            stroke = ink if figure.stroke == "ink" else figure.stroke
            paint = self._paint(fill, stroke, figure.width, figure.dash, round_=True)
            if figure.radius:
                (cx, cy) = figure.points[0]
                self.parts.append(f'<circle cx="{_n(cx)}" cy="{_n(cy)}" r="{_n(figure.radius)}"{paint}/>')
            else:
                self.parts.append(f'<path d="{_path(figure.points, figure.closed)}"{paint}/>')
        self.parts.append("</g>")

    def hatch(self, x: float, y: float, width: float, height: float, color: str, radius: float = 0) -> None:
        lines = "".join(f"M{_n(a)} {_n(b)}L{_n(c)} {_n(d)}" for a, b, c, d in hatch_lines(x, y, width, height))
        self.parts.append(f'<path d="{lines}"{self._paint("", color, 1.2, ())}/>')

    @contextmanager
    def moved(self, x: float, y: float, scale: float = 1.0) -> Iterator[None]:
        enlarged = f" scale({_n(scale)})" if scale != 1.0 else ""
        self.parts.append(f'<g transform="translate({_n(x)} {_n(y)}){enlarged}">')
        self.zoom *= scale
        try:
            yield
        finally:
            self.zoom /= scale
            self.parts.append("</g>")

    def _paint(self, fill: str, stroke: str, pen: float, dash: Dash, round_: bool = False) -> str:
        text = f' fill="{self.tokens.color(fill) if fill else "none"}"'
        if stroke:
            text += f' stroke="{self.tokens.color(stroke)}" stroke-width="{_n(pen / self.zoom)}"'
            if dash:
                text += f' stroke-dasharray="{" ".join(_n(part / self.zoom) for part in dash)}"'
            elif round_:
                text += ' stroke-linecap="round" stroke-linejoin="round"'
        return text


def _families(style: TextStyle) -> str:
    own = quoteattr(font(style).family())[1:-1]
    return f"'{own}',ui-monospace,monospace" if style.mono else f"'{own}',system-ui,sans-serif"


def _path(points: Points, closed: bool) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points) + ("Z" if closed else "")


def _n(value: float) -> str:
    """A number with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
