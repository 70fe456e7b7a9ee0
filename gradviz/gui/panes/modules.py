"""Modules: the nn.Module tree with parameters and gradients; a click selects the group."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTreeView, QVBoxLayout, QWidget

from gradviz.document.hub import Hub, Selection, View
from gradviz.document.module_tree import ModuleTree
from gradviz.document.pass_facts import PassFacts
from gradviz.draw.tokens import LIST_INSET
from gradviz.gui.panes.modules_model import FILTER_ROLE, GRADIENT, NAME, PARAMETERS, ModulesModel
from gradviz.gui.panes.modules_rows import ModulesRows
from gradviz.gui.panes.note_line import NoteLine
from gradviz.gui.panes.pane import Pane
from gradviz.gui.theme import Theme

WIDTHS = {PARAMETERS: 62, GRADIENT: 78}
OPEN_DEPTH = 1


class ModulesPane(Pane):
    """A tree with a filter above it."""

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._showing = False
        self._shown: tuple[object, ...] = ()
        self.model = ModulesModel(self)
        self.proxy = QSortFilterProxyModel(self)
        self.proxy.setSourceModel(self.model)
        self.proxy.setFilterRole(FILTER_ROLE)
        self.proxy.setRecursiveFilteringEnabled(True)
        self.proxy.setAutoAcceptChildRows(True)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Filter modules"))
        self.filter.setAccessibleName(self.tr("Filter modules"))
        self.filter.setClearButtonEnabled(True)
        lens = self.filter.addAction(theme.icon("search", "text2"), QLineEdit.ActionPosition.LeadingPosition)
        theme.changed.connect(lambda: lens.setIcon(theme.icon("search", "text2")))
        self.filter.textChanged.connect(self._filter)
        self.tree = QTreeView(self)
        self.tree.setModel(self.proxy)
        self.tree.setItemDelegate(ModulesRows(theme, self.tree))
        self._dress_tree()
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

    def _dress_tree(self) -> None:
        tree = self.tree
        tree.setAccessibleName(self.tr("Modules"))
        tree.setObjectName("modules")  # the style sheet goes by it
        tree.setUniformRowHeights(True)
        tree.setIndentation(13)
        tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        tree.setAllColumnsShowFocus(True)
        tree.setExpandsOnDoubleClick(True)
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)

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
        self.note.say(sentence)

    def _show_modules(self, view: View) -> None:
        opened = self._opened()
        if view.trace is None:
            self.model.show(None)
            self.note.say("")
            return
        facts = PassFacts(view.trace, view.pass_id) if view.pass_id is not None else None
        shown = (view.trace.modules(), view.trace.leaves(), view.findings, view.pass_id)
        if shown == self._shown and self.model.tree is not None:
            return  # a recording that grows elsewhere
        self._shown = shown
        tree = ModuleTree(view.trace, view.findings, facts)
        first = self.model.tree is None or not len(self.model.tree)
        self.model.show(tree)
        self.note.say("" if len(tree) else self.tr("This script called no nn.Module."))
        if first:
            self.tree.expandToDepth(OPEN_DEPTH - 1 if len(tree) > 12 else OPEN_DEPTH)
        for path in opened:
            self.tree.expand(self._index(path))
        self._follow(view.selection)

    def _opened(self) -> list[str]:
        """Paths of what is expanded, to be expanded again in another recording of the script."""
        tree = self.model.tree
        if tree is None:
            return []
        paths = [tree[number].module.path for number in range(min(len(tree), 5000))]
        return [path for path in paths if self.tree.isExpanded(self._index(path))]

    def _index(self, path: str) -> QModelIndex:
        number = self.model.tree.number_of(path) if self.model.tree is not None else -1
        return self.proxy.mapFromSource(self.model.index_of(number))

    def _follow(self, selection: Selection) -> None:
        self._showing = True
        if selection.kind == "group":
            index = self._index(selection.path)
            self.tree.setCurrentIndex(index)
            if index.isValid():
                self.tree.scrollTo(index)
        else:
            self.tree.setCurrentIndex(QModelIndex())
            self.tree.clearSelection()
        self._showing = False

    # -- the person
    def _chosen(self, index: QModelIndex) -> None:
        branch = self.model.branch(self.proxy.mapToSource(index)) if index.isValid() else None
        if not self._showing and branch is not None:
            self.hub.change(self, selection=Selection("group", path=branch.module.path))

    def _filter(self, text: str) -> None:
        self.proxy.setFilterFixedString(text)
        if text:
            self.tree.expandAll()
