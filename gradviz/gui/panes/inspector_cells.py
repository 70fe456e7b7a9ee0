"""Shapes dimension by dimension: a painted table whose columns line up at the right, as broadcasting does."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.document.comparison import ABSENT, ADDED, BAD, EQUAL, EXTRA, MISSING, RESULT, STRETCHED, SUMMED, Comparison
from gradviz.draw.tokens import CAPTION, CELL, CELL_HEIGHT, LIST, RADIUS, SHAPE
from gradviz.gui.theme import Theme
from gradviz.scene.words import shape_text

LABEL = 84
GAP = 4
HEAD = 18
FOOT = 20
WIDEST, NARROWEST, READ_AT = 66.0, 24.0, 44.0  # px of a cell; from READ_AT on "1 → 64" is read in it
LEAST_TAIL, MOST_TAIL = 62.0, 130.0  # room for the shape behind its cells


@dataclass(frozen=True)
class CellWords:
    """The words of a table, translated."""

    dim: str = "dim {number}"
    none: str = "no dimension"
    extra: str = "≠ one too many"
    missing: str = "≠ missing"
    scalar: str = "scalar"
    stretched: str = "{name} stretched"


class ShapeTable(QWidget):
    """Paints a Comparison. `labels` stand before the rows, `names` are the dimensions', `tone` colours stretching."""

    def __init__(
        self,
        theme: Theme,
        comparison: Comparison,
        labels: tuple[str, ...],
        words: CellWords,
        parent: QWidget | None = None,
        tone: str = "error",
        names: tuple[str, ...] = (),
    ) -> None:
        super().__init__(parent)
        self._names = names if len(names) == comparison.columns else ("",) * comparison.columns
        self._theme, self._comparison, self._labels, self._words, self._tone = theme, comparison, labels, words, tone
        metrics = QFontMetricsF(theme.font(SHAPE, 600))
        shapes = (metrics.horizontalAdvance(shape_text(row.shape)) for row in comparison.rows)
        self._tail = min(MOST_TAIL, max((*shapes, LEAST_TAIL)) + 8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.spoken())
        self.setToolTip(self.spoken())

    def spoken(self) -> str:
        """The table as text, for a screen reader and the tooltip."""
        lines = [f"{label} {shape_text(row.shape)}" for label, row in zip(self._labels, self._comparison.rows)]
        columns = len(self._names)
        lines += [f"dim −{columns - at} = {name}" for at, name in enumerate(self._names) if name]
        return "\n".join(lines)

    def verdict_texts(self) -> list[str]:
        """What stands under the columns."""
        texts = []
        for verdict, name in zip(self._comparison.verdicts, self._names):
            if verdict.name:
                texts.append(self._words.stretched.format(name=verdict.name))
            elif verdict.kind == EQUAL:
                texts.append(f"= {name}" if name else "=" if self._compared() else "")
            elif verdict.kind in (EXTRA, MISSING):
                texts.append(self._words.extra if verdict.kind == EXTRA else self._words.missing)
            else:
                texts.append(f"≠ {verdict.size}")
        return texts

    def sizeHint(self) -> QSize:
        foot = FOOT * (2 if any(verdict.name for verdict in self._comparison.verdicts) else 1)
        return QSize(240, HEAD + len(self._comparison.rows) * (CELL_HEIGHT + GAP) + (foot if self._footed() else 4))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def _compared(self) -> bool:
        return len(self._comparison.rows) > 1

    def _footed(self) -> bool:
        return self._compared() or any(self._names)

    def _cell_width(self) -> float:
        widest = 108.0 if self._comparison.columns == 1 else WIDEST
        return max(NARROWEST, min(widest, self._share(0.0 if self._crowded() else self._tail)))

    def _share(self, tail: float) -> float:
        """A cell's part of the room that such a tail leaves."""
        return (self.width() - LABEL - tail) / max(1, self._comparison.columns) - GAP

    def _crowded(self) -> bool:
        """Whether the shapes behind the cells are left out, so that these can be read: they say the same."""
        return self._share(self._tail) < READ_AT and any(
            cell.style in (STRETCHED, ADDED, SUMMED) for row in self._comparison.rows for cell in row.cells
        )

    # -- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = self._cell_width()
        self._heads(painter, width)
        y = float(HEAD)
        for label, row in zip(self._labels, self._comparison.rows):
            mono = bool(self._comparison.verdicts and any(v.name for v in self._comparison.verdicts))
            self._text(painter, QRectF(0, y, LABEL - 6, CELL_HEIGHT), label, "text" if mono else "text2", mono)
            for column, cell in enumerate(row.cells):
                box = QRectF(LABEL + column * (width + GAP), y, width, CELL_HEIGHT)
                self._cell(painter, box, cell.text, cell.style)
            if not self._crowded():
                end = LABEL + self._comparison.columns * (width + GAP)
                self._shape(painter, end + 6, y, row.shape, row.cells)
            y += CELL_HEIGHT + GAP
        if self._footed():
            self._verdicts(painter, y, width)
        painter.end()

    def _heads(self, painter: QPainter, width: float) -> None:
        painter.setFont(self._theme.font(CAPTION, 400))
        painter.setPen(self._theme.color("text2"))
        columns = self._comparison.columns
        for column in range(columns):
            text = self._words.dim.format(number=f"−{columns - column}") if width >= 40 else f"−{columns - column}"
            box = QRectF(LABEL + column * (width + GAP), 0, width, HEAD - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _cell(self, painter: QPainter, box: QRectF, text: str, style: str) -> None:
        tone = "changed" if style == SUMMED else self._tone
        fill = {BAD: f"{tone}_soft", RESULT: f"{tone}_soft", SUMMED: "changed_soft"}.get(style, "node")
        stroke, pen_width = "control", 1.0
        if style in (BAD, STRETCHED, ADDED, RESULT, SUMMED):
            stroke, pen_width = tone, 2.0 if style in (BAD, RESULT) else 1.5
        box = box.adjusted(1, 1, -1, -1)
        pen = QPen(self._theme.color(stroke), pen_width)
        if style in (ABSENT, ADDED):
            pen.setDashPattern([3.0, 2.0])
            fill = ""
        painter.setPen(pen)
        painter.setBrush(self._theme.color(fill) if fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        if style in (STRETCHED, SUMMED):
            self._hatch(painter, box, self._theme.color(tone))
        if not text and style == ABSENT:
            text = self._words.none if box.width() > 80 else "–"
            painter.setFont(self._theme.font(CAPTION, 400))
            painter.setPen(self._theme.color("text2"))
        else:
            bold = style in (BAD, STRETCHED, ADDED, RESULT, SUMMED)
            painter.setFont(self._theme.font(CELL, 600 if bold else 400))
            painter.setPen(self._theme.color(tone if bold else "text"))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()) - 2)
        if style in (STRETCHED, SUMMED):  # so that the arrow isn't lost among the stripes
            wide = painter.fontMetrics().horizontalAdvance(shown) + 4
            behind = QRectF(box.center().x() - wide / 2, box.top() + 4, wide, box.height() - 8)
            painter.fillRect(behind, self._theme.color("node"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)

    def _hatch(self, painter: QPainter, box: QRectF, color: QColor) -> None:
        painter.save()
        painter.setClipRect(box.adjusted(1, 1, -1, -1))
        faint = QColor(color)
        faint.setAlpha(48)
        painter.setPen(QPen(faint, 3))
        x = box.left() - box.height()
        while x < box.right():
            painter.drawLine(int(x), int(box.bottom()), int(x + box.height()), int(box.top()))
            x += 9
        painter.restore()

    def _shape(self, painter: QPainter, x: float, y: float, shape: tuple[int | str, ...], cells: object) -> None:
        bad = isinstance(cells, tuple) and any(cell.style in (BAD, RESULT) for cell in cells)
        text = shape_text(shape)
        painter.setFont(self._theme.font(SHAPE, 600 if bad else 400))
        painter.setPen(self._theme.color(self._tone if bad else "text"))
        room = QRectF(x, y, max(0.0, self.width() - x), CELL_HEIGHT)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(room, left, shown)
        if not shape:
            used = painter.fontMetrics().horizontalAdvance(text) + 8
            self._text(painter, room.adjusted(used, 0, 0, 0), self._words.scalar, "text2", False)

    def _verdicts(self, painter: QPainter, y: float, width: float) -> None:
        stretched = any(verdict.name for verdict in self._comparison.verdicts)
        for column, (verdict, text) in enumerate(zip(self._comparison.verdicts, self.verdict_texts())):
            good = verdict.kind == EQUAL
            if good and (stretched or self._comparison.rows[0].cells[column].style == ABSENT):
                continue
            painter.setFont(self._theme.font(CAPTION, 600))
            painter.setPen(self._theme.color("done" if good else self._tone))
            box = QRectF(LABEL + column * (width + GAP) - 2, y, width + 4, FOOT * (2 if stretched else 1))
            if verdict.kind in (EXTRA, MISSING) and width < 90:
                text = "≠"
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            fits = painter.fontMetrics().horizontalAdvance(text.split()[-1] if stretched else text) <= box.width()
            if good and not fits:
                text = "="  # of what is in the tooltip
            elif verdict.name and not fits:  # the hatched cell above says that it is stretched
                text = painter.fontMetrics().elidedText(verdict.name, Qt.TextElideMode.ElideRight, int(box.width()))
            painter.drawText(box, int(flags) | int(Qt.TextFlag.TextWordWrap), text)

    def _text(self, painter: QPainter, box: QRectF, text: str, token: str, mono: bool) -> None:
        painter.setFont(self._theme.font(CELL if mono else LIST))
        painter.setPen(self._theme.color(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
