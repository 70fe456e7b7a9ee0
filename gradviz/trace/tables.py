"""The small tables of a trace, row by row into the model's frozen data."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TraceError
from gradviz.trace.interned import Interned
from gradviz.trace.model import (
    Backward,
    ExceptionInfo,
    Leaf,
    Module,
    Note,
    OutputChunk,
    Port,
    RunInfo,
    SavedTensor,
    Seed,
    Stats,
    Unreached,
)
from gradviz.trace.opening import TraceFile
from gradviz.trace.packing import STATS
from gradviz.trace.rows import BIGGEST, Row, is_whole

STATUSES = ("recording", "ok", "raised", "exited", "killed", "timeout", "stopped", "not-run")
OUTCOMES = ("running", "completed", "refused", "raised", "interrupted")
SMALLEST = -(2**63)


def read_run(file: TraceFile) -> RunInfo:
    rows = file.rows("run", "LIMIT 2")
    if len(rows) != 1:
        raise TraceError(f"{file.path} is damaged: it describes {len(rows) or 'no'} run{'s' if rows else ''}, not one.")
    row = rows[0]
    return RunInfo(
        gradviz=row.text("gradviz", 100),
        target=row.text("target"),
        script=row.optional_text("script"),
        function=row.optional_text("function"),
        arguments=tuple(row.json_list("arguments")),
        cwd=row.text("cwd"),
        interpreter=row.text("interpreter"),
        python=row.text("python", 200),
        framework=row.text("framework", 1000),
        platform=row.text("platform", 200),
        level=row.text("level", 100),
        seed_expression=row.optional_text("seed_expression"),
        started=row.real("started"),
        seconds=row.optional_real("seconds"),
        status=row.choice("status", STATUSES),
        exit_code=row.optional_integer("exit_code", SMALLEST),
        signal=row.optional_integer("signal", SMALLEST),
        dropped_output=row.integer("dropped_output"),
    )


def read_passes(file: TraceFile, interned: Interned) -> tuple[Backward, ...]:
    return tuple(backward_of(row, interned) for row in file.rows("backward", "ORDER BY id"))


def backward_of(row: Row, interned: Interned) -> Backward:
    nodes = row.integer("nodes")
    number = row.integer("id")
    parent = row.optional_integer("parent")
    if parent is not None and parent >= number:
        raise row.damaged("parent", f"is {parent} for pass {number}, which came before it")
    return Backward(
        id=number,
        parent=parent,
        thread=row.integer("thread", -1),
        entry=row.text("entry", 100),
        stack=interned.stack(row.optional_integer("stack", -1)),
        retain_graph=row.flag("retain_graph"),
        create_graph=row.flag("create_graph"),
        batched=row.flag("batched"),
        allow_unused=row.flag("allow_unused"),
        roots=tuple(port_of(entry, row, "roots", nodes, interned) for entry in row.json_list("roots")),
        seeds=tuple(None if entry is None else seed_of(entry, row, interned) for entry in row.json_list("seeds")),
        inputs=tuple(port_of(entry, row, "inputs", nodes, interned) for entry in row.json_list("inputs")),
        outcome=row.choice("outcome", OUTCOMES),
        exception=row.optional_integer("exception"),
        failed_node=row.optional_integer("failed_node", 0, max(nodes - 1, 0)),
        running_node=row.optional_integer("running_node", 0, max(nodes - 1, 0)),
        nodes=nodes,
        edges=row.integer("edges"),
        steps=row.integer("steps"),
        duration=row.optional_real("duration"),
        structure=row.text("structure", 1000),
        repeats=row.integer("repeats"),
        phase=row.text("phase", 100),
        truncated=row.optional_text("truncated"),
    )


def port_of(entry: object, row: Row, column: str, nodes: int, interned: Interned) -> Port:
    return Port(
        node=member(entry, "node", row, column, nodes - 1),
        slot=member(entry, "slot", row, column),
        value=member(entry, "value", row, column),
        spec=interned.known_spec(member(entry, "spec", row, column)),
        requires_grad=isinstance(entry, dict) and bool(entry.get("requires_grad")),
    )


def seed_of(entry: object, row: Row, interned: Interned) -> Seed:
    spec = interned.known_spec(member(entry, "spec", row, "seeds"))
    return Seed(member(entry, "value", row, "seeds"), spec)


def member(entry: object, name: str, row: Row, column: str, high: int = BIGGEST) -> int:
    """The whole number under `name` of a JSON object in `column`, -1 to `high`."""
    value: Any = entry.get(name) if isinstance(entry, dict) else None
    if not is_whole(value) or not -1 <= value <= high:
        raise row.damaged(column, f"has no valid {name!r}")
    return int(value)


def read_exceptions(file: TraceFile, interned: Interned) -> tuple[ExceptionInfo, ...]:
    return tuple(
        ExceptionInfo(
            id=row.integer("id"),
            type=row.text("type", 1000),
            message=row.text("message"),
            text=row.text("text"),
            stack=interned.stack(row.optional_integer("stack", -1)),
            raised_file=row.optional_text("raised_file"),
            raised_line=row.optional_integer("raised_line"),
            thread=row.integer("thread", -1),
            phase=row.text("phase", 100),
            caught=row.flag("caught"),
            pass_id=row.optional_integer("pass"),
            op=row.optional_integer("op"),
            detail=row.json_object("detail"),
        )
        for row in file.rows("exception", "ORDER BY id")
    )


def read_leaves(file: TraceFile, interned: Interned) -> tuple[Leaf, ...]:
    modules = file.ids("module")
    return tuple(
        Leaf(
            id=row.integer("id", position, position),
            value=row.integer("value", -1),
            name=row.text("name", 10_000),
            kind=row.text("kind", 100),
            module=row.optional_integer("module", 0, modules - 1),
            spec=interned.known_spec(row.integer("spec")),
            requires_grad=row.flag("requires_grad"),
            stack=interned.stack(row.optional_integer("stack", -1)),
            grad_spec=interned.spec(-1 if row.optional_integer("grad_spec") is None else row.integer("grad_spec")),
            grad_stats=stats_of(row, "grad_stats"),
            in_graph=row.flag("in_graph"),
        )
        for position, row in enumerate(file.rows("leaf", "ORDER BY id"))
    )


def stats_of(row: Row, column: str) -> Stats | None:
    blob = row.optional_blob(column)
    if blob is None:
        return None
    if len(blob) != STATS.size:
        raise row.damaged(column, f"has {len(blob)} bytes, not {STATS.size}")
    return Stats(*STATS.unpack(blob))


def read_modules(file: TraceFile) -> tuple[Module, ...]:
    rows = file.rows("module", "ORDER BY id")
    modules = tuple(
        Module(
            id=row.integer("id", position, position),
            path=row.text("path", 10_000),
            class_name=row.text("class", 10_000),
            parent=row.optional_integer("parent", 0, len(rows) - 1),
            root_name=row.optional_text("root_name", 10_000),
            parameters=row.integer("parameters"),
            training=row.optional_flag("training"),
        )
        for position, row in enumerate(rows)
    )
    if in_circles([module.parent for module in modules]):
        raise TraceError("The recording is damaged: modules contain each other in a circle.")
    return modules


def in_circles(parents: list[int | None]) -> bool:
    """Whether going from parent to parent never ends somewhere."""
    safe = [False] * len(parents)
    for start in range(len(parents)):
        path: list[int] = []
        at: int | None = start
        while at is not None and not safe[at]:
            if len(path) > len(parents):
                return True
            path.append(at)
            at = parents[at]
        for position in path:
            safe[position] = True
    return False


def read_notes(file: TraceFile, interned: Interned) -> tuple[Note, ...]:
    return tuple(
        Note(
            kind=row.text("kind", 200),
            text=row.text("text"),
            stack=interned.stack(row.optional_integer("stack", -1)),
            detail=row.json_object("detail"),
        )
        for row in file.rows("note", "ORDER BY id")
    )


def read_unreached(file: TraceFile, interned: Interned) -> tuple[Unreached, ...]:
    return tuple(
        Unreached(
            value=row.integer("value", -1),
            name=row.text("name", 10_000),
            spec=interned.known_spec(row.integer("spec")),
            grad_fn=row.text("grad_fn", 10_000),
            stack=interned.stack(row.optional_integer("stack", -1)),
            op=row.optional_integer("op", -1),
        )
        for row in file.rows("unreached", "ORDER BY rowid")
    )


def read_threads(file: TraceFile) -> tuple[str, ...]:
    rows = file.rows("thread", "ORDER BY id")
    for position, row in enumerate(rows):
        row.integer("id", position, position)
    return tuple(row.text("name", 10_000) for row in rows)


def read_output(file: TraceFile, after: int) -> tuple[tuple[int, OutputChunk], ...]:
    return tuple(
        (
            row.integer("id"),
            OutputChunk(row.choice("stream", ("stdout", "stderr")), row.real("time"), row.blob("data")),
        )
        for row in file.rows("output", "WHERE id > ? ORDER BY id", (after,))
    )


def read_saved(file: TraceFile, interned: Interned, pass_id: int, node: int) -> tuple[SavedTensor, ...]:
    return tuple(
        SavedTensor(
            node=row.integer("node"),
            name=row.text("name", 10_000),
            spec=interned.spec(-1 if row.optional_integer("spec") is None else row.integer("spec")),
            version=row.optional_integer("version", -1),
            saved_version=row.optional_integer("saved_version", -1),
        )
        for row in file.rows("saved", "WHERE pass = ? AND node = ? ORDER BY rowid", (pass_id, node))
    )
