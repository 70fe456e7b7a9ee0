"""A run that has no TensorFlow says so in its last line, with the command that mends it; one that has is silent."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.left_out import left_out
from tests.source_imports import ROOT
from tests.tensorflow_python import VARIABLE

ONE = "tests/record/test_frameworks_agree.py"


@pytest.mark.parametrize(("count", "words"), [(1, "1 test of TensorFlow was"), (73, "73 tests of TensorFlow were")])
def test_the_line_says_how_many_and_what_to_do(count: int, words: str) -> None:
    line = left_out(count)

    assert line.startswith(f"LEFT OUT: {words} not run") and "\n" not in line
    assert "python3 scripts/test.py --tensorflow" in line


def test_it_is_the_last_line_of_a_run_in_several_processes() -> None:
    environment = {**os.environ, VARIABLE: "nowhere/python", "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", ONE]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == left_out(1)


def test_a_run_without_such_tests_ends_as_usual() -> None:
    environment = {**os.environ, VARIABLE: "nowhere/python", "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "pytest", "-q", "tests/unit/test_left_out.py", "-k", "says_how_many"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    assert "LEFT OUT" not in done.stdout and " passed" in done.stdout.splitlines()[-1]
