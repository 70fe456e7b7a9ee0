"""The interpreter that has TensorFlow: a venv of its own, since it is large and the app's needs none."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.source_imports import ROOT
from tests.transparency import Seen, comparable

VARIABLE = "GRADVIZ_TENSORFLOW_PYTHON"
VENV = ROOT / ".venv-tensorflow"
# What TensorFlow's C++ logs with the time and the process in it, and warns of once a machine.
_LOGGED = re.compile(r"^[IWE]\d{4} \d\d:\d\d:[\d.]+ +\d+ ", re.M)


def tensorflow_python() -> str | None:
    """From the environment variable, else `.venv-tensorflow`; None where neither is there."""
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [VENV / "bin" / "python", VENV / "Scripts" / "python.exe"]
    return next((str(place) for place in places if place.exists()), None)


PYTHON = tensorflow_python()
NO_TENSORFLOW = "not on this machine: no TensorFlow (scripts/test.py --tensorflow installs it)"
needs_tensorflow = pytest.mark.tensorflow  # conftest.py skips these where PYTHON is None


def assert_same_but_for_times(bare: Seen, recorded: Seen) -> None:
    """As transparency.assert_same; the times in TensorFlow's own log lines differ between any two runs."""
    assert _LOGGED.sub("", comparable(recorded.stderr)) == _LOGGED.sub("", comparable(bare.stderr))
    assert comparable(recorded.stdout) == comparable(bare.stdout)
    assert recorded.exit_code == bare.exit_code
    assert recorded.state == bare.state
