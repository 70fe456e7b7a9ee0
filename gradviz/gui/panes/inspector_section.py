"""The parts an Inspector page is put together from: folding sections, chips, rows of words with links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CAPTION, CELL, ICON, LIST, PANE_INSET, RADIUS
from gradviz.gui.panes.long_words import WordsLabel, breakable
from gradviz.gui.theme import Theme

CHIP_HEIGHT = 22
HEAD = 34
MOST_EXTRA = 0.6  # of a heading's width: the words at its right
SHORT_LABEL = 16  # letters; longer ones wrap
FIGURE_HEIGHT = 37
PADDING = "padding: 2px 6px 2px 0"
LABEL_STYLE = f"{PADDING}; white-space: nowrap"
CHIP_INKS = {  # kind -> (ink, fill)
    "error": ("error", "error_soft"),
    "warning": ("warn", "warn_soft"),
    "note": ("note", "note_soft"),
    "done": ("done", "done_soft"),
    "changed": ("changed", "changed_soft"),
    "current": ("on_fill", "accent"),
    "quiet": ("text2", "note_soft"),
}


@dataclass(frozen=True)
class Chip:
    """A word about the state or the faults of what is shown. `icon` names one of draw.icons, "" none."""

    text: str
    kind: str
    icon: str = ""


@dataclass(frozen=True)
class Row:
    """A label and a value; `link` is followed when the value is clicked: "node:12", "module:3" or "line:9:/a/b.py"."""

    label: str
    value: str
    link: str = ""
    mono: bool = True
    rest: str = ""  # quieter, behind the value


class Section(QWidget):
    """A heading that folds what is below it: a click on it, Space or Enter. Folded sections stay folded, by `key`.

    The heading is painted, not made of widgets: a page is built anew at every step, and each widget costs.
    """

    toggled = Signal(str, bool)

    def __init__(self, theme: Theme, key: str, title: str, extra: str, folded: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self.key, self._title, self._extra = theme, key, title, extra
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(title)
        self.body = QWidget(self)
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(0, 2, 0, 0)
        self.rows.setSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PANE_INSET, HEAD, PANE_INSET, 13)
        layout.addWidget(self.body)
        self.body.setHidden(folded)

    def title(self) -> str:
        return self._title

    def say(self, extra: str) -> None:
        """The quiet words at the right of the heading."""
        self._extra = extra
        self.update()

    def toggle(self) -> None:
        folded = not self.body.isHidden()
        self.body.setHidden(folded)
        self.update()
        self.toggled.emit(self.key, folded)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.position().y() < HEAD:
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.toggle()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, self._theme.color("border"))
        icon = "chevron_right" if self.body.isHidden() else "chevron_down"
        draw_icon(painter, icon, PANE_INSET - 2, (HEAD - ICON) / 2 + 2, self._theme.tokens, ICON, "text")
        middle = Qt.AlignmentFlag.AlignVCenter
        room = QRectF(PANE_INSET + ICON + 6, 4, self.width() - 2 * PANE_INSET - ICON - 6, HEAD - 4)
        cut = Qt.TextElideMode.ElideRight
        painter.setFont(self._theme.font(LIST))
        painter.setPen(self._theme.color("text2"))
        extra = painter.fontMetrics().elidedText(self._extra, cut, int(room.width() * MOST_EXTRA))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, extra)
        room.setRight(room.right() - (painter.fontMetrics().horizontalAdvance(extra) + 8 if extra else 0))
        painter.setFont(self._theme.font(LIST, 600))
        painter.setPen(self._theme.color("text"))
        title = painter.fontMetrics().elidedText(self._title, cut, int(room.width()) + 1)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, title)
        painter.end()


class Figures(QWidget):
    """Names and figures in four columns, painted."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.figures: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_figures(self, figures: Sequence[tuple[str, str]]) -> None:
        self.figures = tuple(figures)
        self.setAccessibleName(", ".join(f"{name} {text}" for name, text in figures))
        self.setVisible(bool(figures))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, -(-len(self.figures) // 4) * FIGURE_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        width = self.width() / 4
        for at, (name, text) in enumerate(self.figures):
            x, y = at % 4 * width, at // 4 * FIGURE_HEIGHT
            wrong = name in ("NaN", "Inf") and text != "0"
            painter.setFont(self._theme.font(CAPTION, 400))
            painter.setPen(self._theme.color("text2"))
            painter.drawText(QRectF(x, y, width, 16), Qt.AlignmentFlag.AlignVCenter, name)
            painter.setFont(self._theme.font(CELL, 600 if wrong else 400))
            painter.setPen(self._theme.color("error" if wrong else "text"))
            painter.drawText(QRectF(x, y + 15, width, 18), Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


class Chips(QWidget):
    """A line of chips; those that find no room go into further lines."""

    def __init__(self, theme: Theme, chips: Sequence[Chip], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self.chips = theme, tuple(chips)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(", ".join(chip.text for chip in chips))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        boxes = self._boxes(width)
        return int(boxes[-1].bottom()) if boxes else 0

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def _boxes(self, width: float) -> list[QRectF]:
        metrics = QFontMetricsF(self._theme.font(LIST, 600))
        boxes, x, y = [], 0.0, 0.0
        for chip in self.chips:
            wide = metrics.horizontalAdvance(chip.text) + 14 + (ICON + 3 if chip.icon else 0)
            if x and x + wide > width:
                x, y = 0.0, y + CHIP_HEIGHT + 4
            boxes.append(QRectF(x, y, min(wide, width), CHIP_HEIGHT))
            x += wide + 6
        return boxes

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(LIST, 600))
        for chip, box in zip(self.chips, self._boxes(self.width())):
            ink, fill = CHIP_INKS[chip.kind]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color(fill))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
            room = box.adjusted(7, 0, -7, 0)
            if chip.icon:
                top = box.top() + (CHIP_HEIGHT - ICON) / 2
                draw_icon(painter, chip.icon, box.left() + 5, top, self._theme.tokens, ICON, ink)
                room = room.adjusted(ICON, 0, 0, 0)
            painter.setPen(self._theme.color(ink))
            text = painter.fontMetrics().elidedText(chip.text, Qt.TextElideMode.ElideRight, int(room.width()) + 1)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


class Rows(WordsLabel):
    """Labels and values in two columns; links are told by `linkActivated`."""

    def __init__(self, theme: Theme, rows: Sequence[Row], parent: QWidget) -> None:
        super().__init__(parent)
        self.entries = tuple(rows)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setText(table_html(theme, rows))

    def plain(self) -> list[tuple[str, str]]:
        return [(row.label, row.value) for row in self.entries]


def table_html(theme: Theme, rows: Sequence[Row]) -> str:
    """The rows as a table that wraps its second column."""
    colors = theme.tokens
    mono = f"font-family: '{theme.font(CELL).family()}'"
    lines = []
    for row in rows:
        value = escape(breakable(row.value))
        if row.mono:
            value = f'<span style="{mono}">{value}</span>'
        if row.link:
            value = f'<a href="{escape(row.link)}" style="color: {colors.accent}; text-decoration: none">{value}</a>'
        if row.rest:
            value += f' <span style="color: {colors.text2}">{escape(breakable(row.rest))}</span>'
        style = LABEL_STYLE if len(row.label) <= SHORT_LABEL else PADDING
        words = escape(breakable(row.label, SHORT_LABEL))
        label = f'<td width="84" valign="bottom" style="color: {colors.text2}; {style}">{words}</td>'
        lines.append(f'<tr>{label}<td valign="bottom" style="color: {colors.text}; {PADDING}">{value}</td></tr>')
    return f'<table style="font-size: {LIST.size}px" cellspacing="0">{"".join(lines)}</table>'


def caption(text: str, parent: QWidget) -> QLabel:
    """A quiet line under something."""
    label = QLabel(text, parent)
    label.setWordWrap(True)
    label.setProperty("role", "caption")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
