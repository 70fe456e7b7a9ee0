"""The search palette: what is typed filters at once; arrows and Enter go there, Esc gives the keyboard back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget
from shiboken6 import isValid

from gradviz.document.diagnosing import Post
from gradviz.document.find import FEW, Found
from gradviz.document.hub import Hub, View
from gradviz.gui.palette.delegate import HEAD, HIGH, PaletteRows
from gradviz.gui.palette.model import ROW_ROLE, PaletteModel
from gradviz.gui.palette.rows import Offer, Row, listed, usual_first
from gradviz.gui.palette.searching import Searching
from gradviz.gui.theme import Theme

WIDTH, TOP, LEAST_SIDE = 660, 74, 24
HIGHEST = 440  # px of the list
TYPING_MS = 20
LEAVES, EVERYTHING = "leaf", ""


class Palette(QFrame):
    """Lies over its window. `chosen` tells the row that the person went to, and the scope it was asked for in."""

    chosen = Signal(Row, str)
    searched = Signal(str, int)  # the query and how many rows it has

    def __init__(
        self, hub: Hub, theme: Theme, post: Post, offers: Callable[[], Sequence[Offer]], window: QWidget
    ) -> None:
        super().__init__(window)
        self._hub, self._offers = hub, offers
        self._scope = EVERYTHING
        self._wide: set[str] = set()
        self._before: QWidget | None = None  # had the keyboard
        self._searching = Searching(hub, post, self._index_ready)
        self.setObjectName("palette")  # the style sheet goes by it
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation, True)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(self.tr("Find anything"))
        self.field.setClearButtonEnabled(True)
        self.field.setAcceptDrops(False)  # a dropped file is opened by the window, wherever it falls
        lens = self.field.addAction(theme.icon("search", "text2"), QLineEdit.ActionPosition.LeadingPosition)
        theme.changed.connect(lambda: lens.setIcon(theme.icon("search", "text2")))
        self.model = PaletteModel(self)
        self.list = QListView(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteRows(theme, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(self.tr("Matches"))
        self.hint = QLabel(self)
        self.hint.setProperty("role", "caption")
        self.hint.setContentsMargins(6, 0, 6, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 6)
        column.setSpacing(4)
        for widget in (self.field, self.list, self.hint):
            column.addWidget(widget)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(TYPING_MS)
        self._delay.timeout.connect(self.search)
        self.field.textChanged.connect(self._typed)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._clicked)
        window.installEventFilter(self)
        hub.listen("pass", self, self._pass_changed)
        hub.listen("trace", self, self._recording_changed)
        self._trace = hub.view.trace
        self.hide()

    # -- opening and closing

    def open(self, scope: str = EVERYTHING) -> None:
        """Show it with an empty field; while it is open, only select what stands there."""
        if self.isVisible() and scope == self._scope:
            self.field.selectAll()
            return
        focus = QApplication.focusWidget()
        if not self.isVisible():
            self._before = focus
        self._scope = scope
        self.field.clear()
        leaves = scope == LEAVES
        self.field.setPlaceholderText(
            self.tr("Path from the loss to which parameter?")
            if leaves
            else self.tr("Find a node, module, line, shape, problem or command")
        )
        self.hint.setText(
            self.tr("A part of its name   ·   Enter shows the path   ·   Esc closes")
            if leaves
            else self.tr(
                "Name or module   ·   :18 line   ·   164, [*, 10], [3, ..., 10], 3×10 shape   ·   > commands only"
            )
        )
        self.show()
        self.raise_()
        self.search()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Close, and give the keyboard back to who had it."""
        before, self._before = self._before, None
        self.hide()
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- searching

    def search(self) -> None:
        """List what fits what stands in the field."""
        self._delay.stop()
        query = self.field.text()
        index = self._searching.index()
        found: tuple[Found, ...] = ()
        if index is not None:
            found = (index.leaves(query),) if self._scope == LEAVES else index.search(query, self._wide)
        rows = self._rows(query, found)
        if index is None:
            rows.append(Row("note", self.tr("Reading the names of this pass…")))
        elif not rows:
            rows = [Row("note", self.tr("Nothing found for “{query}”.").format(query=query.strip()))]
        self.model.show(rows)
        self._select(self.model.next_row(-1, 1))
        self._place()
        self.searched.emit(query, len(rows))

    def _rows(self, query: str, found: Sequence[Found]) -> list[Row]:
        if self._scope == LEAVES:
            return listed(query, found, (), ())
        offers = self._offers()
        if not query.strip():
            offers = [offer for offer in usual_first(offers) if offer.enabled]
        return listed(query, found, self._hub.view.findings, offers, self._wide)

    def _typed(self, _text: str) -> None:
        self._wide = set()
        self._delay.start()

    def _index_ready(self) -> None:
        if self.isVisible():
            self.search()

    def _pass_changed(self, _view: View) -> None:
        if self.isVisible():
            self._delay.start()  # a recording that grows tells it again and again

    def _recording_changed(self, view: View) -> None:
        """Another recording stands there: what was searched for was in the one before."""
        if view.trace is not self._trace:
            self._trace = view.trace
            if self.isVisible():
                self.leave()

    # -- choosing

    def current(self) -> Row | None:
        row = self.list.currentIndex().data(ROW_ROLE)
        return row if isinstance(row, Row) else None

    def _select(self, at: int) -> None:
        index = self.model.index(at, 0) if at >= 0 else QModelIndex()
        self.list.setCurrentIndex(index)
        if at == self.model.next_row(-1, 1):
            self.list.scrollToTop()  # with its heading
        row = self.current()
        self.field.setAccessibleDescription(" ".join((row.text, row.detail)) if row is not None else "")

    def _clicked(self, index: QModelIndex) -> None:
        self.list.setCurrentIndex(index)
        self._go()

    def _go(self) -> None:
        row = self.current()
        if row is None or not row.can_be_chosen:
            return
        if row.kind == "more":
            at = self.list.currentIndex().row()
            self._wide.add(str(row.what))
            self.search()
            self._select(min(at, len(self.model.rows) - 1))
            return
        scope = self._scope
        self.leave()
        self.chosen.emit(row, scope)

    # -- place and keys

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        high = sum(HEAD if row.kind == "head" else HIGH for row in self.model.rows)
        room = max(120, window.height() - TOP - 120)
        self.list.setFixedHeight(min(high + 2, HIGHEST, room))
        width = min(WIDTH, window.width() - 2 * LEAST_SIDE)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((window.width() - width) // 2, TOP)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.field:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
            return False
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(Qt.Key(event.key()))
        if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
            self._keyboard_left(event.reason())
        return False

    def _keyboard_left(self, reason: Qt.FocusReason) -> None:
        """Something else was clicked; the field's own menu, or another program's window, is no reason to close."""
        if reason not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._before = None
            self.hide()

    def _key(self, key: Qt.Key) -> bool:
        """Keys of the field that belong to the list; True if taken."""
        moves = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: FEW, Qt.Key.Key_PageUp: -FEW}
        if key in moves:
            self._walk(moves[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._delay.isActive():
                self.search()
            self._go()
        elif key == Qt.Key.Key_Escape:
            self.leave()
        else:
            return False
        return True

    def _walk(self, by: int) -> None:
        at = self.list.currentIndex().row()
        for _ in range(abs(by)):
            at = self.model.next_row(at, 1 if by > 0 else -1)
        self._select(at)
