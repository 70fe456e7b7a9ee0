"""The folders where the app keeps things: settings, and recordings that nobody saved yet. Overridable for tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CONFIG_VARIABLE = "GRADVIZ_CONFIG_HOME"
DATA_VARIABLE = "GRADVIZ_DATA_HOME"


def config_folder() -> Path:
    """Where settings lie; not necessarily there yet."""
    return _folder(CONFIG_VARIABLE, "APPDATA", "Library/Application Support", "XDG_CONFIG_HOME", ".config")


def data_folder() -> Path:
    """Where unsaved recordings lie; not necessarily there yet."""
    return _folder(DATA_VARIABLE, "LOCALAPPDATA", "Library/Application Support", "XDG_DATA_HOME", ".local/share")


def _folder(override: str, windows: str, mac: str, xdg: str, plain: str) -> Path:
    if os.environ.get(override):
        return Path(os.environ[override])
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get(windows) or home)
    elif sys.platform == "darwin":
        base = home / mac
    else:
        given = os.environ.get(xdg, "")
        base = Path(given) if given.startswith("/") else home / plain  # the XDG rule: a relative one is ignored
    return base / "gradviz"
