"""Modules: the nn.Module tree with shapes, parameters, gradients; a click selects a group, a double click opens it."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QVBoxLayout, QWidget

from gradviz.document.hub import Hub, Selection, View
from gradviz.document.module_tree import ModuleTree, tree_of
from gradviz.document.pass_facts import PassFacts
from gradviz.draw.tokens import LIST_INSET
from gradviz.gui.panes.modules_columns import ModulesColumns
from gradviz.gui.panes.modules_model import ModulesModel
from gradviz.gui.panes.modules_rows import ModulesRows, ModulesTree
from gradviz.gui.panes.note_line import NoteLine
from gradviz.gui.panes.pane import Pane
from gradviz.gui.theme import Theme

OPEN_DEPTH = 1
MOST_OPENED = 400  # modules that a filter may leave for all of them to be opened


class ModulesPane(Pane):
    """A tree with a filter above it. `open_requested` tells the module whose group is to be opened on the canvas."""

    open_requested = Signal(Selection)

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._showing = False
        self._shown: tuple[object, ...] = ()
        self.model = ModulesModel(self)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Filter modules"))
        self.filter.setAccessibleName(self.tr("Filter modules"))
        self.filter.setToolTip(self.tr("A part of a path or class, or a state: frozen, no gradient, NaN, zero"))
        self.filter.setClearButtonEnabled(True)
        lens = self.filter.addAction(theme.icon("search", "text2"), QLineEdit.ActionPosition.LeadingPosition)
        theme.changed.connect(lambda: lens.setIcon(theme.icon("search", "text2")))
        self.filter.textChanged.connect(self._filter)
        self.tree = ModulesTree(theme, self)
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(ModulesRows(theme, self.tree))
        self.tree.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.columns = ModulesColumns(self.tree, self.model)
        self._dress_tree()
        self.tree.setSortingEnabled(True)
        self.note = NoteLine(theme, self)
        top = QWidget(self)
        rows = QVBoxLayout(top)
        rows.setContentsMargins(LIST_INSET, LIST_INSET, LIST_INSET, 6)
        rows.addWidget(self.filter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(top)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.note)
        self.setFocusProxy(self.tree)
        self.tree.selectionModel().currentChanged.connect(self._chosen)
        self.tree.doubleClicked.connect(self._open)
        self.tree.activated.connect(self._open)

    def _dress_tree(self) -> None:
        tree = self.tree
        tree.setAccessibleName(self.tr("Modules"))
        tree.setObjectName("modules")  # the style sheet goes by it
        tree.setUniformRowHeights(True)
        tree.setIndentation(13)
        tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        tree.setAllColumnsShowFocus(True)
        tree.setExpandsOnDoubleClick(False)  # that opens the group on the canvas
        self.columns.dress()

    # -- showing
    def refresh(self, view: View, changed: frozenset[str]) -> None:
        if {"trace", "pass", "findings"} & changed:
            self._show_modules(view)
        if "selection" in changed:
            self._follow(view.selection)

    def theme_changed(self) -> None:
        self._dress_tree()
        super().theme_changed()

    def show_damage(self, sentence: str) -> None:
        self.model.show(None)
        self._shown = ()
        self.note.say(sentence)

    def _show_modules(self, view: View) -> None:
        opened = self._opened()
        if view.trace is None:
            self.model.show(None)
            self._shown = ()
            self.note.say("")
            return
        facts = PassFacts(view.trace, view.pass_id) if view.pass_id is not None else None
        tree = tree_of(facts).marked(view.findings, facts) if facts is not None else ModuleTree(view.trace, None)
        shown, before = (view.trace, view.pass_id), self.model.tree
        if shown == self._shown and before is not None and tree.says_the_same(before):
            return  # a recording that grows elsewhere
        self._shown = shown
        first = before is None or not len(before)
        self.model.show(tree)
        self._tell()
        if first:
            self.tree.expandToDepth(OPEN_DEPTH - 1 if len(tree) > 12 else OPEN_DEPTH)
        for path in opened:
            self.tree.expand(self.index_of(path))
        self._follow(view.selection)

    def _tell(self) -> None:
        """Why the tree is empty, where it is."""
        tree, asked = self.model.tree, self.filter.text().strip()
        if tree is None:
            return
        if not len(tree):
            self.note.say(self.tr("This script called no nn.Module."))
        elif not self.model.count():
            self.note.say(self.tr("No module fits the filter “{words}”.").format(words=asked))
        else:
            self.note.say("")

    def _opened(self) -> list[str]:
        """Paths of what is expanded, to be expanded again in another recording of the script."""
        tree = self.model.tree
        if tree is None:
            return []
        found, waiting = [], list(tree.roots)
        while waiting:
            number = waiting.pop()
            if self.tree.isExpanded(self.model.index_of(number)):
                found.append(tree.module(number).path)
                waiting += tree.forest.children[number]
        return found

    def index_of(self, path: str) -> QModelIndex:
        """The first module of this path; none where the filter leaves it out."""
        return self.model.index_of(self.model.tree.number_of(path)) if self.model.tree is not None else QModelIndex()

    def _follow(self, selection: Selection) -> None:
        self._showing = True
        if selection.kind == "group":
            known = selection.module >= 0
            index = self.model.index_of(selection.module) if known else self.index_of(selection.path)
            self.tree.setCurrentIndex(index)
            if index.isValid():
                self.tree.scrollTo(index)
            rows = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
            for number in selection.modules:  # of a stack
                self.tree.selectionModel().select(self.model.index_of(number), rows)
        else:
            self.tree.setCurrentIndex(QModelIndex())
            self.tree.clearSelection()
        self._showing = False

    # -- the person
    def _chosen(self, index: QModelIndex) -> None:
        if not self._showing and index.isValid():
            self.hub.change(self, selection=self._selection(index))

    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.open_requested.emit(self._selection(index))

    def _selection(self, index: QModelIndex) -> Selection:
        branch = self.model.branch(index)
        if branch is None:
            return Selection()
        return Selection("group", path=branch.module.path, module=branch.module.id)

    def _filter(self, text: str) -> None:
        self._showing = True  # what goes isn't a person's choice
        self.model.filter(text)
        self._showing = False
        self._tell()
        if text and self.model.count() <= MOST_OPENED:
            self.tree.expandAll()
        self._follow(self.hub.view.selection)
