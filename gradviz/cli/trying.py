"""`gradviz check --try`: runs the script again for each finding whose fix can be tried, and tells what that showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradviz.cli.running import until_it_ends
from gradviz.cli.script_input import ScriptInput
from gradviz.cli.streams import tell
from gradviz.diagnose.finding import Finding
from gradviz.document.attempt import Attempt
from gradviz.document.run_request import RunRequest
from gradviz.document.trial import Trial
from gradviz.export.report import shape_json

MOST_TRIED = 5  # each is a whole run of the script


def try_fixes(request: RunRequest, findings: Sequence[Finding], script_input: ScriptInput) -> dict[int, Trial]:
    """The trials by the finding's number in the list; one that was stopped is the last."""
    tried: dict[int, Trial] = {}
    for number, finding in enumerate(findings):
        if finding.rewrite is None:
            continue
        if len(tried) == MOST_TRIED:
            tell(f"gradviz: Only the first {MOST_TRIED} fixes were tried.")
            break
        tell(announced(finding))
        attempt = Attempt(
            request, finding.rewrite, stdin=script_input.source(), started=script_input.feed, wait=until_it_ends
        )
        tried[number] = attempt.run()
        if tried[number].status == "stopped":
            break
    if not tried:
        tell(nothing_to_try(findings))
    return tried


def nothing_to_try(findings: Sequence[Finding]) -> str:
    """What is said where the script ran once only."""
    if not findings:
        return "gradviz: --try had nothing to try: nothing was found."
    return (
        "gradviz: --try had nothing to try: it replaces the seed of a backward or grad call, and no finding here is"
        " mended by that."
    )


def announced(finding: Finding) -> str:
    """What is said before the script runs a second time."""
    return (
        f"gradviz: Trying the fix of {finding.rule}. The script runs once more, its output is not shown; whatever else"
        " it does, such as writing files, it does again."
    )


def trial_json(trial: Trial, fix: str) -> Mapping[str, Any]:
    """The object `tried` of a finding in the report."""
    rewrite, found = trial.rewrite, trial.finding
    return {
        "replaced": {
            "kind": rewrite.kind,
            "function": rewrite.function,
            "pass": rewrite.pass_id,
            "file": rewrite.file or None,
            "line": rewrite.line or None,
            "fix": fix,
        },
        "outcome": trial.outcome,
        "message": trial.message,
        "gradients": [{"name": each.name or None, "shape": shape_json(each.shape)} for each in trial.gradients],
        "finding": None
        if found is None
        else {"rule": found.rule, "message": found.message, "file": found.file or None, "line": found.line or None},
        "status": trial.status,
        "exit_code": trial.exit_code,
    }
