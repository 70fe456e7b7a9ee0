"""Draws the few icons that a style sheet takes from files: `python scripts/make_icons.py`, after tokens changed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QGuiApplication

from gradviz.draw.icons import icon_pixmap
from gradviz.draw.tokens import DARK, LIGHT

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "icons"


def main() -> int:
    application = QGuiApplication(sys.argv[:1])
    FOLDER.mkdir(parents=True, exist_ok=True)
    for tokens in (LIGHT, DARK):
        for ratio, mark in ((1, ""), (2, "@2x")):
            pixmap = icon_pixmap("chevron_down", tokens, 12, ratio, "text2")
            pixmap.save(str(FOLDER / f"chevron_down_{tokens.name}{mark}.png"))
    application.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
