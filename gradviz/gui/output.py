"""What the script printed, both streams in their colours, safe against floods; and a line to type its input in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from gradviz.document.state import Output, State
from gradviz.draw.tokens import CELL
from gradviz.gui.ansi import Ansi, Look
from gradviz.gui.theme import Theme

LINES = 20_000  # kept on the screen
LONGEST_LINE = 4_000  # characters shown of one line
STREAM_COLORS = {"stdout": "text", "stderr": "error", "note": "text2", "input": "accent"}


class OutputPane(QWidget):
    """The text, and below it the input line while the script can read one."""

    line_entered = Signal(str)
    input_ended = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ansi = {"stdout": Ansi(), "stderr": Ansi()}
        self._column = 0  # characters of the line that is being written
        self._dropped = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(LINES)
        self.text.setUndoRedoEnabled(False)
        self.text.setFont(theme.font(CELL))
        self.text.document().setDocumentMargin(12)
        self.text.setAccessibleName(self.tr("Output of the script"))
        self.text.setPlaceholderText(self.tr("What the script prints shows here."))
        column.addWidget(self.text, 1)
        column.addWidget(self._input_row())
        self.setFocusProxy(self.text)
        self._entries: list[Output] = []  # kept for repainting in another theme
        theme.changed.connect(self._repaint)

    def _input_row(self) -> QWidget:
        self.input_row = QFrame(self)
        self.input_row.setProperty("role", "bar")
        row = QHBoxLayout(self.input_row)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        self._prompt = QLabel(self.input_row)
        self.input = QLineEdit(self.input_row)
        self.input.setProperty("role", "code")
        self.input.setAcceptDrops(False)  # a dropped file is opened by the window
        self.input.setAccessibleName(self.tr("Input for the script"))
        self.input.returnPressed.connect(self._enter)
        end = QPushButton(self.tr("End of input"), self.input_row)
        end.setToolTip(self.tr("Tell the script that no more input comes"))
        end.clicked.connect(self.input_ended)
        for widget in (self._prompt, self.input, end):
            row.addWidget(widget, 1 if widget is self.input else 0)
        self.input_row.hide()
        return self.input_row

    # -- what comes in
    def clear(self) -> None:
        self.text.clear()
        self._ansi = {"stdout": Ansi(), "stderr": Ansi()}
        self._column = self._dropped = 0
        self._entries = []

    def add(self, chunks: list[Output]) -> None:
        """Append what was printed; stays at the end if the end was in view."""
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for chunk in chunks:
            self._remember(chunk)
            self._insert(cursor, chunk)
        cursor.endEditBlock()
        if at_end:
            bar.setValue(bar.maximum())

    def say(self, words: str) -> None:
        """A word of the program's own, in its own colour, on a line of its own."""
        self.add([Output("note", ("\n" if self._column else "") + words + "\n")])

    def follow(self, state: State, typed: bool) -> None:
        """Show the input line while the script runs and may read what is typed."""
        shown = state.running and typed
        self.input_row.setVisible(shown)
        self._prompt.setText(self.tr("The script waits for input:") if state.waiting else self.tr("Input:"))
        if shown and state.waiting and not self.input.hasFocus():
            self.input.setFocus()

    def dropped(self) -> int:
        """Bytes that came too fast to be shown."""
        return self._dropped

    def _insert(self, cursor: QTextCursor, chunk: Output) -> None:
        if chunk.stream == "dropped":
            self._dropped += int(chunk.text)
            words = self.tr("… {size} of output came too fast and isn't shown here …")
            self._write(cursor, "\n" + words.format(size=size_words(int(chunk.text))) + "\n", "note", Look())
            return
        ansi = self._ansi.get(chunk.stream)
        for text, look in ansi.runs(chunk.text) if ansi is not None else [(chunk.text, Look())]:
            self._write(cursor, text, chunk.stream, look)

    def _write(self, cursor: QTextCursor, text: str, stream: str, look: Look) -> None:
        style = QTextCharFormat()
        style.setForeground(QColor(self._theme.tokens.color(look.color or STREAM_COLORS.get(stream, "text"))))
        if look.bold:
            style.setFontWeight(600)
        cursor.insertText(self._shortened(text.replace("\r\n", "\n")), style)

    def _shortened(self, text: str) -> str:
        """Lines cut at LONGEST_LINE: one endless line would stall the text view."""
        lines = text.split("\n")
        kept: list[str] = []
        for number, line in enumerate(lines):
            line = line.rpartition("\r")[2] if "\r" in line.rstrip("\r") else line.rstrip("\r")
            before = self._column if number == 0 else 0
            room = max(0, LONGEST_LINE - before)
            if len(line) > room:
                line = line[:room] + ("…" if room else "")
            kept.append(line)
            self._column = before + len(line)
        return "\n".join(kept)

    def _remember(self, chunk: Output) -> None:
        self._entries.append(chunk)
        if len(self._entries) > 4000:
            del self._entries[:2000]

    def _repaint(self) -> None:
        entries = self._entries
        self.clear()
        self.add(entries)

    def _enter(self) -> None:
        line = self.input.text()
        self.input.clear()
        self.add([Output("input", line + "\n")])
        self.line_entered.emit(line)


def size_words(size: int) -> str:
    """Bytes as a person reads them."""
    if size < 1024:
        return f"{size} B"
    for unit in ("KB", "MB", "GB"):
        size_in = size / 1024 ** (("KB", "MB", "GB").index(unit) + 1)
        if size_in < 1000 or unit == "GB":
            return f"{size_in:.0f} {unit}" if size_in >= 10 else f"{size_in:.1f} {unit}"
    return f"{size} B"
