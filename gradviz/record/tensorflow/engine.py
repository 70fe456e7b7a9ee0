"""Records backward passes at the one door that GradientTape.gradient goes through, `imperative_grad`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from json import dumps
from time import perf_counter_ns
from types import FrameType
from typing import Any

from gradviz.record.arraymeasures import ArrayMeasures
from gradviz.record.arraysamples import sample_of_array
from gradviz.record.exceptiontext import message_of
from gradviz.record.guard import guarded
from gradviz.record.passstore import PassStore
from gradviz.record.tensorflow.leaves import Leaves
from gradviz.record.tensorflow.missing import Missing
from gradviz.record.tensorflow.notfinite import look
from gradviz.record.tensorflow.ops import Ops
from gradviz.record.tensorflow.passes import ENTRY, TapePass
from gradviz.record.tensorflow.state import Recorder, ThreadState
from gradviz.record.tensorflow.steps import Run
from gradviz.record.tensorflow.tapes import TapeRecord
from gradviz.record.tensorflow.values import EagerTensor, array_of, number_of, numpy
from gradviz.record.tensorflow.walk import Graph, Port, walk

MOST_SAMPLES = 8
DETAIL = {"framework": "tensorflow"}  # of an exception
CONSUMED = "can only be used to compute one set of gradients"


class Engine:
    """Watches gradient()."""

    def __init__(self, recorder: Recorder, store: PassStore, leaves: Leaves, ops: Ops) -> None:
        self._recorder = recorder
        self._store = store
        self._leaves = leaves
        self._ops = ops
        self._missing = Missing(recorder, leaves)
        self._leaf_name = recorder.writer.string("variable")

    def run(
        self, original: Callable[..., Any], tape: TapeRecord, given: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """`imperative_grad(tape, target, sources, output_gradients=, sources_raw=, unconnected_gradients=)`."""
        recorder = self._recorder
        state, frame = recorder.state(), sys._getframe(2)
        record: TapePass | None = None
        run: Run | None = None
        with guarded(recorder.session):
            record = self._begin(state, tape, given[1], given[2], kwargs.get("output_gradients"), frame)
            run = Run(recorder, record, record.graph)
            self._seed(record, run, given[1], kwargs.get("output_gradients"))
        if record is None or run is None:
            return original(*given, **kwargs)
        cells = recorder.session.live.cells
        before, outer = (cells[1], cells[2]), state.run
        state.passes.append(record)
        state.run = run
        cells[2] = -1
        cells[1] = self._store.stored_as(record)
        silenced = not state.tapes and state.callback is not None
        if silenced:  # nothing follows the ops of this pass
            self._ops.leave(state)
        result: Any = None
        try:
            result = original(*given, **kwargs)
            record.outcome = "completed"
            return result
        except BaseException as error:  # the script's: noted, and it goes on
            with guarded(recorder.session):
                self._failed(state, record, error)
            raise
        finally:
            record.duration = (perf_counter_ns() - record.started) / 1e9
            cells[1], cells[2] = before
            state.passes.pop()
            state.run = outer
            if silenced:
                self._ops.enter(state)
            with guarded(recorder.session):
                self._end(record, run, tape, given, kwargs, result, frame)

    # -- before

    def _begin(
        self, state: ThreadState, tape: TapeRecord, targets: Any, sources: Any, seeds: Any, frame: FrameType
    ) -> TapePass:
        recorder = self._recorder
        graph = walk(tape, [each._id for each in targets], self._leaf_name)
        outer = state.passes[-1] if state.passes else None
        record = TapePass(next(recorder.pass_numbers), outer.number if outer else None, state.number, graph)
        record.leaves = self._leaves
        stack = recorder.frames.stack(frame)
        self._leaves.find_names(graph.leaf_entries, frame)
        roots, inputs = self._ports(tape, graph, targets), self._ports(tape, graph, sources)
        graph.mark([r["node"] for r in roots if r["node"] >= 0], [r["node"] for r in inputs if r["node"] >= 0])
        given: list[Any] = []
        for each in seeds if seeds is not None else ():
            is_tensor = isinstance(each, EagerTensor)
            given.append({"value": number_of(each), "spec": recorder.values.spec(each)} if is_tensor else None)
        record.columns.update(
            stack=stack, roots=dumps(roots), seeds=dumps(given), inputs=dumps(inputs), entry=ENTRY,
            retain_graph=int(tape.persistent), create_graph=int(bool(state.tapes)), batched=0, allow_unused=1,
            phase=recorder.session.phase,
        )  # fmt: skip
        specs = [row["spec"] for row in (*roots, *inputs)] + [row and row["spec"] for row in given]
        record.structure = graph.structure(repr((stack, specs, recorder.session.phase)))
        if recorder.session.level != "shapes":
            record.measures = ArrayMeasures(numpy)
        if tape.used is None:
            tape.used = recorder.user_place(frame)
        self._store.begin(record)
        return record

    def _ports(self, tape: TapeRecord, graph: Graph, tensors: Sequence[Any]) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for each in tensors:
            number = each._id
            node, slot = graph.ports.get(number, (-1, 0))
            leaf = tape.leaves.get(number)
            spec = leaf.spec if leaf is not None else self._recorder.values.spec(each)
            value = number_of(each)
            rows.append({"node": node, "slot": slot, "value": value, "spec": spec, "requires_grad": number in tape.ids})
        return rows

    def _seed(self, record: TapePass, run: Run, targets: Any, seeds: Any) -> None:
        for at, (target, each) in enumerate(zip(targets, seeds if seeds is not None else ())):
            port = record.graph.ports.get(target._id)
            if port is not None and isinstance(each, EagerTensor):
                run.seeded(each, port)
                numbers = array_of(each) if record.measures is not None and record.stored else None
                if numbers is not None:
                    self._sample(record, -1, at, "seed", self._recorder.values.spec(each), numbers)

    # -- after

    def _end(
        self, record: TapePass, run: Run, tape: TapeRecord, given: tuple[Any, ...], kwargs: dict[str, Any],
        result: Any, frame: FrameType,
    ) -> None:  # fmt: skip
        arrived: list[tuple[int, int, Any]] = []
        if result is not None:
            for source, gradient in zip(given[2], result):
                port = record.graph.ports.get(source._id)
                if port is not None and gradient is not None and record.graph.is_leaf(port[0]):
                    arrived.append((port[0], self._arrive(record, run, port, gradient), gradient))
        measures, spoiled = record.measures, False
        if measures is not None:
            measures.flush()
            spoiled = bool(measures.non_finite)
            self._non_finite(record, measures)
        missing = [at for at, each in enumerate(result) if each is None] if result is not None else []
        if missing:
            record.faulty = True
        if run.fault is not None:
            self._recorder.session.note("recorder-fault", f"A step could not be recorded whole: {run.fault!r}")
        self._store.end(record)
        if spoiled and record.stored:
            self._look(record)
        if missing:
            self._missing.tell(record, run, tape, given, kwargs.get("sources_raw"), missing, len(result), frame)
        for node, spec, gradient in arrived:
            leaf = record.graph.leaf_entries[record.graph.leaves[node]]
            figures = measures.of(record.graph.slot_number(node, 0)) if measures is not None else None
            self._leaves.arrived(leaf, spec, figures, array_of(gradient))

    def _look(self, record: TapePass) -> None:
        state = self._recorder.state()
        was_called_back = state.callback is not None
        self._ops.leave(state)
        try:
            look(self._recorder, record)
        finally:
            if was_called_back:
                self._ops.enter(state)

    def _arrive(self, record: TapePass, run: Run, port: Port, gradient: Any) -> int:
        """A leaf's gradient is the last step of its way."""
        spec = self._recorder.values.of_gradient(gradient)
        record.steps += (port[0], perf_counter_ns() - record.started, spec, 0)
        run.measure(port[0], 0, gradient, spec)
        return spec

    def _non_finite(self, record: TapePass, measures: ArrayMeasures) -> None:
        for slot, numbers in measures.non_finite[:MOST_SAMPLES]:
            record.faulty = True
            place = record.place_of_slot(slot)
            if place is not None:
                spec = record.graph.expected[slot]
                self._sample(record, place[0], place[1], "received", spec, numbers)
        measures.non_finite.clear()

    def _sample(self, record: TapePass, step: int, slot: int, role: str, spec: int, numbers: Any) -> None:
        sample = sample_of_array(numpy, numbers)
        if sample is not None:
            record.samples.append((step, slot, role, spec, sample))

    def _failed(self, state: ThreadState, record: TapePass, error: BaseException) -> None:
        state.last_error = id(error)
        if record.ended_by(error):
            record.exception = self._recorder.session.seen_exception(
                error, "backward", pass_id=record.number, stack=record.columns["stack"], detail=DETAIL
            )

    # -- a pass that never began

    def refused(self, tape: TapeRecord, targets: Sequence[Any], error: Exception, frame: FrameType) -> None:
        """gradient() raised before anything ran: the graph is shown all the same, with what is known of the tape."""
        state = self._recorder.state()
        if state.last_error == id(error):
            return
        state.last_error = id(error)
        flat = [each for each in targets if isinstance(each, EagerTensor)]
        detail: dict[str, Any] = dict(DETAIL)
        if CONSUMED in message_of(error):
            detail.update(tape="consumed", made=tape.made, used=tape.used)
        graph = walk(tape, [each._id for each in flat], self._leaf_name)
        record = TapePass(next(self._recorder.pass_numbers), None, state.number, graph)
        record.leaves = self._leaves
        stack = self._recorder.frames.stack(frame)
        self._leaves.find_names(graph.leaf_entries, frame)
        record.columns.update(
            stack=stack, roots=dumps(self._ports(tape, graph, flat)), seeds="[]", inputs="[]", entry=ENTRY,
            retain_graph=int(tape.persistent), create_graph=0, batched=0, allow_unused=1,
            phase=self._recorder.session.phase,
        )  # fmt: skip
        record.structure = graph.structure("refused")
        record.outcome = "refused"
        record.exception = self._recorder.session.seen_exception(
            error, "backward", pass_id=record.number, stack=stack, detail=detail
        )
        self._store.write_alone(record)
