"""A sample of torch's own operators, held to what scripts/opdb_sweep.py holds all of them to, and its words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import opdb_sweep
import pytest
import torch
from opdb_check import Tried, check, differing, right_findings
from opdb_operators import Outcome, Trial, name_of, operators
from opdb_verdict import Verdict

CHOSEN = operators()[::13]
MOST = 6  # samples of each


@pytest.mark.parametrize("op", CHOSEN, ids=name_of)
def test_an_operator_raises_no_alarm_and_gives_the_same_numbers(op: Any, tmp_path: Path) -> None:
    verdict = check(op, tmp_path, MOST)

    assert verdict.holds, verdict
    assert verdict.samples or verdict.skipped


def a_trial(function: Any, *values: float) -> Trial:
    tensor = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    sample = SimpleNamespace(input=tensor, args=(), kwargs={}, output_process_fn_grad=lambda result: result)
    return Trial(function, sample, weighted=False)


def test_runs_of_a_trial_start_alike() -> None:
    trial = a_trial(torch.nn.functional.dropout, 1.0, 2.0, 3.0, 4.0)

    assert trial.run() == trial.run()


def test_a_non_finite_gradient_makes_its_finding_right_and_wanted(tmp_path: Path) -> None:
    op = SimpleNamespace(name="sqrt", variant_test_name="")
    op.sample_inputs = lambda *_, **__: [
        SimpleNamespace(
            input=torch.zeros(2, dtype=torch.float64, requires_grad=True),
            args=(),
            kwargs={},
            output_process_fn_grad=lambda result: result,
        )
    ]

    class Root(SimpleNamespace):
        def __call__(self, given: torch.Tensor) -> torch.Tensor:
            return given.sqrt()

    verdict = check(Root(**vars(op)), tmp_path)

    assert verdict.holds
    assert (verdict.samples, verdict.non_finite) == (1, 1)
    assert right_findings(a_trial(torch.sqrt, 0.0).run()) == {"non-finite-gradient"}


def test_only_a_zero_gradient_makes_zero_gradient_right() -> None:
    assert right_findings(a_trial(torch.floor, 1.5).run()) == {"zero-gradient"}
    assert right_findings(a_trial(torch.sin, 1.5).run()) == frozenset()


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        (Outcome(gradients=(b"1",)), []),
        (Outcome(gradients=(b"2",)), ["gradients"]),
        (Outcome(gradients=(None,)), ["which leaves have a gradient", "gradients"]),
        (Outcome(gradients=(b"1",), random_state=b"x"), ["random state"]),
        (Outcome(error="RuntimeError: no"), ["raised RuntimeError: no"]),
    ],
)
def test_a_difference_is_told(recorded: Outcome, said: list[str]) -> None:
    tried = Tried(0, a_trial(torch.sin, 1.0), Outcome(gradients=(b"1",)), repeatable=True)

    assert differing(tried, recorded) == said


def test_the_report_names_what_failed_and_why_samples_were_left_out() -> None:
    good = Verdict("sin", samples=2, nodes=6)
    bad = Verdict("cos", samples=1, skipped={"raises bare: no": 3}, alarms=["sample 0: detached: no"] * 2)

    text = "\n".join(opdb_sweep.report([good, bad]))

    assert "3  raises bare: no" in text
    assert "sample 0: detached: no  (2 times)" in text
    assert "operators 2, recorded 2, samples 3" in text
    assert opdb_sweep.line_of(good).startswith("ok")
    assert opdb_sweep.line_of(bad).startswith("FAIL")
