"""Steps: the backward pass as a list, with the present position in it; a click goes there."""

from __future__ import annotations

import math

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QVBoxLayout, QWidget

from gradviz.document.actions import Actions
from gradviz.document.hub import Hub, Selection, View
from gradviz.document.pass_facts import PassFacts
from gradviz.draw.surface import text_width
from gradviz.draw.tokens import CAPTION, ROW
from gradviz.gui.panes.note_line import NoteLine
from gradviz.gui.panes.pane import Pane, no_pass_words
from gradviz.gui.panes.steps_model import LINE, NODE, NUMBER, SHAPES, StepsModel
from gradviz.gui.panes.steps_rows import StepsRows
from gradviz.gui.theme import Theme

WIDTHS = {NUMBER: 32, NODE: 136, LINE: 36}
NUMBER_PAD = 12  # px beside the longest number


class StepsPane(Pane):
    """The table of steps. `line_requested` (file, line) follows a double click."""

    line_requested = Signal(str, int)

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._actions = Actions(hub)
        self._showing = False  # the table's own selection is being set: not the person's click
        self.model = StepsModel(self)
        self.table = StepsTable(self)
        self.table.setModel(self.model)
        self.table.setItemDelegate(StepsRows(theme, self.table))
        self._dress_table()
        self.note = NoteLine(theme, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        self.setFocusProxy(self.table)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.table.clicked.connect(self._row_chosen)
        self.table.doubleClicked.connect(self._show_line)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        self.table.end_requested.connect(lambda last: self._actions.do("last" if last else "first"))

    def _dress_table(self) -> None:
        table = self.table
        table.setAccessibleName(self.tr("Steps"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW)
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(24)
        for column, width in WIDTHS.items():
            table.setColumnWidth(column, width)

    # -- showing
    def refresh(self, view: View, changed: frozenset[str]) -> None:
        if {"trace", "pass"} & changed:
            self._show_pass(view)
        if "findings" in changed:
            self.model.mark(self._seed_is_bad(view))
        if "position" in changed:
            self.model.move(view.position)
        self._follow(view)

    def show_damage(self, sentence: str) -> None:
        self.model.show(None)
        self._say(sentence)

    def _show_pass(self, view: View) -> None:
        if view.trace is None or view.pass_id is None:
            self.model.show(None)
            self._say(no_pass_words(view))
            return
        facts = PassFacts(view.trace, view.pass_id)
        self.model.show(facts, view.position, self._seed_is_bad(view))
        last = text_width(str(len(facts.steps)), CAPTION) + NUMBER_PAD
        self.table.setColumnWidth(NUMBER, max(WIDTHS[NUMBER], math.ceil(last)))
        self._say(self._note(facts))

    def _seed_is_bad(self, view: View) -> bool:
        mine = (each for each in view.findings if each.pass_id == view.pass_id and each.severity == "error")
        return any(mark.kind == "seed" for finding in mine for mark in finding.marks)

    def _note(self, facts: PassFacts) -> str:
        one = facts.backward
        never = len(facts.graph) - len(facts.steps)
        if one.truncated:
            return one.truncated
        if facts.forward_only:
            return self.tr("A forward call raised, so no backward pass ran. This is the graph up to that call.")
        if facts.ended and never > 0:
            if never == 1:
                return self.tr("1 node never ran. Its shapes come from the forward pass.")
            words = self.tr("{count} nodes never ran. Their shapes come from the forward pass.")
            return words.format(count=f"{never:,}")
        if one.repeats > 1:
            words = self.tr("{count} backward passes like this one were counted, not stored.")
            return words.format(count=f"{one.repeats - 1:,}")
        return ""

    def _say(self, words: str) -> None:
        self.note.say(words)

    def _follow(self, view: View) -> None:
        """Show the row of what is selected, or of the present step."""
        kind = view.selection.kind
        if kind == "seed":
            row = next((at for at, root in enumerate(self._roots()) if root == view.selection.node), 0)
        elif kind == "node":
            row = self.model.row_of_node(view.selection.node)
        else:
            row = self.model.row_of_position(view.position)
        if row < 0 or row >= self.model.rowCount():
            self.table.clearSelection()
            return
        index = self.model.index(row, NODE)
        if self.table.currentIndex().row() == row and self.table.selectionModel().isRowSelected(row, QModelIndex()):
            return
        self._showing = True
        select = QItemSelectionModel.SelectionFlag
        self.table.setAutoScroll(False)
        self.table.selectionModel().setCurrentIndex(index, select.ClearAndSelect | select.Rows)
        self.table.setAutoScroll(True)
        self._showing = False
        if not self.table.viewport().rect().contains(self.table.visualRect(index)):
            # To the middle: the next steps come into sight too, and only every few steps all rows are painted.
            self.table.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _roots(self) -> list[int]:
        return [root.node for root in self.model.facts.backward.roots] if self.model.facts is not None else []

    # -- the person
    def _row_chosen(self, index: QModelIndex) -> None:
        if self._showing or not index.isValid():
            return
        row = index.row()
        node, step = self.model.node_of_row(row), self.model.step_of_row(row)
        if node < 0:
            roots = self._roots()
            root = roots[row] if row < len(roots) else -1
            self._tell(position=0, selection=Selection("seed", node=root))
        elif step >= 0:
            self._tell(position=step, selection=Selection())
        else:
            self._tell(selection=Selection("node", node=node))

    def _menu(self, at: QPoint) -> None:
        index = self.table.indexAt(at)
        if not index.isValid():
            return
        menu = QMenu(self)
        menu.addAction(self.tr("Go to this step"), lambda: self._row_chosen(index))
        menu.addAction(self.tr("Show its line"), lambda: self._show_line(index))
        menu.addSeparator()
        menu.addAction(self.tr("Copy name"), lambda: self._copy(index.row(), NODE))
        menu.addAction(self.tr("Copy shapes"), lambda: self._copy(index.row(), SHAPES))
        menu.exec(self.table.viewport().mapToGlobal(at))

    def _copy(self, row: int, column: int) -> None:
        QGuiApplication.clipboard().setText(str(self.model.index(row, column).data()))

    def _tell(self, **fields: object) -> None:
        """Tell all others, and repaint the rows without scrolling."""
        self.hub.change(self, **fields)
        self.model.move(self.hub.view.position)

    def _show_line(self, index: QModelIndex) -> None:
        facts, node = self.model.facts, self.model.node_of_row(index.row())
        if facts is None:
            return
        stack = facts.stack(node) if node >= 0 else facts.backward.stack
        if stack:
            self.line_requested.emit(stack[0].file, stack[0].line)


class StepsTable(QTableView):
    """Home and End go to the first and last step, as on the canvas."""

    end_requested = Signal(bool)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.end_requested.emit(event.key() == Qt.Key.Key_End)
            return
        super().keyPressEvent(event)
