"""Shows a file with whatever program the desktop has for it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_outside(path: Path) -> None:
    """False from the desktop means that it has no program for it; nothing more can be done."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
