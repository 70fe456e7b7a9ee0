"""Less motion where the system asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gradviz.gui.motion import Motion, files_ask_for_less
from gradviz.gui.theme import Theme


@pytest.mark.parametrize(
    ("name", "text", "less"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=1\n", False),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-3.0/settings.ini", "no section\n", False),
        ("other", "", False),
    ],
)
def test_settings_of_the_desktop(tmp_path: Path, name: str, text: str, less: bool) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert files_ask_for_less(tmp_path) is less


@pytest.mark.parametrize(("answer", "less"), [("false", True), ("true", False), ("", False)])
def test_gnome_is_asked(tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, answer: str, less: bool) -> None:
    # GIVEN a desktop whose tool answers
    tool = tmp_path / "gsettings"
    tool.write_text(f"#!/bin/sh\necho {answer}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    owner = QObject()
    motion = Motion(owner)
    # WHEN it is asked
    motion.ask_desktop({"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"})
    qtbot.waitUntil(lambda: motion._asked is None, timeout=10_000)
    # THEN
    assert motion.reduced() is less


def test_turned_off_by_the_person(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    theme = Theme("light")
    assert theme.moves
    theme.smooth = False
    assert not theme.moves
