"""Which columns of Modules show: those that there is room for, and those that a person asked for in the header."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeView

from gradviz.gui.panes.modules_model import GRADIENT, NAME, OWN, PARAMETERS, SHAPES, STATE, ModulesModel

WIDTHS = {SHAPES: 190, PARAMETERS: 56, OWN: 56, GRADIENT: 108, STATE: 150}
ROOM = {SHAPES: 520, STATE: 700, OWN: 760}  # px of the pane from which on they are shown unasked


class ModulesColumns(QObject):
    """Belongs to one tree."""

    def __init__(self, tree: QTreeView, model: ModulesModel) -> None:
        super().__init__(tree)
        self._tree, self._model = tree, model
        self._asked: dict[int, bool] = {}  # by the person
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSortIndicatorClearable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_menu)
        tree.installEventFilter(self)
        self.dress()

    def dress(self) -> None:
        header = self._tree.header()
        header.setMinimumSectionSize(40)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)
        self.fit()

    def fit(self) -> None:
        """Show what fits the present width."""
        for column, room in ROOM.items():
            shown = self._asked.get(column, self._tree.width() >= room)
            self._tree.setColumnHidden(column, not shown)

    def ask(self, column: int, shown: bool) -> None:
        """A person wants it, or not."""
        self._asked[column] = shown
        self.fit()

    def menu(self) -> QMenu:
        """One entry for each column that may go."""
        menu = QMenu(self._tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, True)
        for column in ROOM:
            action = menu.addAction(self._model.header_words(column)[0])
            action.setToolTip(self._model.header_words(column)[1])
            action.setCheckable(True)
            action.setChecked(not self._tree.isColumnHidden(column))
            action.toggled.connect(lambda on, column=column: self.ask(column, on))
        menu.setToolTipsVisible(True)
        return menu

    def _show_menu(self, at: QPoint) -> None:
        self.menu().popup(self._tree.header().mapToGlobal(at))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return False
