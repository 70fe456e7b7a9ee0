"""QColors of tokens, made once: parsing "#RRGGBB" ten thousand times a frame would be felt."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

from gradviz.draw.tokens import Tokens


@lru_cache(maxsize=512)
def qcolor(tokens: Tokens, token: str) -> QColor:
    """The colour of a token; don't change what you get."""
    return QColor(tokens.color(token))
