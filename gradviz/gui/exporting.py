"""Writes the canvas's picture in a thread; one that takes long is told with counts, and can be given up."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.draw.picture import Picture
from gradviz.errors import ExportCancelledError, ExportError
from gradviz.export.picture_file import Drawing, write_picture
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.outside import open_outside
from gradviz.gui.post import Post
from gradviz.scene.model import States

if TYPE_CHECKING:
    from gradviz.gui.strips import Strips

PATIENCE_MS = 500  # an export that takes longer is told
LOOK_MS = 100  # between two looks at how far it is
KEY = "export"  # of its strip


class Exporting(QObject):
    """One export at a time. `busy` is read by whoever offers to begin another."""

    ended = Signal()

    def __init__(self, canvas: Canvas, strips: Strips, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas, self._strips = canvas, strips
        self._post = Post(self)
        self._path = Path()
        self._thread: threading.Thread | None = None
        self._given_up = threading.Event()
        self._progress = (0, 0)
        self._watch = QTimer(self)
        self._watch.timeout.connect(self._look)
        self.destroyed.connect(self._given_up.set)

    @property
    def busy(self) -> bool:
        return self._thread is not None

    def start(self, path: Path, drawing: Drawing) -> None:
        """With a picture of its own, so that painting goes on."""
        loaded, states, shown = self._canvas.loaded, self._canvas.view.states, self._canvas.view.picture
        if self.busy or loaded is None or states is None:
            return
        picture = Picture(
            loaded.scene, loaded.build.texts, shown.shapes if shown is not None else True, loaded.order.wording
        )
        picture.finding = self._canvas.hub.view.finding
        self._path, self._progress = path, (0, 0)
        self._given_up.clear()
        self._thread = threading.Thread(
            target=self._work, args=(picture, states, path, drawing), name="export", daemon=True
        )
        self._thread.start()
        self._watch.start(PATIENCE_MS)

    def give_up(self) -> None:
        """It ends at its next look, and nothing is written."""
        self._given_up.set()

    # -- in the thread

    def _work(self, picture: Picture, states: States, path: Path, drawing: Drawing) -> None:
        kind, words = "error", ""
        try:
            kind, words = "note", write_picture(picture, states, path, drawing, self._tell)
        except ExportCancelledError:
            kind = "cancelled"
        except ExportError as error:
            words = str(error)
        finally:
            self._post(lambda: self._ended(kind, words))

    def _tell(self, done: int, total: int) -> None:
        self._progress = (done, total)
        if self._given_up.is_set():
            raise ExportCancelledError("The export was given up.")

    # -- on the window's thread

    def _look(self) -> None:
        """The strip is made once; then only its words change."""
        done, total = self._progress
        if done < total:
            words = self.tr("Exporting {name}: {done} of {total} boxes and edges…")
        else:
            words = self.tr("Exporting {name}: writing the file…")
        text = words.format(name=self._path.name, done=f"{done:,}", total=f"{total:,}")
        if self._watch.interval() != LOOK_MS:
            self._watch.setInterval(LOOK_MS)
            self._strips.tell(KEY, "note", text, self.tr("Cancel"), self.give_up)
        elif (strip := self._strips.standing().get(KEY)) is not None:  # else a person has closed it
            strip.label.setText(text)

    def _ended(self, kind: str, words: str) -> None:
        self._watch.stop()
        self._thread = None
        path = self._path
        if kind == "cancelled":
            self._strips.take_back(KEY)
        elif kind == "error":
            self._strips.tell(KEY, "error", words or self.tr("The export failed."))
        else:
            done = " ".join(part for part in (self.tr("Exported to {path}.").format(path=path), words) if part)
            self._strips.tell(KEY, "note", done, self.tr("Open"), lambda: open_outside(path))
        self.ended.emit()
