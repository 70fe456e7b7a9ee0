"""The reports of the command line: what a person reads, and the JSON contract."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.diagnose.finding import Finding
from gradviz.export.finding_words import escaped, excerpt
from gradviz.export.report import finding_markdown, finding_text, json_report, source_lines, text_report
from gradviz.trace.reader import Trace
from tests import recordings
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH


@pytest.fixture
def eigh(tmp_path: Path) -> Trace:
    return Trace(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz"))


def test_text_of_a_refused_backward(eigh: Trace) -> None:
    text = text_report(eigh, [SEED_MISMATCH])
    assert text.startswith("Error: The seed gradient has the wrong shape  [seed-shape-mismatch]\n")
    assert "  eigh_energy.py:18, SumBackward0 (sum)\n" in text
    assert "    18 | out.backward(z)\n       |              ^\n" in text
    assert "  expected [ ], received [164]\n" in text
    assert "    - out.backward(z)\n    + out.backward()  # then read z.grad\n" in text
    assert "     0  eigh_energy.py:18     13     13      0  refused\n" in text
    assert "eigh_energy.py raised RuntimeError: Mismatch in shape: grad_output[0]" in text
    assert text.endswith("1 error found.\n")


def test_text_of_a_silent_fault_names_both_lines(tmp_path: Path) -> None:
    with Trace(recordings.silent_broadcast(tmp_path / "run.gradviz")) as trace:
        text = text_report(trace, [BROADCAST])
    assert "  fit_line.py:9, SubBackward0 (sub); shows at line 10\n" in text
    assert "    9 | pred = model(X)\n      |        ^^^^^^^^\n" in text
    assert "  Also:\n    - loss is the mean of 400 squares, not of 20" in text
    assert "fit_line.py ran to its end (torch 2.13.0, Python 3.12.4, 0.5 s)" in text


def test_text_without_findings(tmp_path: Path) -> None:
    with Trace(recordings.mlp(tmp_path / "run.gradviz")) as trace:
        text = text_report(trace, [])
    assert "  completed, 98 times alike" in text
    assert text.endswith("No problems found in 1,100 steps.\n")


def test_text_without_backward(tmp_path: Path) -> None:
    with Trace(TraceBuilder(tmp_path / "run.gradviz", status="exited", exit_code=3).save()) as trace:
        text = text_report(trace, [])
    first = "script.py ended with exit code 3 (torch 2.13.0, Python 3.12.4, 0.5 s)"
    assert text == f"{first}\nNo problems found; no backward pass ran.\n"


@pytest.mark.parametrize("status", ["timeout", "stopped"])
def test_what_was_stopped_is_told_as_far_as_it_ran(status: str, tmp_path: Path) -> None:
    with Trace(TraceBuilder(tmp_path / "run.gradviz", status=status).save()) as trace:
        text = text_report(trace, ())

    assert text.endswith("No problems found; no backward pass ran before it was stopped.\n")


@pytest.mark.parametrize(
    ("line", "column", "end", "under"),
    [
        ("x = f(y)", 4, 8, "    7 | x = f(y)\n      |     ^^^^"),
        ("\tf(y)", 1, 5, "    7 | \tf(y)\n      | \t^^^^"),
        ("梯度 = f(y)", 9, 13, "    7 | 梯度 = f(y)\n      |        ^^^^"),
        ("x = f(", 4, -1, "    7 | x = f(\n      |     ^"),
        ("x", 40, 44, "    7 | x"),
        ("x", -1, -1, "    7 | x"),
    ],
)
def test_carets_stand_under_what_is_meant(line: str, column: int, end: int, under: str) -> None:
    finding = replace(SEED_MISMATCH, line=7, column=column, end_line=7, end_column=end)
    assert "\n".join(excerpt(finding, lambda file, number: line)) == under


def test_json_contract(eigh: Trace) -> None:
    # WHEN the report passes through JSON
    report = json.loads(json.dumps(json_report(eigh, [SEED_MISMATCH], "eigh_energy.py", "x.gradviz")))
    # THEN it is what DESIGN's contract says, absolute paths and shapes as lists
    assert report["format"] == 1 and report["status"] == "raised" and report["exit_code"] == 1
    assert report["target"] == "eigh_energy.py" and Path(report["trace"]).is_absolute()
    assert report["exception"]["type"] == "RuntimeError"
    assert (report["exception"]["file"], report["exception"]["line"]) == (recordings.EIGH_SCRIPT, 18)
    assert report["backwards"] == [
        {
            "index": 0,
            "count": 1,
            "thread": "MainThread",
            "file": recordings.EIGH_SCRIPT,
            "line": 18,
            "nodes": 13,
            "edges": 13,
            "steps": 0,
            "completed": False,
        }
    ]
    (finding,) = report["findings"]
    assert (finding["expected_shape"], finding["received_shape"]) == ([], [164])
    assert (finding["node"], finding["op"], finding["line"], finding["raised_line"]) == ("SumBackward0", "sum", 18, 18)
    assert finding["effects"] == []


def test_json_of_words_and_nothing(tmp_path: Path) -> None:
    with Trace(recordings.mlp(tmp_path / "run.gradviz")) as trace:
        words = Finding("rule", "note", "", 0, "m", "", "", expected_shape="2 gradients", received_shape=None)
        report = json_report(trace, [words], "t", None)
    assert report["exception"] is None and report["trace"] is None
    (finding,) = report["findings"]
    assert (finding["expected_shape"], finding["received_shape"]) == ("2 gradients", None)
    assert finding["node"] is finding["file"] is finding["line"] is None


def test_a_forward_call_that_raised_is_no_backward(tmp_path: Path) -> None:
    with Trace(recordings.forward_error(tmp_path / "run.gradviz")) as trace:
        assert json_report(trace, [], "t", None)["backwards"] == []
        assert "Backward passes" not in text_report(trace, [])


def test_a_recording_that_stopped_in_its_midst_counts_as_killed(tmp_path: Path) -> None:
    with Trace(TraceBuilder(tmp_path / "run.gradviz", status="recording", seconds=None).save()) as trace:
        assert json_report(trace, [], "t", None)["status"] == "killed"
        assert "is still running, or ended without a word" in text_report(trace, [])


def test_markdown(eigh: Trace) -> None:
    text = finding_markdown(SEED_MISMATCH, source_lines(eigh), "/home/me")
    assert text.startswith("### Error: The seed gradient has the wrong shape (`seed-shape-mismatch`)\n")
    assert "**Where:** eigh\\_energy.py:18, SumBackward0 (sum)\n" in text
    assert "| `[ ]` | `[164]` |" in text
    assert "```diff\n- out.backward(z)\n+ out.backward()  # then read z.grad\n```" in text
    assert "backward() was given z, shape \\[164\\]" in text


def test_markdown_of_code_that_holds_a_fence() -> None:
    assert "````diff\n+ s = '```'\n````" in finding_markdown(replace(BROADCAST, changes=(), fix="s = '```'"))
    assert escaped("a*b_c\n<d>") == "a\\*b\\_c \\<d\\>"


def test_a_finding_alone_needs_no_recording() -> None:
    place = finding_text(BROADCAST).splitlines()[1]
    assert place == f"  {recordings.BROADCAST_SCRIPT}:9, SubBackward0 (sub); shows at line 10"


def test_a_fix_without_a_change_of_lines_is_told_as_words() -> None:
    text = finding_text(replace(BROADCAST, changes=(), fix="pip install torch"))
    assert "  To mend it:\n    pip install torch" in text


@pytest.mark.parametrize(("count", "numbers"), [(1, "0"), (2, "0 or 1"), (5, "0 to 4")])
def test_passes_that_ran_and_were_not_kept(count: int, numbers: str, tmp_path: Path) -> None:
    builder = TraceBuilder(tmp_path / "run.gradviz")
    builder.note("no-pass-kept", "They ran.", count=count)
    with Trace(builder.save()) as trace:
        text = text_report(trace, [])
    assert text.endswith(f"none of the backward passes was kept: --passes takes {numbers} here.\n")


def test_what_came_of_a_fix_stands_under_it(eigh: Trace) -> None:
    text = text_report(eigh, [BROADCAST, SEED_MISMATCH], {1: "With this, it completes."})
    assert text.count("  Tried: ") == 1
    assert "# then read z.grad\n  Tried: With this, it completes.\n" in text
    assert "\n\n**Tried:** With this\n" in finding_markdown(SEED_MISMATCH, tried="With this")


def test_a_missing_gradient_that_a_finding_tells_is_no_note_as_well(tmp_path: Path) -> None:
    builder = TraceBuilder(tmp_path / "run.gradviz")
    for pass_id, name in ((0, "w"), (0, "b"), (1, "c")):
        builder.note("tape-none", f"The gradient with respect to {name} is None (line 8).", **{"pass": pass_id})
    found = replace(BROADCAST, pass_id=0, received_shape="None")
    with Trace(builder.save()) as trace:
        text = text_report(trace, [found])
    assert [line for line in text.splitlines() if line.startswith("Note: ")] == [
        "Note: The gradient with respect to b is None (line 8).",
        "Note: The gradient with respect to c is None (line 8).",
    ]
