"""run.py without a display: report and picture, and a status that says whether both came out as they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import run
import setup_env


@pytest.mark.parametrize(
    ("platform", "variables", "display"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_display_is_looked_for_on_linux_only(
    platform: str, variables: dict[str, str], display: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert run.has_display() == display


@pytest.mark.parametrize(
    ("check_ends", "export_ends", "draws", "expected", "status"),
    [
        (1, 0, True, 1, 0),  # the example's mistake is found
        (0, 0, True, 1, 1),  # and has to be
        (0, 0, True, None, 0),  # any file: healthy
        (1, 0, True, None, 0),  # or with findings
        (2, 0, True, None, 1),  # but not one that can't be started
        (1, 2, False, 1, 1),  # no picture
    ],
)
def test_headless_status(
    check_ends: int, export_ends: int, draws: bool, expected: int | None, status: int,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fake_run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        if command[1] == "check":
            return subprocess.CompletedProcess(command, check_ends)
        if draws:
            Path(command[-1]).write_bytes(b"png")
        return subprocess.CompletedProcess(command, export_ends, stderr="")

    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    monkeypatch.setattr(subprocess, "run", fake_run)

    assert run.run_headless(tmp_path / "a.py", expected) == status
