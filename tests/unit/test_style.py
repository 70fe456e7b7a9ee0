"""mypy --strict and ruff hold for all of the project's Python, with no list of exemptions."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.source_imports import ROOT

TOOLS = {
    "ruff": ["ruff", "check", "--output-format", "concise", "."],
    "mypy": ["mypy", "--no-error-summary"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_style_holds(tool: str) -> None:
    done = subprocess.run([sys.executable, "-m", *TOOLS[tool]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
