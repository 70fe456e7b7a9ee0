"""A large recording is diagnosed in a process of its own, with the same findings, whatever becomes of that process."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.document.diagnosing import Diagnosing
from gradviz.document.examiner import WORKER, Examiner
from gradviz.errors import GradvizError
from gradviz.trace.reader import Trace
from tests import recordings

APART = -1  # as many nodes as nothing has fewer of: each diagnosis gets a process


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return recordings.eigh_seed_mismatch(tmp_path / "run.gradviz")


@pytest.fixture
def found(recording: Path) -> tuple[Finding, ...]:
    with Trace(recording) as trace:
        return diagnose(trace)


@pytest.mark.parametrize("large", [APART, 4000])
def test_the_findings_are_the_same(recording: Path, found: tuple[Finding, ...], large: int) -> None:
    assert Examiner(WORKER, large).findings(recording) == found


@pytest.mark.parametrize(
    "command",
    [("/no/such/program",), (sys.executable, "-c", "raise SystemExit(7)"), (sys.executable, "-c", "print('what?')")],
    ids=["no process", "it dies", "it babbles"],
)
def test_without_an_answer_the_diagnosis_is_made_here(
    recording: Path, found: tuple[Finding, ...], command: tuple[str, ...]
) -> None:
    assert Examiner(command, APART).findings(recording) == found


def test_what_is_known_to_be_large_is_not_even_opened_here(
    recording: Path, found: tuple[Finding, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(trace: Trace, path: Path) -> None:
        raise AssertionError("opened in the window's process")

    monkeypatch.setattr(Trace, "__init__", refuse)
    assert Examiner().findings(recording, nodes=20_000) == found


def test_the_sentence_of_a_trouble_arrives(recording: Path) -> None:
    tells = "from gradviz.diagnose.parcel import packed; print(packed((), 'the file is damaged'))"
    with pytest.raises(GradvizError, match="the file is damaged"):
        Examiner((sys.executable, "-c", tells), APART).findings(recording)


def test_a_diagnosis_that_nobody_waits_for_is_ended(recording: Path, tmp_path: Path) -> None:
    # GIVEN a process that never answers
    begun = tmp_path / "begun"
    hangs = f"import pathlib, threading; pathlib.Path({str(begun)!r}).touch(); threading.Event().wait()"
    told: list[object] = []
    diagnosing = Diagnosing(lambda call: told.append(call()), lambda: Examiner((sys.executable, "-c", hangs), APART))
    diagnosing.start(recording, lambda findings, trouble: told.append("done"))
    waiting = threading.Event()
    while not begun.exists():
        waiting.wait(0.01)
    # WHEN nobody wants the answer any more
    diagnosing.forget()
    diagnosing.join()
    # THEN the thread has ended without a word
    assert "done" not in told
    assert not any(thread.name == "diagnosis" for thread in threading.enumerate())


def test_stopped_before_it_begins_no_process_is_started(recording: Path) -> None:
    examiner = Examiner(("/no/such/program",), APART)
    examiner.stop()
    assert examiner.findings(recording) == ()
