"""The view glides to another place in 150 ms; a key that is held down makes it jump."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from gradviz.draw.view import View
from gradviz.gui.canvas import camera

GLIDE_MS = 150
HELD_SECONDS = 0.12  # position changes that follow each other faster come from a held key


class Glide(QObject):
    """`show` is called with each view on the way."""

    def __init__(self, show: Callable[[View], object], parent: QObject) -> None:
        super().__init__(parent)
        self._show = show
        self._asked_at = 0.0
        self._clock = QVariantAnimation(self)
        self._clock.setDuration(GLIDE_MS)
        self._clock.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.valueChanged.connect(self._on)
        self._from: View | None = None
        self._to: View | None = None

    def held(self) -> bool:
        """Whether this wish follows the last one as fast as only a held key makes them."""
        now = time.monotonic()
        held, self._asked_at = now - self._asked_at < HELD_SECONDS, now
        return held

    def go(self, start: View, end: View) -> None:
        self._clock.stop()
        self._from, self._to = start, end
        self._clock.start()

    @property
    def aim(self) -> View | None:
        """Where it leads; None while nothing glides."""
        return self._to if self._clock.state() == QVariantAnimation.State.Running else None

    def stop(self) -> None:
        self._clock.stop()

    def _on(self, part: object) -> None:
        if isinstance(part, float) and self._from is not None and self._to is not None:
            self._show(camera.between(self._from, self._to, part))
