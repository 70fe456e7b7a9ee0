"""Reads a trace file, trusting nothing in it; the app's only door to a recording, live or finished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from gradviz.trace import model, samples, tables
from gradviz.trace.interned import Interned
from gradviz.trace.opening import TraceFile

if TYPE_CHECKING:
    from gradviz.trace.forward import Forward
    from gradviz.trace.graph import CallColumns, Ints, PassGraph, PassSteps
    from gradviz.trace.passes import Passes

T = TypeVar("T")
UNREAD = object()
# Tables that only grow change with their last id; in these rows change, or have no id.
CHANGING = (
    "SELECT max(id), total(steps), total(nodes), total(repeats), count(exception), count(failed_node), "
    "count(running_node), count(duration), total(length(outcome)) FROM backward",
    "SELECT max(id), total(in_graph), count(grad_spec), count(grad_stats), total(length(name)) FROM leaf",
    "SELECT max(rowid) FROM unreached",
)
GROWING = ("source", "thread", "module", "segment", "sample", "exception", "note", "output")


class Trace:
    """An open recording. Everything is read on demand and kept in bounded caches; `refresh` sees what was added since.

    Raises TraceError with one sentence for each kind of damage, on opening or when the damaged part is read. One that
    is still being written isn't held open between calls. May be used from several threads.
    """

    def __init__(self, path: Path) -> None:
        self._file = TraceFile(Path(path))
        self._interned = Interned(self._file)
        self._forward: Forward | None = None
        self._passes: Passes | None = None
        self._generation = 0
        self._small: dict[str, object] = {}  # small tables by name, until the next refresh finds something new
        try:
            self._state = self._fingerprint()
        except BaseException:  # whatever it is, it goes on
            self.close()
            raise

    @property
    def path(self) -> Path:
        return self._file.path

    def moved(self, path: Path) -> None:
        """The finished file lies elsewhere now; what was read of it stays."""
        self._file.close()
        self._file.path = Path(path)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def refresh(self) -> bool:
        """Look for additions (a file still being written); True if there were any."""
        state = self._fingerprint()
        if state == self._state:
            return False
        self._state = state
        self._generation += 1
        self._small.clear()
        if self._forward is not None:
            self._forward.refresh()
        if self._passes is not None:
            self._passes.refresh()
        return True

    # -- small tables
    def run(self) -> model.RunInfo:
        return self._once("run", lambda: tables.read_run(self._file))

    def sources(self) -> tuple[model.Source, ...]:
        return self._once("sources", self._interned.sources)

    def source(self, path: str) -> model.Source | None:
        return next((source for source in self.sources() if source.path == path), None)

    def passes(self) -> tuple[model.Backward, ...]:
        return self._once("passes", lambda: tables.read_passes(self._file, self._interned))

    def exceptions(self) -> tuple[model.ExceptionInfo, ...]:
        return self._once("exceptions", lambda: tables.read_exceptions(self._file, self._interned))

    def leaves(self) -> tuple[model.Leaf, ...]:
        """Position = id."""
        return self._once("leaves", lambda: tables.read_leaves(self._file, self._interned))

    def modules(self) -> tuple[model.Module, ...]:
        """Position = id."""
        return self._once("modules", lambda: tables.read_modules(self._file))

    def notes(self) -> tuple[model.Note, ...]:
        return self._once("notes", lambda: tables.read_notes(self._file, self._interned))

    def unreached(self) -> tuple[model.Unreached, ...]:
        return self._once("unreached", lambda: tables.read_unreached(self._file, self._interned))

    def threads(self) -> tuple[str, ...]:
        return self._once("threads", lambda: tables.read_threads(self._file))

    def output(self, after: int = -1) -> tuple[tuple[int, model.OutputChunk], ...]:
        """What the script printed after the chunk with number `after`, each with its number."""
        return tables.read_output(self._file, after)

    # -- interned
    def string(self, number: int) -> str:
        """ "" for -1."""
        return self._interned.string(number)

    def spec(self, number: int) -> model.Spec | None:
        """None for -1."""
        return self._interned.spec(number)

    def stack(self, number: int) -> model.Stack:
        """() for -1."""
        return self._interned.stack(number)

    # -- ops (forward calls); numbers have gaps
    def op_numbers(self) -> list[int]:
        return self._forward_side().numbers()

    def op(self, number: int) -> model.Op | None:
        return self._forward_side().op(number)

    def ops(self) -> tuple[model.Op, ...]:
        return self._forward_side().ops()

    def producer(self, value: int, before: int | None = None) -> model.Op | None:
        """The newest op (numbered below `before`) among whose results is this value."""
        return self._forward_side().producer(value, before)

    def users(self, value: int) -> tuple[model.Op, ...]:
        """The ops among whose operands is this value, in order."""
        return self._forward_side().users(value)

    def op_stacks(self) -> tuple[Ints, Ints]:
        """Numbers and stack ids of all ops, in one look."""
        return self._forward_side().stacks()

    def call(self, number: int) -> model.ModuleCall | None:
        return self._forward_side().call(number)

    def calls(self) -> CallColumns:
        """All module calls of the run, in one look."""
        return self._once("calls", lambda: self._forward_side().calls())

    # -- one pass
    def graph(self, pass_id: int) -> PassGraph:
        return self._backward_side().of(pass_id).graph()

    def steps(self, pass_id: int) -> PassSteps:
        return self._backward_side().of(pass_id).steps()

    def node(self, pass_id: int, index: int) -> model.Node:
        return self._backward_side().of(pass_id).node(index)

    def step(self, pass_id: int, number: int) -> model.Step:
        return self._backward_side().of(pass_id).step(number)

    def returned(self, pass_id: int) -> tuple[model.Returned, ...]:
        return self._backward_side().of(pass_id).returned()

    def saved(self, pass_id: int, node: int) -> tuple[model.SavedTensor, ...]:
        return tables.read_saved(self._file, self._interned, pass_id, node)

    def samples(self, pass_id: int, step: int) -> tuple[model.Sample, ...]:
        """What was kept at this step; -1 = of the seeds."""
        return samples.read_samples(self._file, self._interned, "pass = ? AND step = ?", (pass_id, step))

    def leaf_sample(self, leaf: int) -> model.Sample | None:
        """What was kept of a leaf's .grad at the end."""
        found = samples.read_samples(self._file, self._interned, "role = 'leaf-grad' AND slot = ?", (leaf,))
        return found[-1] if found else None

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What somebody made of the recording, until it grows: the next who asks needn't make it again."""
        return self._once(f"made: {name}", make)

    def _once(self, name: str, read: Callable[[], T]) -> T:
        kept = self._small.get(name, UNREAD)
        if kept is not UNREAD:
            return kept  # type: ignore[return-value]  # each name is read by one function
        generation, value = self._generation, read()
        if generation == self._generation:  # else another thread refreshed amid this reading: it may be old
            self._small[name] = value
        return value

    def _forward_side(self) -> Forward:
        if self._forward is None:
            from gradviz.trace.forward import Forward  # brings numpy, which a look at the run alone doesn't need

            self._forward = Forward(self._file, self._interned)
        return self._forward

    def _backward_side(self) -> Passes:
        if self._passes is None:
            from gradviz.trace.passes import Passes  # as above

            self._passes = Passes(self._file, self._interned)
        return self._passes

    def _fingerprint(self) -> tuple[object, ...]:
        """Changes with whatever is added or changed, and costs little however much there is."""
        with self._file.reading() as connection:
            lasts = tuple(self._file.ids(table) for table in GROWING)
            changing = tuple(connection.execute(sql).fetchone() for sql in CHANGING)
            return (tables.read_run(self._file), lasts, changing)
