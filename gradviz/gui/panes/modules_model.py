"""The module tree for Qt, sorted and filtered: name, shapes, parameters, gradient, and what is odd about it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gradviz.document.module_order import SORTS, Arrangement, arranged
from gradviz.document.module_tree import Branch, ModuleTree
from gradviz.gui.panes.modules_words import figure, filter_words, spoken, state, tool_tip
from gradviz.scene.words import count_text

NAME, SHAPES, PARAMETERS, OWN, GRADIENT, STATE = COLUMNS = range(6)
BRANCH_ROLE = Qt.ItemDataRole.UserRole
HIGHEST_ROLE = Qt.ItemDataRole.UserRole + 1  # norm at the end of the bars
NUMERIC = (PARAMETERS, OWN, GRADIENT)
Index = QModelIndex | QPersistentModelIndex
NOTHING = Arrangement({}, {})


class ModulesModel(QAbstractItemModel):
    """Internal ids are module ids. It sorts and filters itself: a proxy would ask for each row of thousands."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree: ModuleTree | None = None
        self._shown = NOTHING
        self._highest = 10.0
        self._sort, self._falling, self._needle = -1, False, ""

    def show(self, tree: ModuleTree | None) -> None:
        self.beginResetModel()
        self.tree = tree
        self._highest = tree.highest() if tree is not None else 10.0
        self._shown = self._arranged()
        self.endResetModel()

    def filter(self, needle: str) -> None:
        self._needle = needle
        self._rearrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Within each module; column −1: as the model holds its parts."""
        if (column, order == Qt.SortOrder.DescendingOrder) != (self._sort, self._falling):
            self._sort, self._falling = column, order == Qt.SortOrder.DescendingOrder
            self._rearrange()

    def count(self) -> int:
        """How many modules the filter leaves."""
        return len(self._shown.row)

    def _arranged(self) -> Arrangement:
        if self.tree is None:
            return NOTHING
        sort = SORTS[self._sort] if self._sort >= 0 else ""
        return arranged(self.tree, sort, self._falling, self._needle, filter_words())

    def _rearrange(self) -> None:
        """Other places for the same modules: what is opened and selected stays so."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        self._shown = self._arranged()
        after = [self.index_of(index.internalId(), index.column()) for index in before]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def branch(self, index: Index) -> Branch | None:
        return self.tree[index.internalId()] if self.tree is not None and index.isValid() else None

    def index_of(self, number: int, column: int = 0) -> QModelIndex:
        row = self._shown.row.get(number)
        return QModelIndex() if row is None else self.createIndex(row, column, number)

    def _under(self, parent: Index | None) -> tuple[int, ...]:
        if parent is None or not parent.isValid():
            return self._shown.under.get(-1, ())
        return self._shown.under.get(parent.internalId(), ()) if parent.column() == 0 else ()

    # -- Qt
    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        children = self._under(parent)
        inside = 0 <= row < len(children) and 0 <= column < len(COLUMNS)
        return self.createIndex(row, column, children[row]) if inside else QModelIndex()

    def parent(self, child: Index | None = None) -> Any:  # QObject.parent() shares the name
        if child is None:
            return super().parent()
        if self.tree is None or not child.isValid():
            return QModelIndex()
        return self.index_of(int(self.tree.forest.parent[child.internalId()]))

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._under(parent))

    def hasChildren(self, parent: Index | None = None) -> bool:
        return bool(self._under(parent))

    def columnCount(self, parent: Index | None = None) -> int:
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.header_words(section)[0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.header_words(section)[1]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in NUMERIC:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def header_words(self, section: int) -> tuple[str, str]:
        """The column's name, and what it holds."""
        return (
            (self.tr("Module"), self.tr("The module's place in the model, and its class")),
            (self.tr("Shapes"), self.tr("What its first call in this pass took, and what it returned")),
            (self.tr("Params"), self.tr("Parameters in it, with all modules inside")),
            (self.tr("Own"), self.tr("Parameters of its own, without those of modules inside")),
            (self.tr("Gradient"), self.tr("Norm of all its parameters' gradients in this pass; bars on a log scale")),
            (self.tr("State"), self.tr("Gradients that are missing, zero or not finite, and frozen parameters")),
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        branch = self.branch(index)
        if branch is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(branch, index.column())
        if role == BRANCH_ROLE:
            return branch
        if role == HIGHEST_ROLE:
            return self._highest
        if role == Qt.ItemDataRole.ToolTipRole:
            return tool_tip(branch)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(branch) if index.column() == NAME else self._text(branch, index.column())
        return None

    def _text(self, branch: Branch, column: int) -> str:
        if column == NAME:
            return branch.name
        if column == SHAPES:
            return branch.shapes
        if column == PARAMETERS:
            return count_text(branch.module.parameters) if branch.module.parameters else ""
        if column == OWN:
            return count_text(branch.own) if branch.own else ""
        return figure(branch) if column == GRADIENT else state(branch)
