"""The report of a recording: text for a person at a terminal, JSON for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gradviz import __version__
from gradviz.diagnose.finding import Finding, ShapeOrWords
from gradviz.export.finding_words import Lines, finding_markdown, finding_text, shortened, wrapped
from gradviz.scene.words import elided
from gradviz.trace.kept import passes_not_kept
from gradviz.trace.model import Backward, ExceptionInfo, Note, RunInfo
from gradviz.trace.reader import Trace

__all__ = ["finding_markdown", "finding_text", "json_report", "source_lines", "text_report"]

MISSING_GRADIENT = "tape-none"  # kind of note; gradviz/record/tensorflow/missing.py writes it
SHOWN_PASSES = 20
LONGEST_MESSAGE = 120
NUMBERS = (0, 2, 3, 4)  # columns of the passes table that stand at the right
CUT_SHORT = ("timeout", "stopped")  # what was recorded is not all that the script does
ORDER = {"error": 0, "warning": 1, "note": 2}


def text_report(
    trace: Trace,
    findings: Sequence[Finding],
    tried: Mapping[int, str] = MappingProxyType({}),
    run: RunInfo | None = None,
) -> str:
    """Findings first, then the backward passes, then how the script ended. `tried`: by the finding's number in the
    list, what came of its fix. `run`: where more is known of it than the recording says.
    """
    run, lines = run or trace.run(), source_lines(trace)
    blocks = [finding_text(each, lines, run.cwd, tried.get(number, "")) for number, each in enumerate(findings)]
    table = passes_table(trace, run)
    if table:
        blocks.append(table)
    notes = [line for note in untold(trace, findings) for line in wrapped(note.text, "Note: ", "      ")]
    if notes:
        blocks.append("\n".join(notes))
    blocks.append("\n".join([ended(trace, run), summary(findings, trace, run)]))
    return "\n\n".join(blocks) + "\n"


def untold(trace: Trace, findings: Sequence[Finding]) -> Iterator[Note]:
    """Notes, but for a pass's first missing gradient where a finding is about that."""
    told = {each.pass_id for each in findings if each.received_shape == "None"} - {None}
    for note in trace.notes():
        if note.kind == MISSING_GRADIENT and note.detail.get("pass") in told:
            told.discard(note.detail["pass"])
        else:
            yield note


def source_lines(trace: Trace) -> Lines:
    """Looks up lines of the recording's sources."""
    split: dict[str, list[str]] = {}

    def line_of(file: str, line: int) -> str:
        if file not in split:
            source = trace.source(file)
            split[file] = [] if source is None or source.text is None else source.text.split("\n")
        return split[file][line - 1].rstrip() if 0 < line <= len(split[file]) else ""

    return line_of


def passes_table(trace: Trace, run: RunInfo) -> str:
    """One row per stored pass; those that were only counted are told with the first of their kind."""
    passes = backward_passes(trace)
    if not passes:
        return ""
    rows: list[tuple[str, ...]] = [("pass", "called at", "nodes", "edges", "steps", "outcome")]
    rows += [table_row(one, run) for one in passes[:SHOWN_PASSES]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["Backward passes (numbered from 0, as --passes takes them)"]
    for row in rows:
        padded = enumerate(zip(row, widths))
        cells = [text.rjust(wide) if column in NUMBERS else text.ljust(wide) for column, (text, wide) in padded]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(passes) > SHOWN_PASSES:
        lines.append(f"  and {len(passes) - SHOWN_PASSES:,} more")
    lines += [f"  pass {one.id}: {one.truncated}" for one in passes if one.truncated]
    return "\n".join(lines)


def backward_passes(trace: Trace) -> tuple[Backward, ...]:
    """Without the graph that led to a forward call that raised: no backward was called on it."""
    return tuple(one for one in trace.passes() if one.phase != "forward")


def table_row(one: Backward, run: RunInfo) -> tuple[str, ...]:
    by_us = one.phase == "offered" and not one.stack  # no line of the person's calls it
    place = f"{shortened(one.stack[0].file, run.cwd)}:{one.stack[0].line}" if one.stack else "-" if by_us else "unknown"
    outcome = one.outcome
    if one.repeats > 1:
        outcome += f", {one.repeats:,} times alike"
    if one.phase == "load":
        outcome += ", while loading"
    if one.phase == "offered":
        outcome += ", called by gradviz"
    return (str(one.id), place, f"{one.nodes:,}", f"{one.edges:,}", f"{one.steps:,}", outcome)


def ended(trace: Trace, run: RunInfo) -> str:
    """One line: how the script ended, and under what."""
    name = Path(run.script).name if run.script else run.target
    raised = uncaught(trace)
    what = {
        "ok": "ran to its end",
        "exited": f"ended with exit code {run.exit_code}",
        "killed": f"was ended by signal {run.signal}" if run.signal else "ended without a word",
        "timeout": "was stopped when its time was over",
        "stopped": "was stopped",
        "not-run": "did not run",
        "recording": "is still running, or ended without a word",
        "raised": "raised an error",
    }[run.status]
    if run.status == "raised" and raised is not None:
        message = elided(raised.message.splitlines()[0], LONGEST_MESSAGE) if raised.message else ""
        what = f"raised {raised.type}: {message}".rstrip(": ")
    seconds = "" if run.seconds is None else f", {run.seconds:.1f} s"
    return f"{name} {what} ({', '.join(filter(None, (run.framework, 'Python ' + run.python)))}{seconds})"


def summary(findings: Sequence[Finding], trace: Trace, run: RunInfo) -> str:
    counts = {name: sum(finding.severity == name for finding in findings) for name in ORDER}
    words = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in counts.items() if count]
    if words:
        return ", ".join(words) + " found."
    steps = sum(one.steps * one.repeats for one in backward_passes(trace))
    if not steps and passes_not_kept(trace):
        count = passes_not_kept(trace)
        return f"No problems found; none of the backward passes was kept: --passes takes {numbers_up_to(count)} here."
    cut_short = " before it was stopped" if run.status in CUT_SHORT else ""
    if not backward_passes(trace):
        return f"No problems found; no backward pass ran{cut_short}."
    return f"No problems found in {steps:,} step{'' if steps == 1 else 's'}{' that ran' * bool(cut_short)}{cut_short}."


def numbers_up_to(count: int) -> str:
    """The numbers that `count` passes have: '0', '0 or 1', '0 to 4'."""
    return {1: "0", 2: "0 or 1"}.get(count, f"0 to {count - 1}")


def uncaught(trace: Trace) -> ExceptionInfo | None:
    """The exception that ended the script: the last one that nobody caught."""
    return next((each for each in reversed(trace.exceptions()) if not each.caught), None)


# -- JSON


def json_report(
    trace: Trace, findings: Sequence[Finding], target: str, trace_path: str | None, run: RunInfo | None = None
) -> dict[str, Any]:
    """The report as DESIGN's contract has it: format 1. `run`: where more is known of it than the recording says."""
    run, threads = run or trace.run(), trace.threads()
    raised = uncaught(trace)
    return {
        "format": 1,
        "gradviz": __version__,
        "target": target,
        "framework": run.framework,
        "status": "killed" if run.status == "recording" else run.status,
        "exit_code": run.exit_code,
        "exception": None if raised is None else exception_json(raised),
        "backwards": [backward_json(one, threads) for one in backward_passes(trace)],
        "findings": [finding_json(finding) for finding in findings],
        "trace": None if trace_path is None else str(Path(trace_path).absolute()),
    }


def exception_json(raised: ExceptionInfo) -> dict[str, Any]:
    file, line = raised.raised_file, raised.raised_line
    if raised.stack:
        file, line = raised.stack[0].file, raised.stack[0].line
    return {"type": raised.type, "message": raised.message, "file": file, "line": line}


def backward_json(one: Backward, threads: Sequence[str]) -> dict[str, Any]:
    return {
        "index": one.id,
        "count": one.repeats,
        "thread": threads[one.thread] if 0 <= one.thread < len(threads) else None,
        "file": one.stack[0].file if one.stack else None,
        "line": one.stack[0].line if one.stack else None,
        "nodes": one.nodes,
        "edges": one.edges,
        "steps": one.steps,
        "completed": one.outcome == "completed",
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "node": finding.node or None,
        "op": finding.op or None,
        "file": finding.file or None,
        "line": finding.line or None,
        "column": finding.column if finding.column >= 0 else None,
        "end_line": finding.end_line or None,
        "raised_line": finding.raised_line,
        "pass": finding.pass_id,
        "expected_shape": shape_json(finding.expected_shape),
        "received_shape": shape_json(finding.received_shape),
        "title": finding.title,
        "message": finding.message,
        "explanation": finding.explanation,
        "fix": finding.fix,
        "effects": list(finding.effects),
        "confidence": finding.confidence,
    }


def shape_json(value: ShapeOrWords) -> list[int | str] | str | None:
    return list(value) if isinstance(value, tuple) else value
