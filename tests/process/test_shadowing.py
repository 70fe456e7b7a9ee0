"""A file beside the script that bears the name of a module: what fails of it is laid to that file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gradviz_command import check

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
