"""The rules over real recordings of many small programs: each mistake is found at its line, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.gradviz_command import check

VARIANTS = Path(__file__).resolve().parent.parent / "data" / "variants"
MARK = re.compile(r"# finds: ([\w-]+)")


def marked(script: Path) -> dict[int, str]:
    """The rule that has to be found on each marked line."""
    lines = script.read_text(encoding="utf-8").splitlines()
    return {number: match.group(1) for number, line in enumerate(lines, 1) if (match := MARK.search(line))}


@pytest.mark.parametrize("name", ["broadcasts_meant", "healthy_programs"])
def test_right_programs_raise_no_alarm(name: str) -> None:
    done = check(VARIANTS / f"{name}.py")

    assert done.loud == []
    assert (done.exit_code, done.report["status"]) == (0, "ok")


@pytest.mark.parametrize("name", ["broadcasts_by_mistake", "raising"])
def test_each_mistake_is_found_at_its_line(name: str) -> None:
    script = VARIANTS / f"{name}.py"
    expected = marked(script)

    found = {finding["line"]: finding["rule"] for finding in reversed(check(script).findings)}

    assert {line: found.get(line) for line in expected} == expected
    assert sorted(set(found) - set(expected)) == []


def test_the_words_are_whole() -> None:
    findings = check(VARIANTS / "raising.py").findings

    for finding in findings:
        said = " ".join(str(finding[part]) for part in ("message", "explanation", "fix"))
        assert all(finding[part] for part in ("message", "explanation", "fix")), finding
        assert not re.search(r"\{\w*\}| \?|None has|\bseed \d", said), said
        assert Path(finding["file"]) == VARIANTS / "raising.py"
