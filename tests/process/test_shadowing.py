"""A file beside the script that bears the name of a module: what fails of it is laid to that file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gradviz_command import check, run_gradviz

USE = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n"


@pytest.mark.parametrize(
    ("file", "text", "script", "rule", "line"),
    [
        ("torch.py", "print('scratch')\n", USE, "uncaught-exception", 2),
        ("random.py", "def seed_all(n): pass\n", "import random\nrandom.Random(0)\n", "uncaught-exception", 2),
        ("logging/__init__.py", "", "import logging\nlogging.getLogger()\n", "uncaught-exception", 2),
        ("statistics.py", "x = 1\n", "from statistics import mean\n", "missing-import", 1),
        ("colorsys.py", "x = 1\n", "import colorsys.deep\n", "missing-import", 1),
    ],
)
def test_the_file_that_hides_a_module_is_named(
    file: str, text: str, script: str, rule: str, line: int, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    (tmp_path / "main.py").write_text(script)

    done = check(tmp_path / "main.py")

    (found,) = done.findings
    name = file.partition("/")[0]
    assert (found["rule"], found["line"]) == (rule, line)
    assert f"your own {name} was imported as {name.removesuffix('.py')}" in found["message"]
    assert found["fix"].startswith(f"Rename {name}")
    assert "pip" not in found["fix"]
    assert not [note for note in done.report.get("notes", ()) if "could not record" in str(note)]


def test_a_script_may_itself_be_the_file(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(USE)

    (found,) = check(tmp_path / "torch.py").findings

    assert "your own torch.py was imported as torch" in found["message"]


@pytest.mark.parametrize("wrong", ["helpers.missing", "from helpers import missing", "import helpers.missing"])
def test_an_own_module_that_lacks_something_hides_nothing(wrong: str, tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("x = 1\n")
    (tmp_path / "main.py").write_text(f"import helpers\n{wrong}\n")

    (found,) = check(tmp_path / "main.py").findings

    assert "was imported as" not in found["message"]


@pytest.mark.parametrize(
    ("file", "script"),
    [
        ("random.py", "import tempfile\n"),
        ("random.py", "import random\nimport torch\n"),
        ("random.py", "import torch\n"),
        ("math.py", "import statistics\n"),
        ("tokenize/__init__.py", "import torch\n"),
        ("numpy.py", "import torch\nimport numpy\nnumpy.array([1])\n"),
    ],
)
def test_what_a_hidden_module_breaks_breaks_as_in_a_bare_run(file: str, script: str, tmp_path: Path) -> None:
    """Not by way of tests.transparency: its own imports would load half of the library before."""
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("mine = 1\n")
    (tmp_path / "main.py").write_text(script)

    bare = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True)
    recorded = run_gradviz("check", "main.py", "--json", cwd=tmp_path)

    assert bare.returncode == 1
    assert recorded.stderr == bare.stderr
