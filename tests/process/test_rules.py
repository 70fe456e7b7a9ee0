"""The rules over real recordings of many small programs: each mistake is found at its line, and nothing else is.

A line of tests/data/variants that ends in `# finds: RULE` has to be named by a finding of that rule; a program without
such a line is right, and has to stay quiet.
"""

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


SCRIPTS = sorted(VARIANTS.glob("*.py"))
FAULTY = [script for script in SCRIPTS if marked(script)]
RIGHT = [script for script in SCRIPTS if not marked(script)]


@pytest.mark.parametrize("script", RIGHT, ids=lambda script: script.stem)
def test_right_programs_raise_no_alarm(script: Path) -> None:
    done = check(script)

    assert done.loud == []
    assert (done.exit_code, done.report["status"]) == (0, "ok")


@pytest.mark.parametrize("script", FAULTY, ids=lambda script: script.stem)
def test_each_mistake_is_found_at_its_line(script: Path) -> None:
    expected = marked(script)

    findings = check(script).findings

    found = {finding["line"]: finding["rule"] for finding in reversed(findings)}
    assert {line: found.get(line) for line in expected} == expected
    assert sorted(set(found) - set(expected)) == []
    for finding in findings:
        said = " ".join(str(finding[part]) for part in ("message", "explanation", "fix"))
        assert all(finding[part] for part in ("message", "explanation", "fix")), finding
        assert not re.search(r"\{\w*\}| \?|\bseed \d", said), said
        assert finding["file"] == str(script)
