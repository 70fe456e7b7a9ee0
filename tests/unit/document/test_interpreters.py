"""Finding interpreters and asking them what they are; what can't run a script says why."""

from __future__ import annotations

import os
import stat
import sys
import venv
from pathlib import Path

import pytest

from gradviz.document.interpreters import candidates, chosen_interpreter, probe
from gradviz.errors import NotStartedError

posix = pytest.mark.skipif(os.name == "nt", reason="not on this platform: scripts that can be executed")


def answering(path: Path, text: str) -> str:
    """A program that answers every question with `text`."""
    path.write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_apps_own_is_the_usual_choice(tmp_path: Path) -> None:
    assert chosen_interpreter("", tmp_path) == sys.executable
    assert candidates(None, {})[0] == (sys.executable, "own")


def test_an_environment_beside_the_script_is_offered(tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=os.name != "nt")

    found = dict(candidates(tmp_path / "script.py", {}))

    [path] = [path for path, origin in found.items() if origin == "beside"]
    assert Path(path).is_relative_to(tmp_path / ".venv")  # the link itself: following it leaves the environment
    assert probe(path).version == ".".join(map(str, sys.version_info[:3]))
    assert probe(path).frameworks == ()


@pytest.mark.parametrize(("variable", "origin"), [("VIRTUAL_ENV", "venv"), ("CONDA_PREFIX", "conda")])
def test_the_active_environment_is_offered(variable: str, origin: str, tmp_path: Path) -> None:
    python = tmp_path / ("python.exe" if os.name == "nt" else "bin/python")
    python.parent.mkdir(exist_ok=True)
    python.touch()

    assert (str(python), origin) in candidates(None, {variable: str(tmp_path)})


def test_a_folder_stands_for_the_python_in_it(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=os.name != "nt")

    assert Path(chosen_interpreter("env", tmp_path)).is_relative_to(tmp_path / "env")


@posix
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            '{"version": [3, 8, 18], "sqlite": true, "frameworks": []}',
            "is Python 3.8.18; gradviz records scripts under",
        ),
        ('{"version": [3, 11, 2], "sqlite": false, "frameworks": []}', "without the module _sqlite3"),
        ("Python 2.7", "doesn't answer as a Python 3 would"),
        ("", "doesn't answer as a Python 3 would"),
    ],
)
def test_one_that_cannot_record_says_why(answer: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(NotStartedError) as caught:
        probe(answering(tmp_path / "python", answer))

    assert words in str(caught.value)


@pytest.mark.parametrize(("wish", "words"), [("nowhere/python", "no interpreter"), (".", "without a Python in it")])
def test_one_that_is_not_there_says_so(wish: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(NotStartedError, match=words):
        chosen_interpreter(wish, tmp_path)


@posix
def test_what_it_can_import_is_told(tmp_path: Path) -> None:
    python = answering(tmp_path / "python", '{"version": [3, 12, 1], "sqlite": true, "frameworks": ["torch"]}')

    found = probe(python, "conda")

    assert (found.version, found.frameworks, found.origin) == ("3.12.1", ("torch",), "conda")
