"""The collected cases: scripts from the wild, boiled down, each with the rule and line that is right for it.

A faulty case is found when its first finding has the right rule at a right line and no second loud one stands beside
it. A healthy case, and each corrected twin, has to stay quiet.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.gradviz_command import LOUD, STATUSES, check

CASES = Path(__file__).resolve().parent.parent / "data" / "cases"
RULES = {
    "seed-shape-mismatch", "seed-count-mismatch", "implicit-non-scalar", "custom-backward-wrong-shape",
    "custom-backward-wrong-count", "custom-backward-reduced", "forward-shape-error", "silent-broadcast", "freed-graph",
    "inplace-modified", "detached", "non-finite-gradient", "syntax-error", "missing-import", "needs-input",
    "worker-died", "uncaught-exception", "dtype-mismatch", "hips-vjp-shape-error", "hips-array-assignment",
    "hips-box-to-float", "hips-missing-vjp", "hips-plain-numpy",
}  # fmt: skip
HANDED = [
    case
    for case in json.loads((CASES / "cases.json").read_text(encoding="utf-8"))
    if case["framework"] in ("torch", "hips")
]
FAULTY = [case for case in HANDED if not case["healthy"] and case["problem"] in RULES]
HEALTHY = [case for case in HANDED if case["healthy"]]


def _checked(case: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    run = case.get("run") or {}
    done = check(
        CASES / case["file"], run.get("argv") or (), stdin=run.get("stdin") or "", timeout=2 * run.get("timeout_s", 90)
    )
    report = done.report
    assert report["format"] == 1
    assert report["status"] in STATUSES
    assert all(Path(finding["file"]).is_absolute() for finding in report["findings"] if finding["file"])
    return done.exit_code, report


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case["id"])
def test_a_mistake_is_found(case: dict[str, Any]) -> None:
    exit_code, report = _checked(case)

    findings = report["findings"]
    rules = {case["problem"], *(case.get("accept_rules") or ())}
    is_note = case["severity"] == "note"
    candidates = [finding for finding in findings if finding["rule"] in rules] if is_note else findings
    assert candidates, f"nothing found; {case['problem']} in line {case['line']} is right"
    first = candidates[0]
    loud = [finding for finding in findings if finding["severity"] in LOUD]
    related = {case["problem"], *(case.get("also_rules") or ())}
    assert first["rule"] in rules
    assert Path(first["file"]).name == Path(case["file"]).name
    assert first["line"] in {case["line"], *(case.get("accept_lines") or ())}
    assert (first["severity"] == "note") == is_note
    assert [finding for finding in loud if finding is not first and finding["rule"] not in related] == []
    assert exit_code == (0 if is_note else 1)


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case["id"])
def test_a_healthy_script_raises_no_alarm(case: dict[str, Any]) -> None:
    exit_code, report = _checked(case)

    assert [finding for finding in report["findings"] if finding["severity"] in LOUD] == []
    assert exit_code == 0
