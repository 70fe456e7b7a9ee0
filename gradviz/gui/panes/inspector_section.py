"""The parts an Inspector page is put together from: folding sections, chips, rows of words with links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CAPTION, CELL, ICON, LIST, PANE_INSET, RADIUS
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme

CHIP_HEIGHT = 22
PADDING = "padding: 2px 6px 2px 0"
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
    """A label and a value; `link` is followed when the value is clicked: "node:12" or "line:9:/a/b.py"."""

    label: str
    value: str
    link: str = ""
    mono: bool = True
    rest: str = ""  # quieter, behind the value


class Section(QWidget):
    """A heading that folds what is below it. Folded sections stay folded for the next subject: by `key`."""

    toggled = Signal(str, bool)

    def __init__(self, theme: Theme, key: str, title: str, extra: str, folded: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self.key = theme, key
        self.head = QToolButton(self)
        self.head.setText(" " + title)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setFont(theme.font(LIST, 600))
        self.head.setStyleSheet("QToolButton { font-weight: 600; padding: 2px 4px 2px 0; margin-left: -5px; }")
        self.head.setAutoRaise(True)
        self.head.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.head.clicked.connect(self._toggle)
        self._extra = QLabel(extra, self)
        set_role(self._extra, "secondary")
        self.body = QWidget(self)
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(0, 2, 0, 0)
        self.rows.setSpacing(6)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.addWidget(self.head)
        top.addStretch(1)
        top.addWidget(self._extra)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PANE_INSET, 9, PANE_INSET, 13)
        layout.setSpacing(2)
        layout.addLayout(top)
        layout.addWidget(self.body)
        self._fold(folded)

    def say(self, extra: str) -> None:
        """The quiet words at the right of the heading."""
        self._extra.setText(extra)

    def title(self) -> str:
        return self.head.text().strip()

    def _toggle(self) -> None:
        folded = not self.body.isHidden()
        self._fold(folded)
        self.toggled.emit(self.key, folded)

    def _fold(self, folded: bool) -> None:
        self.body.setVisible(not folded)
        self.head.setIcon(self._theme.icon("chevron_right" if folded else "chevron_down"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, self._theme.color("border"))
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


class Rows(QLabel):
    """Labels and values in two columns; links are told by `linkActivated`."""

    def __init__(self, theme: Theme, rows: Sequence[Row], parent: QWidget) -> None:
        super().__init__(parent)
        self.entries = tuple(rows)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
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
        value = escape(row.value)
        if row.mono:
            value = f'<span style="{mono}">{value}</span>'
        if row.link:
            value = f'<a href="{escape(row.link)}" style="color: {colors.accent}; text-decoration: none">{value}</a>'
        if row.rest:
            value += f' <span style="color: {colors.text2}">{escape(row.rest)}</span>'
        label = f'<td width="84" valign="bottom" style="color: {colors.text2}; {PADDING}">{escape(row.label)}</td>'
        lines.append(f'<tr>{label}<td valign="bottom" style="color: {colors.text}; {PADDING}">{value}</td></tr>')
    return f'<table style="font-size: {LIST.size}px" cellspacing="0">{"".join(lines)}</table>'


def caption(theme: Theme, text: str, parent: QWidget) -> QLabel:
    """A quiet line under something."""
    label = QLabel(text, parent)
    label.setFont(theme.font(CAPTION))
    label.setWordWrap(True)
    set_role(label, "caption")
    return label
