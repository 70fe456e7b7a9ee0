"""Holds one operator to it: no false alarm, the same numbers with and without recording, every node with a line."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opdb_operators import Outcome, Trial, name_of, trials
from opdb_verdict import Verdict

import gradviz
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.trace import model
from gradviz.trace.reader import Trace

LOUD = ("error", "warning")
BARE_AGAIN = 1
BARE_LONGER = 1000  # a solver whose numbers depend on where memory lies gives others in one run of a hundred


@dataclass(frozen=True)
class Tried:
    """A trial with its bare outcome."""

    number: int
    trial: Trial
    bare: Outcome
    repeatable: bool


def check(op: Any, folder: Path, most: int | None = None) -> Verdict:
    """Run the operator's samples bare, bare again, and recorded. Samples of which nothing is to be said share one
    recording; each of the others has its own, since a finding is told of the first pass alone.
    """
    began = time.monotonic()
    verdict = Verdict(name_of(op))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tried = list(_bare(op, most, verdict))
        groups = [[one for one in tried if not right_findings(one.bare)]]
        groups += [[one] for one in tried if right_findings(one.bare)]
        for group in groups:
            if group:
                _record(group, folder / "run.gradviz", verdict)
    verdict.seconds = round(time.monotonic() - began, 2)
    return verdict


def right_findings(bare: Outcome) -> frozenset[str]:
    """The rules that tell the truth of a run."""
    return frozenset(
        ([] if bare.finite else ["non-finite-gradient"]) + (["zero-gradient"] if bare.finite and bare.zero else [])
    )


def _wanders(one: Tried) -> bool:
    """Whether bare runs differ from each other, too, once memory lies elsewhere."""
    chance = random.Random(0)
    for _ in range(BARE_LONGER):
        held = [bytearray(chance.randrange(1, 200_000)) for _ in range(chance.randrange(30))]
        if one.trial.run() != one.bare:
            return True
        del held
    return False


def _bare(op: Any, most: int | None, verdict: Verdict) -> list[Tried]:
    tried = []
    try:
        for number, trial in enumerate(trials(op, most)):
            bare = trial.run()
            if bare.error:
                verdict.skip(f"raises bare: {bare.error.splitlines()[0][:100]}")
            elif not bare.differentiable:
                verdict.skip("nothing to differentiate")
            else:
                tried.append(Tried(number, trial, bare, all(trial.run() == bare for _ in range(BARE_AGAIN))))
    except Exception as error:  # noqa: BLE001  # of torch's maker of samples: a package it lacks, a build without a part
        verdict.skip(f"no samples: {type(error).__name__}: {error}"[:120])
    return tried


def _record(group: Sequence[Tried], path: Path, verdict: Verdict) -> None:
    outcomes = []
    with gradviz.recording(path):
        for one in group:
            outcomes.append(one.trial.run())
    for one, recorded in zip(group, outcomes):
        verdict.samples += 1
        verdict.non_finite += not one.bare.finite
        verdict.zero += one.bare.zero
        differs = differing(one, recorded)
        if differs and one.repeatable and _wanders(one):
            one = replace(one, repeatable=False)  # bare runs differ from each other, too
            differs = differing(one, recorded)
        verdict.unrepeatable += not one.repeatable
        verdict.differences += [f"sample {one.number}: {what}" for what in differs]
    with Trace(path) as trace:
        passes = trace.passes()
        verdict.passes += sum(1 + each.repeats for each in passes)
        verdict.faults += [note.text for note in trace.notes() if note.kind == "recorder-fault"]
        for backward in passes:
            nodes = [trace.node(backward.id, index) for index in range(backward.nodes)]
            verdict.nodes += len(nodes)
            verdict.unmapped += [f"pass {backward.id}: {node.name}" for node in nodes if not has_line(trace, node)]
        _judge(group, diagnose(trace), verdict)
    path.unlink()


def differing(one: Tried, recorded: Outcome) -> list[str]:
    """What isn't as in the bare run."""
    bare = one.bare
    if recorded.error:
        return [f"raised {recorded.error}"]
    found = []
    if recorded.random_state != bare.random_state and one.repeatable:
        found.append("random state")
    if [each is None for each in recorded.gradients] != [each is None for each in bare.gradients]:
        found.append("which leaves have a gradient")
    if one.repeatable and recorded.outputs != bare.outputs:
        found.append("outputs")
    if one.repeatable and recorded.gradients != bare.gradients:
        found.append("gradients")
    return found


def has_line(trace: Trace, node: model.Node) -> bool:
    """Whether the node's call, or its leaf, is known with a line of the program."""
    if node.leaf >= 0:
        return any(leaf.id == node.leaf and leaf.stack for leaf in trace.leaves())
    return any(op.number == node.op and op.stack for op in trace.ops())


def _judge(group: Sequence[Tried], findings: Sequence[Finding], verdict: Verdict) -> None:
    right = right_findings(group[0].bare)
    where = f"sample {group[0].number}" if right or len(group) == 1 else f"{len(group)} samples"
    loud = [finding for finding in findings if finding.severity in LOUD]
    verdict.alarms += [f"{where}: {each.rule}: {each.message}" for each in loud if each.rule not in right]
    if not group[0].bare.finite and not any(each.rule in right for each in loud):
        verdict.missed.append(f"{where}: gradients aren't finite, and nothing says so")
