"""The text of one file, read-only: coloured as it comes into sight, with bands, squiggles and words after the code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QToolTip, QWidget

from gradviz.document.source_index import Mark
from gradviz.draw.tokens import CAPTION, EDITOR_LINE, SHAPE, SOURCE
from gradviz.gui.panes.python_colors import open_strings, spans
from gradviz.gui.panes.source_gutter import SourceGutter
from gradviz.gui.theme import Theme

AFTER_CODE = 20  # px between code and the words after it
SEVERITIES = ("error", "warning", "note")  # worst first
NOTE_INKS = {"error": "error", "warning": "warn", "note": "note"}


class SourceView(QPlainTextEdit):
    """`line_clicked` and `line_double_clicked` (1-based) where the person points, in text or gutter."""

    line_clicked = Signal(int)
    line_double_clicked = Signal(int)
    editor_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.counts: dict[int, int] = {}  # nodes per line
        self.shapes: dict[int, str] = {}
        self.marks: dict[int, Mark] = {}  # the worst of each line
        self.current = 0  # line that made the current node, 0 none
        self.current_note = ""
        self.chosen = 0  # line that was clicked
        self._strings: dict[int, str] = {}
        self._colored: set[int] = set()
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.setMouseTracking(True)
        self.gutter = SourceGutter(self)
        self.updateRequest.connect(self._scrolled)
        self.cursorPositionChanged.connect(self.viewport().update)
        self.setProperty("role", "source")
        self.dress()

    def dress(self) -> None:
        """Font and colours of the theme."""
        font = QFont(self.theme.font(SOURCE))
        self.setFont(font)
        self.setTabStopDistance(4 * QFontMetricsF(font).horizontalAdvance(" "))
        self._place_gutter()
        self.recolor()

    # -- what is shown
    def show_text(self, text: str) -> None:
        self.setPlainText(text.removesuffix("\n"))
        self._strings = open_strings(text)
        self._colored.clear()
        self._set_line_height()
        self._place_gutter()
        self._color_visible()

    def _set_line_height(self) -> None:
        """Lines of the editor's height: set once on the whole text, before it is laid out."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        block = cursor.blockFormat()
        block.setLineHeight(EDITOR_LINE, 2)  # QTextBlockFormat.LineHeightTypes.FixedHeight, which wants the number
        cursor.setBlockFormat(block)

    def show_marks(self, marks: Sequence[Mark]) -> None:
        """The worst of each line; the cause before the rest."""
        self.marks = {}
        for mark in sorted(marks, key=lambda mark: (SEVERITIES.index(mark.severity), mark.kind != "cause")):
            self.marks.setdefault(mark.line, mark)
        self._refresh()

    def show_lines(self, counts: dict[int, int], shapes: dict[int, str]) -> None:
        self.counts, self.shapes = counts, shapes
        self._refresh()

    def show_current(self, line: int, note: str) -> None:
        self.current, self.current_note = line, note
        self._refresh()

    def show_chosen(self, line: int) -> None:
        self.chosen = line
        self._refresh()

    def reveal(self, line: int) -> None:
        """Scroll as little as needed to have the line in sight, with a line of air."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        first = self.firstVisibleBlock().blockNumber() + 1
        lines = max(1, self.viewport().height() // EDITOR_LINE)
        if first < line < first + lines - 1:
            return
        self.verticalScrollBar().setValue(max(0, line - 1 - lines // 3))

    def recolor(self) -> None:
        self._colored.clear()
        self._color_visible()
        self._refresh()

    def _refresh(self) -> None:
        self.viewport().update()
        self.gutter.update()

    # -- geometry
    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        """Blocks in sight with their rectangles in the viewport."""
        block = self.firstVisibleBlock()
        offset, bottom = self.contentOffset(), self.viewport().height()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(offset)
            if box.top() > bottom:
                return
            yield block, box
            block = block.next()

    def line_at(self, y: float) -> int:
        """The line at this height of the viewport, 0 below the text."""
        for block, box in self.visible_blocks():
            if box.top() <= y < box.bottom():
                return block.blockNumber() + 1
        return 0

    def _place_gutter(self) -> None:
        width = self.gutter.needed_width()
        self.setViewportMargins(width, 0, 0, 0)
        box = self.contentsRect()
        self.gutter.setGeometry(QRect(box.left(), box.top(), width, box.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()
        self._color_visible()

    def sizeHint(self) -> QSize:
        return QSize(420, 9 * EDITOR_LINE)

    def _scrolled(self, rect: QRect, dy: int) -> None:
        self.gutter.update()
        if dy:
            self._color_visible()

    # -- colours
    def _color_visible(self) -> None:
        """Colour the lines in sight that aren't yet: a file of any length opens at once."""
        for block, _ in self.visible_blocks():
            number = block.blockNumber()
            if number in self._colored:
                continue
            self._colored.add(number)
            ranges = []
            for start, length, token in spans(block.text(), self._strings.get(number, "")):
                part = QTextLayout.FormatRange()
                part.start, part.length = start, length
                look = QTextCharFormat()
                look.setForeground(self.theme.color(token))
                part.format = look
                ranges.append(part)
            block.layout().setFormats(ranges)
            self.document().markContentsDirty(block.position(), block.length())

    # -- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        for block, box in self.visible_blocks():
            token = self.band(block.blockNumber() + 1)
            if token:
                wide = QRectF(0, box.top(), self.viewport().width(), box.height())
                painter.fillRect(wide, self.theme.color(token))
        painter.end()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for block, box in self.visible_blocks():
            self._paint_after(painter, block, box)
        painter.end()

    def band(self, line: int) -> str:
        """The token that fills a line's background, "" none: a cause before the current line before a clicked one."""
        mark = self.marks.get(line)
        if mark is not None and mark.kind == "cause":
            return {"error": "error_soft", "warning": "warn_soft", "note": "note_soft"}[mark.severity]
        if line == self.current:
            return "accent_soft"
        return "note_soft" if line == self.chosen else ""

    def note(self, line: int) -> tuple[str, str, bool]:
        """The words after a line's code, their token, and whether they are strong."""
        mark = self.marks.get(line)
        if mark is not None and mark.note:
            return mark.note, NOTE_INKS[mark.severity], True
        if line == self.current and self.current_note:
            return self.current_note, "accent", True
        return self.shapes.get(line, ""), "text2", False

    def _paint_after(self, painter: QPainter, block: QTextBlock, box: QRectF) -> None:
        line = block.blockNumber() + 1
        mark = self.marks.get(line)
        layout = block.layout()
        if layout.lineCount() == 0:
            return
        if mark is not None and mark.column >= 0:
            self._squiggle(painter, block, box, mark)
        words, token, strong = self.note(line)
        if not words:
            return
        end = box.left() + layout.lineAt(0).naturalTextWidth()
        painter.setFont(self.theme.font(CAPTION, 700) if strong else self.theme.font(SHAPE))
        painter.setPen(self.theme.color(token))
        left = end + AFTER_CODE
        room = QRectF(left, box.top(), max(40.0, self.viewport().width() - left - 4), box.height())
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _squiggle(self, painter: QPainter, block: QTextBlock, box: QRectF, mark: Mark) -> None:
        text = block.text()
        raw = text.encode("utf-8", "surrogatepass")
        start = len(raw[: mark.column].decode("utf-8", "replace"))
        stop = len(raw[: mark.end_column].decode("utf-8", "replace")) if mark.end_column > mark.column else start + 1
        row = block.layout().lineAt(0)
        left = box.left() + x_of(row.cursorToX(start))
        right = box.left() + x_of(row.cursorToX(min(stop, len(text))))
        y, x, up = box.bottom() - 3.5, left, True
        points = []
        while x <= max(right, left + 6):
            points.append(QPointF(x, y - (1.5 if up else -1.0)))
            x, up = x + 2.5, not up
        painter.setPen(QPen(self.theme.color(NOTE_INKS[mark.severity]), 1.2))
        painter.drawPolyline(QPolygonF(points))

    # -- the person
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.tell_click(event.position().y())

    def tell_click(self, y: float) -> None:
        line = self.line_at(y)
        if line:
            self.line_clicked.emit(line)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        line = self.line_at(event.position().y())
        if line:
            self.line_double_clicked.emit(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter is a click on the cursor's line, Ctrl+Enter a double click."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            line = self.textCursor().blockNumber() + 1
            twice = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            (self.line_double_clicked if twice else self.line_clicked).emit(line)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        line = self.line_at(event.pos().y())
        menu.addSeparator()
        menu.addAction(self.tr("Open in my editor"), lambda: self.editor_requested.emit(max(1, line)))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self.line_at(event.pos().y())
            words = [text for text in (self.shapes.get(line, ""), self.note(line)[0]) if text]
            QToolTip.showText(event.globalPos(), "\n".join(dict.fromkeys(words)), self)
            return True
        return super().viewportEvent(event)


def x_of(found: object) -> float:
    """QTextLine.cursorToX gives the x, or with some versions a pair with the cursor."""
    return float(found[0] if isinstance(found, tuple) else found)  # type: ignore[arg-type]  # a float then
