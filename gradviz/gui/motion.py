"""Whether the system asks for less motion. Qt tells from 6.12 on; before that the desktop's own settings do."""

from __future__ import annotations

import configparser
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

GNOME_LIKE = ("GNOME", "Unity", "Cinnamon", "Budgie", "Pantheon")
GNOME_SETTING = ("get", "org.gnome.desktop.interface", "enable-animations")
FILES = (  # below the person's config folder: file, section, key, the values that ask for less
    ("kdeglobals", "KDE", "AnimationDurationFactor", ("0", "0.0")),
    ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations", ("0", "false")),
    ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations", ("0", "false")),
)


class Motion(QObject):
    """Asked at each glide; what had to be read is remembered."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._told: bool | None = None  # what the desktop's settings say
        self._asked: QProcess | None = None

    def reduced(self) -> bool:
        preference: Callable[[], object] | None = getattr(
            QGuiApplication.styleHints().accessibility(), "motionPreference", None
        )
        if preference is not None:
            return "reduced" in str(preference()).lower()
        if sys.platform == "win32":
            return not QApplication.isEffectEnabled(Qt.UIEffect.UI_General)
        if self._told is None:
            self._told = files_ask_for_less(config_home(os.environ))
        return self._told

    def ask_desktop(self, environment: Mapping[str, str]) -> None:
        """GNOME keeps the setting where only its own tool reads it; the answer comes later."""
        desktop, tool = environment.get("XDG_CURRENT_DESKTOP", ""), shutil.which("gsettings")
        if tool is None or not any(name in desktop.split(":") for name in GNOME_LIKE):
            return
        self._asked = QProcess(self)
        self._asked.finished.connect(self._answered)
        self._asked.start(tool, GNOME_SETTING)

    def _answered(self) -> None:
        if self._asked is not None:
            answer = bytes(self._asked.readAllStandardOutput().data()).strip()
            if answer in (b"true", b"false"):
                self._told = answer == b"false"
            self._asked.deleteLater()
            self._asked = None


def config_home(environment: Mapping[str, str]) -> Path:
    stated = environment.get("XDG_CONFIG_HOME", "")
    return Path(stated) if stated else Path.home() / ".config"


def files_ask_for_less(folder: Path) -> bool:
    """What the settings of KDE and GTK say; a file that can't be read says nothing."""
    for name, section, key, values in FILES:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(folder / name, encoding="utf-8")
            if parser.get(section, key, fallback="").strip().lower() in values:
                return True
        except (configparser.Error, OSError, UnicodeDecodeError):
            continue
    return False
