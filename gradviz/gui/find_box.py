"""The results of the search field, in a list below it: arrows move, Enter goes there, Esc closes."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from gradviz.document.diagnosing import Post
from gradviz.document.find import Hit, Index
from gradviz.document.hub import Hub, Selection, View
from gradviz.errors import TraceError

WIDTH, ROWS, ROW = 420, 12, 24


class FindBox(QListWidget):
    """Lists what matches in the pass that is shown."""

    searched = Signal(str, int)  # the query and how many were found
    chosen = Signal(int)  # the node to look at

    def __init__(self, hub: Hub, field: QLineEdit, post: Post, parent: QWidget) -> None:
        super().__init__(parent)
        self._hub, self._field, self._post = hub, field, post
        self._index: Index | None = None
        self._wanted: tuple[Path, int, object] | None = None
        self.setObjectName("find_results")  # the style sheet goes by it
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setAccessibleName(self.tr("Matches"))
        self.hide()
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(60)
        self._delay.timeout.connect(self.search)
        field.textEdited.connect(lambda _: self._delay.start())
        field.installEventFilter(self)
        self.itemClicked.connect(self._go)
        hub.listen("pass", self, self._pass_changed)

    def _pass_changed(self, view: View) -> None:
        self._index, self._wanted = None, None
        if self.isVisible():
            self.search()

    def search(self) -> None:
        """Look for what stands in the field; the index of a pass is built once, in a thread."""
        query = self._field.text().strip()
        view = self._hub.view
        if not query or view.trace is None or view.pass_id is None:
            self.hide()
            return
        if self._index is None:
            self._build(view.trace.path, view.pass_id)
            return
        self._show(query, self._index.search(query))

    def _build(self, path: Path, pass_id: int) -> None:
        wanted = (path, pass_id, self._hub.view.trace)
        if self._wanted == wanted:
            return
        self._wanted = wanted

        def deliver(index: Index | None) -> None:
            if self._wanted == wanted:
                self._index = index if index is not None else Index(pass_id, [])
                self.search()

        def work() -> None:
            try:
                index = Index.build(path, pass_id)
            except TraceError:
                index = None
            self._post(lambda: deliver(index))

        threading.Thread(target=work, name="find-index", daemon=True).start()

    def _show(self, query: str, hits: tuple[Hit, ...]) -> None:
        self.clear()
        for hit in hits:
            item = QListWidgetItem(f"{hit.title}    {hit.detail}", self)
            item.setData(Qt.ItemDataRole.UserRole, hit)
        if not hits:
            item = QListWidgetItem(self.tr("Nothing found for “{query}”.").format(query=query), self)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.setCurrentRow(0)
        below = self._field.mapTo(self.window(), QPoint(self._field.width() - WIDTH, self._field.height() + 2))
        self.setGeometry(max(0, below.x()), below.y(), WIDTH, min(ROWS, max(1, self.count())) * ROW + 8)
        self.show()
        self.raise_()
        self.searched.emit(query, len(hits))

    def _go(self, item: QListWidgetItem | None) -> None:
        hit = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if not isinstance(hit, Hit):
            return
        self.hide()
        fields: dict[str, object] = {"selection": Selection("node", node=hit.node)}
        self._hub.change(self, **fields)
        self.chosen.emit(hit.node)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(Qt.Key(event.key()))
        if event.type() == QEvent.Type.FocusOut:
            QTimer.singleShot(150, self, self._hide_unless_used)
        return False

    def _hide_unless_used(self) -> None:
        if not self._field.hasFocus():
            self.hide()

    def _key(self, key: Qt.Key) -> bool:
        """Keys of the field that belong to the list; True if taken."""
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self.isVisible():
            by = 1 if key == Qt.Key.Key_Down else -1
            self.setCurrentRow((self.currentRow() + by) % max(1, self.count()))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self.isVisible():
                self.search()
            else:
                self._go(self.currentItem())
            return True
        if key == Qt.Key.Key_Escape:
            self.hide()
            self._field.clear()
            parent = self.parentWidget()
            if parent is not None:
                parent.setFocus()
            return True
        return False
