"""The palette's rows for Qt's list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gradviz.gui.palette.rows import Row

ROW_ROLE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex


class PaletteModel(QAbstractListModel):
    """`show` replaces all of them."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []

    def show(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def next_row(self, at: int, by: int) -> int:
        """The next row that can be chosen, round the end; -1 where none can."""
        count = len(self.rows)
        for _ in range(count):
            at = (at + by) % count
            if self.rows[at].can_be_chosen:
                return at
        return -1

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(part for part in (row.text, row.detail, row.right) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.detail or row.text
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not self.rows[index.row()].can_be_chosen:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
