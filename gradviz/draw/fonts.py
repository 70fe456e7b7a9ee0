"""The platform's interface font and its fixed-width font, in the sizes of the tokens."""

from __future__ import annotations

import threading
from functools import lru_cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QGuiApplication

from gradviz.draw.tokens import NODE_LINE, NODE_NAME, SHAPE, TextStyle

ROLES = {"name": NODE_NAME, "second": NODE_LINE, "shape": SHAPE}


def screen_dpi() -> float:
    """Dots per inch that point sizes are counted in: 96 nearly everywhere, 72 on macOS. Pictures use the same."""
    screen = QGuiApplication.primaryScreen()
    return screen.logicalDotsPerInchY() if screen is not None else 96.0


@lru_cache(maxsize=1)
def _families() -> tuple[str, str]:
    """Names of the two fonts. A "Monospace" alias and the like is followed to a real family."""
    interface = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return interface, fixed


class _Cache(threading.local):
    """Fonts of one thread: a QFont that two threads measure with at once crashes."""

    def __init__(self) -> None:
        self.fonts: dict[tuple[TextStyle, int], QFont] = {}
        self.metrics: dict[tuple[TextStyle, int], QFontMetricsF] = {}


_CACHE = _Cache()


def font(style: TextStyle, weight: int = 0) -> QFont:
    """The font of a style; `weight` 0 keeps the style's own. Needs a QGuiApplication."""
    found = _CACHE.fonts.get((style, weight))
    if found is None:
        found = _CACHE.fonts[style, weight] = _new_font(style, weight)
    return found


def _new_font(style: TextStyle, weight: int) -> QFont:
    made = QFont(_families()[1 if style.mono else 0])
    if style.mono:
        made.setStyleHint(QFont.StyleHint.Monospace)
        made.setFixedPitch(True)
    made.setWeight(QFont.Weight(weight or style.weight))
    # Sizes are px at 96 dpi and some end in .5: points carry fractions, setPixelSize does not.
    made.setPointSizeF(max(style.size * 72.0 / screen_dpi(), 0.5))
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def metrics(style: TextStyle, weight: int = 0) -> QFontMetricsF:
    """Measures of a style's font."""
    found = _CACHE.metrics.get((style, weight))
    if found is None:
        found = _CACHE.metrics[style, weight] = QFontMetricsF(font(style, weight))
    return found


class Measurer:
    """Measures text for the scene builder, which knows no Qt: the width in px of a text by its role. Cached."""

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str], float] = {}

    def __call__(self, text: str, role: str) -> float:
        key = (text, role)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = metrics(ROLES[role]).horizontalAdvance(text)
        return found
