"""Setting up: done once, mended when half done, and each thing that can go wrong has one clear line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
import setup_env
import system_packages


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder of its own, on a machine that lacks no system package; installing is a fake that works."""
    for name in ("pyproject.toml", "setup.py", "constraints.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    monkeypatch.setattr(setup_env, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(setup_env, "STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(setup_env, "CONSTRAINTS", tmp_path / "constraints.txt")
    monkeypatch.setattr(system_packages, "missing_for_the_window", list)
    monkeypatch.setattr(system_packages, "can_install", lambda: False)
    monkeypatch.setattr(setup_env, "_interpreter_works", lambda: setup_env.venv_python().exists())
    monkeypatch.setattr(setup_env, "_create_venv", lambda base: _touch(setup_env.venv_python()))
    monkeypatch.setattr(setup_env, "_install_packages", lambda: _touch(setup_env.venv_command("gradviz")))
    return tmp_path


def _touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def test_it_is_done_once(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert setup_env.prepare() == setup_env.venv_python()
    assert "Setting up" in capsys.readouterr().out
    monkeypatch.setattr(setup_env, "_install_packages", lambda: pytest.fail("installed again"))

    setup_env.prepare()

    assert capsys.readouterr().out == ""


def test_changed_requirements_are_installed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    setup_env.prepare()
    (project / "constraints.txt").write_text("other", encoding="utf-8")
    capsys.readouterr()

    setup_env.prepare()

    assert "Setting up" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["stamp.json", "gradviz", "python"])
def test_a_half_built_venv_is_completed(project: Path, lost: str) -> None:
    setup_env.prepare()
    paths = {"stamp.json": setup_env.STAMP, "gradviz": setup_env.venv_command("gradviz")}
    paths["python"] = setup_env.venv_python()
    paths[lost].unlink()

    setup_env.prepare()

    assert all(path.exists() for path in paths.values())


def test_a_failed_installation_leaves_no_stamp(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise setup_env.SetupError("pip failed")

    monkeypatch.setattr(setup_env, "_install_packages", fail)

    with pytest.raises(setup_env.SetupError):
        setup_env.prepare()
    assert not setup_env.STAMP.exists()


def test_a_damaged_stamp_counts_as_none(project: Path) -> None:
    setup_env.prepare()
    setup_env.STAMP.write_text("{", encoding="utf-8")

    setup_env.prepare()

    assert json.loads(setup_env.STAMP.read_text(encoding="utf-8"))["folder"] == str(setup_env.VENV)


def test_an_old_python_looks_for_a_newer_one(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(shutil, "which", lambda name: "/there/python3.12" if name == "python3.12" else None)

    assert setup_env._base_interpreter() == "/there/python3.12"


def test_an_old_python_alone_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(shutil, "which", lambda name: None)

    with pytest.raises(setup_env.SetupError, match=r"needs Python 3\.10 or newer"):
        setup_env.prepare()


def test_too_little_room_is_told_before_anything_is_made(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1, 1, 5 << 20))

    with pytest.raises(setup_env.SetupError, match=r"Too little disk space.*5 MiB free"):
        setup_env.prepare()
    assert not setup_env.VENV.exists()


def test_a_missing_venv_module_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "The virtual environment was not created successfully because ensurepip is not available."
    failed = subprocess.CompletedProcess[str]([], 1, said, "")
    monkeypatch.setattr(setup_env, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(setup_env, "_run_venv", lambda base: failed)
    monkeypatch.setattr(system_packages, "can_install", lambda: False)

    with pytest.raises(setup_env.SetupError, match="apt-get install python3-venv"):
        setup_env._create_venv("python3")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("OSError: [Errno 28] No space left on device", "out of disk space"),
        (
            "WARNING: Retrying after NewConnectionError(...)\nERROR: No matching distribution",
            "cannot reach the package",
        ),
        ("  ERROR: Could not find a version (from versions: none)\n  ERROR: No torch\n  [end]", "index (No torch)"),
        ("x\nERROR: No matching distribution found for torch==2.13.0", "No matching distribution found for torch"),
        ("a wall\nof words", "a wall of words"),
    ],
)
def test_pip_gets_one_line(said: str, told: str) -> None:
    reason = setup_env._pip_reason(said)

    assert told in reason
    assert "\n" not in reason


def test_missing_system_packages_are_named_where_they_cannot_be_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system_packages, "can_install", lambda: False)

    system_packages.provide(["libegl1", "libgl1"], "the window (Qt)")

    assert capsys.readouterr().out.count("\n") == 1


def test_a_library_that_is_not_there_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system_packages, "QT_LIBRARIES", {"libnowhere-to-be-found.so.9": "libnowhere9"})
    monkeypatch.setattr(system_packages, "FONT_FOLDERS", ())

    assert system_packages.missing_for_the_window() == ["libnowhere9", system_packages.FONT_PACKAGE]
