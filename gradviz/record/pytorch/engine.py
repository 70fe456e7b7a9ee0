"""Records backward passes at the one door that all of them go through, `torch.autograd._engine_run_backward`."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter_ns
from types import FrameType
from typing import Any

import torch

from gradviz.record.ownframes import is_own
from gradviz.record.passstore import PassStore
from gradviz.record.pytorch.batches import Batches
from gradviz.record.pytorch.culprit import Culprit
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.leaves import Leaves
from gradviz.record.pytorch.modes import mode_off
from gradviz.record.pytorch.passes import TorchPass
from gradviz.record.pytorch.ports import Given, as_json, port_rows, root_nodes
from gradviz.record.pytorch.samples import sample_of
from gradviz.record.pytorch.saved import saved_tensors
from gradviz.record.pytorch.seedkinds import seed_type
from gradviz.record.pytorch.state import Recorder, ThreadState
from gradviz.record.pytorch.steps import NodeHooks
from gradviz.record.pytorch.values import is_wrapped
from gradviz.record.pytorch.walk import Walker
from gradviz.trace.packing import NODE_CAPTURED, NODE_ROOT

SAVED_PASSES = 3
MOST_SEEDS = 8  # that a sample is kept of


class Engine:
    """Watches the engine."""

    def __init__(self, recorder: Recorder, store: PassStore, leaves: Leaves) -> None:
        self._recorder = recorder
        self._store = store
        self._leaves = leaves
        self._walker = Walker(recorder)
        self._culprit = Culprit(recorder)
        self._saved_from: dict[int, int] = {}  # call site -> passes whose saved tensors were looked at

    # -- the two patched functions

    def make_grads(self, original: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
        """`_make_grads`: keep what seeds were given; a pass that it refuses is recorded all the same."""
        recorder = self._recorder
        state = recorder.state()
        outputs, seeds, is_batched = bound(original, args, kwargs)
        with guarded(recorder):
            state.given = Given(recorder, list(outputs), seeds)
        try:
            return original(*args, **kwargs)
        except Exception as error:  # the script's: noted, and it goes on
            with guarded(recorder):
                self._refused(state, outputs, seeds, is_batched, caller_of_ours(), error)
            raise

    def seeds_refused(self, outputs: Any, caller: FrameType, error: BaseException) -> None:
        """Seeds that are no tensors were turned away: the pass that was asked for is recorded all the same."""
        self._refused(self._recorder.state(), outputs, (), False, caller, error)

    def run(self, original: Callable[..., Any], outputs: Sequence[Any], args: Sequence[Any], kwargs: Any) -> Any:
        """`_engine_run_backward`."""
        recorder = self._recorder
        state = recorder.state()
        record: TorchPass | None = None
        hooks: NodeHooks | None = None
        frame = caller_of_ours()
        with guarded(recorder), collector_off():
            record = self._begin(state, outputs, args, kwargs, frame)
            hooks = NodeHooks(recorder, record)
        if record is None:
            return original(outputs, *args, **kwargs)
        cells = recorder.session.live.cells
        outer = state.passes[-1] if state.passes else None
        before = (cells[1], cells[2])
        if outer is not None:
            outer.active = False
        state.passes.append(record)
        cells[2] = -1
        cells[1] = self._store.stored_as(record)
        record.started = perf_counter_ns()
        try:
            with mode_off(state):
                result = original(outputs, *args, **kwargs)
            record.outcome = "completed"
            return result
        except BaseException as error:  # the script's: noted, and it goes on
            with guarded(recorder):
                self._failed(record, error)
            raise
        finally:
            record.duration = (perf_counter_ns() - record.started) / 1e9
            cells[1], cells[2] = before
            state.passes.pop()
            if outer is not None:
                outer.active = True
            if hooks is not None:
                hooks.remove()
            with guarded(recorder):
                self._end(record)
            record.graph.let_go()

    # -- before

    def _begin(
        self, state: ThreadState, outputs: Sequence[Any], args: Sequence[Any], kwargs: Any, frame: FrameType
    ) -> TorchPass:
        recorder = self._recorder
        seeds, retain, create, inputs = args[0], bool(args[1]), bool(args[2]), tuple(args[3] or ())
        is_grad = not kwargs.get("accumulate_grad", True)
        if recorder.session.in_function and not (is_grad and create):
            recorder.differentiated = True
        given, state.given = state.given, None
        if given is None or given.output_ids != [id(output) for output in outputs]:
            given = Given(recorder, outputs, seeds)
        state.trim()
        graph = self._walker.walk(root_nodes(outputs), state)
        outer = state.passes[-1] if state.passes else None
        record = TorchPass(next(recorder.pass_numbers), outer.number if outer else None, state.number, graph)
        record.leaves = self._leaves  # the store may be another framework's
        batched = _is_batched(seeds)
        self._fill(record, outputs, inputs, given, frame)
        record.columns.update(
            entry="grad" if is_grad else "backward",
            retain_graph=int(retain),
            create_graph=int(create),
            batched=int(batched),
            allow_unused=int(is_grad and len(args) > 4 and bool(args[4])),
            phase=recorder.session.phase,
        )
        record.structure = graph.structure(self._identity(record))
        if recorder.session.level != "shapes" and not _only_shapes(batched):
            record.batches = Batches()
            self._sample_seeds(record, seeds, given)
        self._name_leaves(record, frame)
        self._store.begin(record)
        if record.stored and self._looked_at(record.columns["stack"]):
            record.saved = saved_tensors(recorder, graph)
        return record

    def _looked_at(self, stack: int) -> bool:
        """Whether saved tensors are looked at: in the first passes from each place."""
        count = self._saved_from[stack] = self._saved_from.get(stack, 0) + 1
        return count <= SAVED_PASSES

    def _fill(
        self, record: TorchPass, outputs: Sequence[Any], inputs: Sequence[Any], given: Given, frame: FrameType
    ) -> None:
        graph = record.graph
        roots, captured = port_rows(self._recorder, outputs, graph), port_rows(self._recorder, inputs, graph)
        for rows, flag in ((roots, NODE_ROOT), (captured, NODE_CAPTURED)):
            for row in rows:
                if row["node"] >= 0:
                    graph.flags[row["node"]] |= flag
        self._recorder.roots_seen.update(row["value"] for row in roots)
        record.ports = [(row["node"], row["slot"], row["spec"]) for row in (*roots, *captured)]
        record.seeds = given.seeds
        stack = self._recorder.frames.stack(frame)
        record.columns.update(stack=stack, roots=as_json(roots), seeds=as_json(given.seeds), inputs=as_json(captured))

    def _identity(self, record: TorchPass) -> str:
        """What else two passes must have in common to be the same: call site, kind, and what the seeds look like."""
        columns = record.columns
        parameters = sorted(set(record.graph.leaves.values()) & self._leaves.parameters())
        seeds = [seed and seed["spec"] for seed in record.seeds]
        kinds = [columns[name] for name in ("entry", "stack", "retain_graph", "create_graph", "batched", "phase")]
        return repr((kinds, seeds, parameters, record.ports))

    def _name_leaves(self, record: TorchPass, frame: FrameType | None) -> None:
        unnamed = self._leaves.unnamed(record.graph.leaves.values())
        if unnamed:
            entries = record.graph.leaf_entries
            tensors = {value: entries[value]() for value in unnamed}
            self._leaves.find_names({value: each for value, each in tensors.items() if each is not None}, frame)

    def _sample_seeds(self, record: TorchPass, seeds: Sequence[Any], given: Given) -> None:
        if given.none_given:
            return
        for number, seed in enumerate(seeds[:MOST_SEEDS]):
            sample = sample_of(seed) if isinstance(seed, torch.Tensor) else None
            if sample is not None:
                record.samples.append((-1, number, "seed", self._recorder.values.spec(seed), sample))

    # -- after

    def _end(self, record: TorchPass) -> None:
        batches = record.batches
        if batches is not None:
            total = len(record.graph.expected) + len(record.returned) // 4
            record.figures = batches.columns(total + 1)  # the last row is no slot's: not taken
            self._sample_non_finite(record, batches)
            record.batches = None
        if record.fault is not None:
            self._recorder.session.note("recorder-fault", f"A step could not be recorded whole: {record.fault!r}")
        self._store.end(record)

    def _sample_non_finite(self, record: TorchPass, batches: Batches) -> None:
        figures = record.figures or []
        if figures and (any(count > 0 for count in figures[0]) or any(count > 0 for count in figures[1])):
            record.faulty = True
        for slot, tensor in batches.non_finite[:MOST_SEEDS]:
            self._add_sample(record, slot, tensor)
        batches.non_finite.clear()

    def _add_sample(self, record: TorchPass, slot: int, tensor: Any) -> None:
        place = record.place_of_slot(slot)
        sample = sample_of(tensor)
        if place is not None and sample is not None:
            step, number = place
            record.samples.append((step, number, "received", self._recorder.values.spec(tensor), sample))

    def _failed(self, record: TorchPass, error: BaseException) -> None:
        session = self._recorder.session
        self._recorder.state().last_error = id(error)  # it is this pass's, not the call's of `grad` that it leaves next
        record.faulty = True
        interrupted = not isinstance(error, Exception)
        node, began, detail = self._culprit.find(record, error)
        record.failed_node = node
        record.outcome = "interrupted" if interrupted else "raised" if began else "refused"
        if not interrupted:
            record.exception = session.seen_exception(
                error, "backward", pass_id=record.number, stack=record.columns["stack"], detail=detail
            )
        batches = record.batches
        if node is not None and batches is not None:
            for slot in range(record.slot_start(node), record.graph.expected_end[node]):
                tensor = batches.pending(slot)
                if tensor is not None:
                    self._add_sample(record, slot, tensor)
            record.saved = [row for row in record.saved if row[0] != node] + saved_tensors(
                self._recorder, record.graph, [node]
            )

    def _refused(
        self, state: ThreadState, outputs: Any, seeds: Any, is_batched: bool, caller: FrameType, error: BaseException
    ) -> None:
        """Seeds that don't fit, or none where one is needed: the graph is shown though no node ran."""
        recorder = self._recorder
        outputs = list(outputs)
        state.last_error = id(error)
        names = caller.f_locals
        inputs = names.get("inputs") or ()
        inputs = (inputs,) if isinstance(inputs, (torch.Tensor,)) else tuple(inputs)
        given, state.given = state.given or Given(recorder, outputs, seeds), None
        graph = self._walker.walk(root_nodes(outputs), state)
        record = TorchPass(next(recorder.pass_numbers), None, state.number, graph)
        record.leaves = self._leaves  # the store may be another framework's
        self._fill(record, outputs, inputs, given, caller)
        record.columns.update(
            entry=caller.f_code.co_name if caller.f_code.co_name in ("backward", "grad") else "engine",
            retain_graph=int(bool(names.get("retain_graph"))),
            create_graph=int(bool(names.get("create_graph"))),
            batched=int(bool(is_batched)),
            phase=recorder.session.phase,
        )
        record.structure = graph.structure("refused")
        record.outcome = "refused"
        if recorder.session.level != "shapes":
            self._sample_seeds(record, list(seeds), given)
        self._name_leaves(record, caller)
        detail = seed_type(caller) if isinstance(error, TypeError) else {}
        record.exception = recorder.session.seen_exception(
            error, "backward", pass_id=record.number, stack=record.columns["stack"], detail=detail
        )
        self._store.write_alone(record)
        graph.let_go()

    def partial(self, state: ThreadState, op: int, stack: int, values: Sequence[Any], error: BaseException) -> None:
        """A forward call raised: its operands' graph, written as a pass that never was, so that it can be drawn."""
        recorder = self._recorder
        tensors = [value for value in _tensors(values) if value.requires_grad]
        graph = self._walker.walk(root_nodes(tensors), state)
        record = TorchPass(next(recorder.pass_numbers), None, state.number, graph)
        record.leaves = self._leaves  # the store may be another framework's
        self._fill(record, tensors, (), Given(recorder, tensors, None), caller_of_ours())
        record.columns.update(entry="engine", retain_graph=0, create_graph=0, batched=0, phase="forward", stack=stack)
        record.structure = graph.structure("forward")
        record.outcome = "refused"
        self._name_leaves(record, caller_of_ours())
        record.exception = recorder.session.seen_exception(error, "forward", pass_id=record.number, op=op, stack=stack)
        self._store.write_alone(record)
        graph.let_go()


def bound(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The arguments by position, wherever they were given by name."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    return [args[at] if at < len(args) else kwargs.get(name) for at, name in enumerate(names)]


def caller_of_ours() -> FrameType:
    """The frame that called into the recorder."""
    frame = sys._getframe(1)
    while is_own(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _tensors(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


@contextlib.contextmanager
def collector_off() -> Iterator[None]:
    """While many objects are made and no code of the user's runs: the collector would look through all of them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_batched(seeds: Sequence[Any]) -> bool:
    return any(isinstance(seed, torch.Tensor) and is_wrapped(seed) for seed in seeds)


def _only_shapes(batched: bool) -> bool:
    """Reading values under a functorch transform kills the script; a dispatch mode of the user's would see it."""
    return (
        batched or torch._C._functorch.peek_interpreter_stack() is not None or torch._C._len_torch_dispatch_stack() > 0
    )
