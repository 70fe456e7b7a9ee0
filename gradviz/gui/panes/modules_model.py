"""The module tree for Qt: name, parameter count, gradient."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gradviz.document.module_tree import Branch, ModuleTree
from gradviz.document.sample_values import number_text
from gradviz.scene.words import count_text

NAME, PARAMETERS, GRADIENT = range(3)
BRANCH_ROLE = Qt.ItemDataRole.UserRole
FILTER_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex


class ModulesModel(QAbstractItemModel):
    """Internal ids are module ids."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree: ModuleTree | None = None

    def show(self, tree: ModuleTree | None) -> None:
        self.beginResetModel()
        self.tree = tree
        self.endResetModel()

    def branch(self, index: Index) -> Branch | None:
        return self.tree[index.internalId()] if self.tree is not None and index.isValid() else None

    def index_of(self, number: int) -> QModelIndex:
        if self.tree is None or not 0 <= number < len(self.tree):
            return QModelIndex()
        return self.createIndex(self.tree.row(number), 0, number)

    def _children(self, parent: Index | None) -> tuple[int, ...]:
        if self.tree is None:
            return ()
        if parent is None or not parent.isValid():
            return self.tree.roots
        return self.tree[parent.internalId()].children if parent.column() == 0 else ()

    # -- Qt
    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        children = self._children(parent)
        inside = 0 <= row < len(children) and 0 <= column < 3
        return self.createIndex(row, column, children[row]) if inside else QModelIndex()

    def parent(self, child: Index | None = None) -> Any:  # QObject.parent() shares the name
        if child is None:
            return super().parent()
        if self.tree is None or not child.isValid():
            return QModelIndex()
        above = self.tree.parent(child.internalId())
        return QModelIndex() if above is None else self.index_of(above)

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._children(parent))

    def columnCount(self, parent: Index | None = None) -> int:
        return 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Module"), self.tr("Params"), self.tr("Gradient"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        branch = self.branch(index)
        if branch is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (branch.name, count_text(branch.module.parameters), "")[index.column()]
        if role == BRANCH_ROLE:
            return branch
        if role == FILTER_ROLE:
            return f"{branch.module.path} {branch.module.class_name}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tool_tip(branch)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{branch.name} {branch.module.class_name} {self.norm_words(branch)}".strip()
        return None

    def tool_tip(self, branch: Branch) -> str:
        module = branch.module
        parameters = self.tr("{count} parameters").format(count=f"{module.parameters:,}")
        lines = [f"{module.path or branch.name}  {module.class_name}", parameters, self.norm_words(branch)]
        if branch.missing:
            lines.append(self.tr("{count} tensors without a gradient").format(count=branch.missing))
        return "\n".join(filter(None, lines))

    def norm_words(self, branch: Branch) -> str:
        if branch.norm is None:
            return ""
        if branch.norm < 0:
            return self.tr("no gradient")
        return self.tr("gradient norm {norm}").format(norm=number_text(branch.norm))
