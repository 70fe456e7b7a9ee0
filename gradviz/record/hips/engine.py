"""Records backward passes at the one door that all of them go through, `autograd.core.backward_pass`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from json import dumps
from threading import get_ident
from time import perf_counter_ns
from types import CodeType, FrameType
from typing import Any

from autograd.tracer import box_types

from gradviz.record.guard import guarded, note_fault
from gradviz.record.hips.leaves import Leaves
from gradviz.record.hips.measures import arrays_in, measures
from gradviz.record.hips.notfinite import look
from gradviz.record.hips.passes import ENTRY, HipsPass
from gradviz.record.hips.samples import sample_of
from gradviz.record.hips.state import Recorder, ThreadState
from gradviz.record.hips.steps import Run
from gradviz.record.hips.walk import Graph, UnrecordedNode, Walker, record_of
from gradviz.record.passstore import PassStore

MOST_SAMPLES = 8
MOST_KEYS = 10_000
FIRST = (0,)
ROOT = '[{"node": 0, "slot": 0, "value": %d, "spec": %d, "requires_grad": true}]'
DETAIL = {"framework": "autograd"}  # of an exception


class Engine:
    """Watches backward_pass."""

    def __init__(
        self, recorder: Recorder, store: PassStore, leaves: Leaves, walker: Walker, trace_code: CodeType
    ) -> None:
        self._recorder = recorder
        self._store = store
        self._leaves = leaves
        self._walker = walker
        self._trace_code = trace_code
        self._structures: dict[Any, str] = {}
        self.implicit: set[CodeType] = set()  # of grad and its like: they make the seed themselves, a single 1

    def run(self, original: Callable[..., Any], g: Any, end_node: Any, frame: FrameType) -> Any:
        """`backward_pass(g, end_node)`."""
        recorder = self._recorder
        state = recorder.state()
        record: HipsPass | None = None
        run: Run | None = None
        try:
            record = self._begin(state, g, end_node, frame)
            run = Run(recorder, record, record.measures)
        except UnrecordedNode:
            record = None
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                note_fault(recorder.session, fault)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
        if record is None or run is None:
            return original(g, end_node)
        cells, ident = recorder.session.live.cells, get_ident()
        before, outer = (cells[1], cells[2]), recorder.runs.get(ident)
        state.passes.append(record)
        recorder.runs[ident] = run
        cells[2] = -1
        cells[1] = self._store.stored_as(record)
        try:
            result = original(g, end_node)
            record.outcome = "completed"
            return result
        except BaseException as error:  # the script's: noted, and it goes on
            with guarded(recorder.session):
                self._failed(state, record, error, g)
            raise
        finally:
            record.duration = (perf_counter_ns() - record.started) / 1e9
            cells[1], cells[2] = before
            state.passes.pop()
            if outer is None:
                recorder.runs.pop(ident, None)
            else:
                recorder.runs[ident] = outer
            try:
                self._end(record, run, g, frame)
            except Exception as fault:  # noqa: BLE001  # as above
                try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                    note_fault(recorder.session, fault)
                except RecursionError:  # the script is about to reach its limit, and does so by itself
                    pass

    # -- before

    def _begin(self, state: ThreadState, g: Any, end_node: Any, frame: FrameType) -> HipsPass:
        recorder, values = self._recorder, self._recorder.values
        graph = self._graph_of(end_node)
        caller = frame.f_back
        implicit = caller is not None and caller.f_code in self.implicit
        stack = recorder.frames.stack(frame, state.outer_stack, self._trace_code)
        outer = state.passes[-1] if state.passes else None
        record = HipsPass(next(recorder.pass_numbers), outer.number if outer else None, state.number, graph)
        record.leaves = self._leaves
        made = end_node.vjp
        graph.roots = FIRST
        record.columns = {
            "stack": stack, "roots": ROOT % (made.sequence, made.spec), "seeds": "[]", "inputs": "[]", "entry": ENTRY,
            "retain_graph": 1, "create_graph": 0, "batched": 0, "allow_unused": 0, "phase": recorder.session.phase,
        }  # fmt: skip
        seed = -1 if implicit else values.spec(g)
        if not implicit:
            record.columns["seeds"] = dumps([{"value": -1, "spec": seed}])
        boxed = type(g) in box_types
        record.columns["create_graph"] = int(boxed)
        recorder.roots_seen.add(graph.order[0])
        key = (graph.kind, stack, seed, boxed, recorder.session.phase)
        structure = self._structures.get(key)
        if structure is None:
            if len(self._structures) >= MOST_KEYS:
                self._structures.clear()
            structure = self._structures[key] = graph.structure(repr(key[1:]))
            self._leaves.find_names(graph.leaf_entries, frame)
        record.structure = structure
        if recorder.session.level != "shapes":
            record.measures = measures()
        self._store.begin(record)
        if not implicit and record.measures is not None and record.stored:
            self._sample(record, -1, 0, "seed", seed, g)
        return record

    def _fill(self, record: HipsPass, ends: Sequence[Any], stack: int) -> None:
        rows, graph = [], record.graph
        for end in ends:
            made = record_of(end)
            value, spec = made.sequence, made.spec
            rows.append({"node": graph.index[value], "slot": 0, "value": value, "spec": spec, "requires_grad": True})
        graph.roots = [row["node"] for row in rows]
        record.columns.update(
            stack=stack, roots=dumps(rows), seeds="[]", inputs="[]", entry=ENTRY, retain_graph=1,
            create_graph=0, batched=0, allow_unused=0, phase=self._recorder.session.phase,
        )  # fmt: skip

    # -- after

    def _end(self, record: HipsPass, run: Run, g: Any, frame: FrameType) -> None:
        taken, spoiled = record.measures, False
        if taken is not None:
            if record.graph.has_custom:  # a vjp of the person's own may hand on what they keep
                taken.flush()
            else:
                taken.settle(arrays_in([g, *(gradient for _, _, gradient in run.arrived)]))
            for slot, value in taken.non_finite[:MOST_SAMPLES]:
                record.faulty = spoiled = True
                place = record.place_of_slot(slot)
                if place is not None:
                    self._sample(record, place[0], 0, "received", self._recorder.values.spec(value), value)
            taken.non_finite.clear()
        if record.fault is not None:
            self._recorder.session.note("recorder-fault", f"A step could not be recorded whole: {record.fault!r}")
        self._store.end(record)
        if spoiled and record.stored:
            look(self._recorder, record, frame)
        if record.outcome == "completed":
            for leaf, spec, gradient in run.arrived:
                self._leaves.arrived(leaf, spec, gradient, taken is not None)

    def _sample(self, record: HipsPass, step: int, slot: int, role: str, spec: int, value: Any) -> None:
        sample = sample_of(value)
        if sample is not None:
            record.samples.append((step, slot, role, spec, sample))

    def _failed(self, state: ThreadState, record: HipsPass, error: BaseException, g: Any) -> None:
        state.last_error = id(error)
        if record.ended_by(error):
            record.exception = self._recorder.session.seen_exception(
                error, "backward", pass_id=record.number, stack=record.columns["stack"], detail=DETAIL
            )

    # -- graphs of passes that never ran

    def refused(self, end_node: Any, stack: int, error: BaseException) -> None:
        """The function's result isn't a single number: its graph is shown though no node ran."""
        record = self._alone([end_node], stack, self._recorder.session.phase, "refused")
        if record is not None:
            record.exception = self._recorder.session.seen_exception(
                error, "backward", pass_id=record.number, stack=stack, detail=DETAIL
            )
            self._store.write_alone(record)

    def partial(self, ends: Sequence[Any], stack: int, frame: FrameType | None) -> HipsPass | None:
        """A forward call raised: the graph of its operands, to be written with `write` when its error is known."""
        record = self._alone(ends, stack, "forward", "forward")
        if record is not None:
            record.columns["entry"] = "engine"
            self._leaves.find_names(record.graph.leaf_entries, frame)
        return record

    def write(self, record: HipsPass) -> None:
        """See partial."""
        self._store.write_alone(record)

    def _alone(self, ends: Sequence[Any], stack: int, phase: str, kind: str) -> HipsPass | None:
        try:
            graph = self._walker.walk(ends)
        except UnrecordedNode:
            return None
        record = HipsPass(next(self._recorder.pass_numbers), None, self._recorder.state().number, graph)
        record.leaves = self._leaves
        self._fill(record, ends, stack)
        record.columns["phase"] = phase
        record.structure = graph.structure(kind)
        record.outcome = "refused"
        self._leaves.find_names(graph.leaf_entries, None)
        return record

    def _graph_of(self, end_node: Any) -> Graph:
        """The graph behind a node, kept at the node: a Jacobian is one pass for each entry of the output."""
        record = record_of(end_node)
        graph: Graph | None = record.graph
        if graph is None:
            graph = record.graph = self._walker.walk([end_node])
        return graph
