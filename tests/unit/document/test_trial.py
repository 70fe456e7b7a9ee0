"""What became of a fix: read from the recording of a second run."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gradviz.diagnose.finding import Finding, SeedRewrite
from gradviz.document.supervisor import Outcome
from gradviz.document.trial import Gradient, judged, not_run
from tests import recordings
from tests.builders import TraceBuilder

REWRITE = SeedRewrite("ones", 0, "backward", "train.py", 4)


def outcome(path: Path, status: str = "ok", code: int | None = 0) -> Outcome:
    return Outcome(status, code, None, 1.0, path)


def nothing(path: Path) -> tuple[Finding, ...]:
    raise AssertionError("not to be diagnosed")


def as_tried(path: Path) -> Path:
    """The recording as if its first pass had run with another seed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE backward SET phase = 'tried' WHERE id = (SELECT min(id) FROM backward)")
        connection.commit()
    return path


def test_the_gradients_of_leaves_are_named(tmp_path: Path) -> None:
    path = as_tried(recordings.mlp(tmp_path / "run.gradviz"))
    trial = judged(REWRITE, outcome(path), 0.0, nothing)
    assert trial.holds and (trial.status, trial.exit_code) == ("ok", 0)
    assert trial.gradients and all(isinstance(each, Gradient) and each.name for each in trial.gradients)
    first = trial.gradients[0]
    assert trial.message.startswith("With this, backward completes")
    assert f"{first.name}.grad has shape {list(first.shape)}" in trial.message


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        ("exited", 3, "Further on the script ends itself with exit code 3."),
        ("timeout", None, "The script was still running after 25 s, and was ended."),
        ("stopped", None, "The script was then stopped."),
        ("killed", None, "Further on the script's process ends suddenly."),
    ],
)
def test_what_came_after_is_told(status: str, code: int | None, words: str, tmp_path: Path) -> None:
    path = as_tried(recordings.mlp(tmp_path / "run.gradviz"))
    trial = judged(REWRITE, outcome(path, status, code), 25.0, nothing)
    assert trial.outcome == "completed" and trial.message.endswith(words)


def test_a_call_that_still_fails_is_told_with_its_finding(tmp_path: Path) -> None:
    path = as_tried(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))
    found = Finding("freed-graph", "error", recordings.EIGH_SCRIPT, 18, "The graph was freed.", "", "", pass_id=0)
    other = Finding("zero-gradient", "warning", recordings.EIGH_SCRIPT, 9, "Another.", "", "", pass_id=None)
    trial = judged(REWRITE, outcome(path, "raised", 1), 0.0, lambda _: (other, found))
    assert (trial.outcome, trial.finding) == ("failed", found)
    assert trial.message.startswith("With this, backward still fails, at ")
    assert trial.message.endswith("18: The graph was freed.")


def test_without_a_finding_the_error_is_told(tmp_path: Path) -> None:
    path = as_tried(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))
    trial = judged(REWRITE, outcome(path, "raised", 1), 0.0, lambda _: ())
    assert (trial.outcome, trial.finding) == ("failed", None)
    assert "RuntimeError: Mismatch in shape" in trial.message


@pytest.mark.parametrize(
    ("status", "outcome_name", "words"),
    [
        ("ok", "not-reached", "did not come to this call, so"),
        ("timeout", "timeout", "After 25 s the second run"),
        ("stopped", "stopped", "was stopped before"),
        ("killed", "killed", "ended suddenly before"),
    ],
)
def test_a_run_that_does_not_come_to_the_call(status: str, outcome_name: str, words: str, tmp_path: Path) -> None:
    path = TraceBuilder(tmp_path / "run.gradviz").save()
    trial = judged(REWRITE, outcome(path, status, None), 25.0, nothing)
    assert trial.outcome == outcome_name and words in trial.message and not trial.holds


def test_a_run_that_did_not_start_gives_its_reason(tmp_path: Path) -> None:
    ended = Outcome("not-run", 1, None, 0.1, tmp_path / "none.gradviz", "No Python.")
    assert judged(REWRITE, ended, 0.0, nothing) == not_run(REWRITE, "No Python.")
    assert not_run(REWRITE, "No Python.").message == "This could not be tried: No Python."
