"""Source: the script as it was when it ran; its lines and the graph's nodes find each other."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.document.hub import Hub, Selection, View
from gradviz.document.pass_facts import PassFacts
from gradviz.document.source_index import SourceIndex, index_of, marks_of
from gradviz.draw.tokens import LIST_INSET
from gradviz.gui.panes.note_line import NoteLine
from gradviz.gui.panes.pane import Pane
from gradviz.gui.panes.source_view import SourceView
from gradviz.gui.theme import Theme
from gradviz.trace.model import Frame, Source


class SourcePane(Pane):
    """`file_shown` names the file in front; `editor_requested` (file, line) asks to open it outside."""

    file_shown = Signal(str)
    editor_requested = Signal(str, int)

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._facts: PassFacts | None = None
        self._index: SourceIndex | None = None
        self._sources: dict[str, Source] = {}
        self._previewed: Source | None = None
        self.file = ""
        self._text = ""
        self.view = SourceView(theme, self)
        self.view.setAccessibleName(self.tr("Source"))
        self.files = QComboBox(self)
        self.files.setAccessibleName(self.tr("File"))
        self.files.activated.connect(lambda at: self._show_file(self.files.itemData(at)))
        self.editor = QPushButton(self.tr("Open in my editor"), self)
        self.editor.setProperty("role", "link")
        self.editor.clicked.connect(self.ask_editor)
        self._bar = QWidget(self)
        row = QHBoxLayout(self._bar)
        row.setContentsMargins(LIST_INSET, 4, LIST_INSET, 2)
        row.addWidget(self.files)
        row.addStretch(1)
        row.addWidget(self.editor)
        self.note = NoteLine(theme, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.note)
        self.setFocusProxy(self.view)
        self.view.line_clicked.connect(self._line_clicked)
        self.view.line_double_clicked.connect(self._line_double_clicked)
        self.view.editor_requested.connect(self._ask_editor)

    # -- showing
    def preview(self, source: Source | None) -> None:
        """The script as it lies on disk, shown while there is no recording with sources of its own."""
        if source != self._previewed:
            self._previewed = source
            self.heard("trace")

    def refresh(self, view: View, changed: frozenset[str]) -> None:
        if {"trace", "pass"} & changed:
            self._read(view)
        if self._facts is None and not self._sources:
            return
        if {"trace", "findings"} & changed:
            self._show_marks()
        frame = self._frame(view)
        if {"trace", "pass", "position", "selection", "finding", "findings"} & changed:
            self._follow(view, frame, "finding" in changed)

    def show_damage(self, sentence: str) -> None:
        self._facts = self._index = None
        self._show_text("")
        self.note.say(sentence)

    def theme_changed(self) -> None:
        self.view.dress()
        super().theme_changed()

    def _read(self, view: View) -> None:
        trace, before, index = view.trace, self._facts, self._index
        self._facts = self._index = None
        self._sources = {source.path: source for source in trace.sources()} if trace is not None else {}
        if not self._sources and self._previewed is not None:
            self._sources = {self._previewed.path: self._previewed}
        if trace is not None and view.pass_id is not None:
            self._facts = PassFacts(trace, view.pass_id)
            if index is not None and self._facts.continues(before):
                index.follow(self._facts)
                self._index = index
            else:
                self._index = index_of(self._facts)
        if [self.files.itemData(at) for at in range(self.files.count())] != list(self._sources):
            self.files.clear()
            for path in self._sources:
                self.files.addItem(Path(path).name, path)
        self._bar.setVisible(len(self._sources) > 1)  # for one file the menu of the text is enough
        wanted = self.file if self.file in self._sources else next(iter(self._sources), "")
        self.file = ""
        self._show_file(wanted)

    def _show_file(self, path: str) -> None:
        """Put a file in front."""
        if path == self.file and path:
            return
        self.file = path
        source = self._sources.get(path)
        self.files.setCurrentIndex(max(0, self.files.findData(path)))
        self.view.show_current(0, "")
        self.view.show_chosen(0)
        if source is None or source.text is None:
            self._show_text("")
            self.note.say(self.tr("The source of this file isn't in the recording.") if source is not None else "")
        else:
            self._show_text(source.text)
            self.note.say("")
        shapes = self._shapes(source) if source is not None else {}
        self.view.show_lines(self._index.counts(path) if self._index is not None else {}, shapes)
        self.view._place_gutter()
        self._show_marks()
        self.file_shown.emit(path)

    def _show_text(self, text: str) -> None:
        """Left as it is, scrolled where it is, where the text is the same."""
        if text != self._text:
            self._text = text
            self.view.show_text(text)

    def _shapes(self, source: Source) -> dict[int, str]:
        """What lines made, and where backward passes were called."""
        shapes = dict(self._index.shapes(source)) if self._index is not None else {}
        trace = self.hub.view.trace
        passes = trace.passes() if trace is not None else ()
        last = sum(one.repeats for one in passes)
        for one in reversed(passes):
            if one.stack and one.stack[0].file == source.path:
                words = self.tr("backward {number} of {count}") if last > 1 else self.tr("backward")
                shapes[one.stack[0].line] = words.format(number=one.id + 1, count=f"{last:,}")
        return shapes

    def _show_marks(self) -> None:
        words = {
            "expected": self.tr("expected {shape}"),
            "received": self.tr("received {shape}"),
            "cause": self.tr("cause: {note}"),
            "symptom": self.tr("symptom: {note}"),
            "raised": self.tr("raised here"),
        }
        self.view.show_marks(marks_of(self.hub.view.findings, self.file, words))

    def _frame(self, view: View) -> Frame | None:
        """The place of what is selected, or of the present step."""
        facts = self._facts
        if facts is None:
            return None
        chosen = view.selection
        if chosen.kind == "seed":
            stack = facts.backward.stack
        elif chosen.kind == "node" and 0 <= chosen.node < len(facts.graph):
            stack = facts.stack(chosen.node)
        elif 0 <= view.position < len(facts.steps):
            stack = facts.stack(int(facts.steps.node[view.position]))
        else:
            stack = ()
        return stack[0] if stack else None

    def _follow(self, view: View, frame: Frame | None, finding_changed: bool) -> None:
        chosen = view.selection
        finding = view.findings[view.finding] if 0 <= view.finding < len(view.findings) else None
        if finding_changed and finding is not None and finding.file in self._sources:
            self._show_file(finding.file)
            self._show_current(frame)
            self.view.reveal(finding.line)
            return
        if chosen.kind == "line" and chosen.path in self._sources:
            self._show_file(chosen.path)
            self.view.show_chosen(chosen.line)
            self.view.reveal(chosen.line)
            self._show_current(frame)
            return
        self.view.show_chosen(0)
        if frame is not None and frame.file in self._sources:
            self._show_file(frame.file)
            self._show_current(frame)
            self.view.reveal(frame.line)
        else:
            self._show_current(None)

    def _show_current(self, frame: Frame | None) -> None:
        if frame is None or frame.file != self.file:
            self.view.show_current(0, "")
        else:
            self.view.show_current(frame.line, self._current_note())

    def _current_note(self) -> str:
        """'ReluBackward0, step 7'."""
        view, facts = self.hub.view, self._facts
        if facts is None:
            return ""
        chosen = view.selection.node if view.selection.kind == "node" else -1
        if view.selection.kind == "seed":
            return ""
        node = chosen if 0 <= chosen < len(facts.graph) else -1
        if node < 0 and 0 <= view.position < len(facts.steps):
            node = int(facts.steps.node[view.position])
        if node < 0:
            return ""
        step = int(facts.step_of[node])
        words = self.tr("{node}, step {step}") if step >= 0 else "{node}"
        return words.format(node=facts.name(node), step=step + 1)

    # -- the person
    def show_line(self, file: str, line: int) -> None:
        """Bring a line into sight, for whoever follows a link to it."""
        self.catch_up()
        if file in self._sources:
            self._show_file(file)
            self.view.show_chosen(line)
            self.view.reveal(line)

    def _line_clicked(self, line: int) -> None:
        self.view.show_chosen(line)
        self.hub.change(self, selection=Selection("line", path=self.file, line=line))
        self._show_current(self._frame(self.hub.view))

    def _line_double_clicked(self, line: int) -> None:
        step = self._index.first_step(self.file, line) if self._index is not None else -1
        if step >= 0:
            self.hub.change(self, position=step, selection=Selection())
            self._show_current(self._frame(self.hub.view))
            return
        nodes = self._index.nodes(self.file, line).tolist() if self._index is not None else []
        if nodes:
            self.hub.change(self, selection=Selection("node", node=nodes[0]))

    def ask_editor(self) -> None:
        """Open the line that one is at outside: the one that was clicked, else the present step's."""
        self._ask_editor(self.view.chosen or self.view.current or 1)

    def _ask_editor(self, line: int) -> None:
        if self.file:
            self.editor_requested.emit(self.file, line)
