"""The editor's command: which is the usual one, what is wrong with one that was typed, what is started."""

from __future__ import annotations

import pytest

from gradviz.document.editor import KNOWN, fault_of, started_as, usual_command, words_of


def test_the_first_editor_that_is_installed() -> None:
    there = {"kate": "/usr/bin/kate", "gvim": "/usr/bin/gvim"}
    assert usual_command(there.get) == "kate -l {line} {file}"
    assert usual_command(lambda name: None) == ""


@pytest.mark.parametrize("command", KNOWN)
def test_every_known_command_names_file_and_line(command: str) -> None:
    assert fault_of(command) == "" and "{line}" in command


@pytest.mark.parametrize(
    ("command", "fault"),
    [("", ""), ("code {file}", ""), ("code", "file"), ("{file}", "file"), ('code "{file}', "quotes")],
)
def test_what_is_wrong_with_a_command(command: str, fault: str) -> None:
    assert fault_of(command) == fault


def test_a_path_with_spaces_stays_one_word() -> None:
    started = started_as("no-such-editor -g {file}:{line} --reuse", "/home/me/my scripts/中文.py", 12)
    assert started == ["no-such-editor", "-g", "/home/me/my scripts/中文.py:12", "--reuse"]


def test_a_windows_path_keeps_its_backslashes() -> None:
    command = r'"C:\Program Files\Editor\editor.exe" -n{line} "{file}"'
    assert words_of(command, windows=True) == [r"C:\Program Files\Editor\editor.exe", "-n{line}", "{file}"]
