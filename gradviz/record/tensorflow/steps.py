"""Watches a pass run: which node each step is, what it receives, and whether what it hands on has the right shape.

TensorFlow tells of a step by the name of its op, with only such inputs and outputs as the gradient needs. Which node it
is follows from those, and from where the gradients that it receives came from: tensors are told apart by their numbers.
TensorFlow checks no shape. Nothing is kept but for measuring, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any

from gradviz.record.arraysamples import sample_of_array
from gradviz.record.passrecord import SEVERAL
from gradviz.record.tensorflow.passes import TapePass
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.tapes import Entry
from gradviz.record.tensorflow.values import EagerTensor, array_of, numpy
from gradviz.record.tensorflow.walk import Graph, Port
from gradviz.trace.packing import NODE_CUSTOM

WHOLE = 65_536  # entries; at level `values` a larger gradient is thinned as any sample is
BUDGET = 256 << 20  # bytes of one pass: what comes after has its figures only


class Run:
    """One pass that is running."""

    def __init__(self, recorder: Recorder, record: TapePass, graph: Graph) -> None:
        self._recorder = recorder
        self._record = record
        self._graph = graph
        self._values = recorder.values
        self._cells = recorder.session.live.cells
        self._ways: dict[int, list[Port]] = {}  # id of a gradient -> where it was handed to
        self._waiting: dict[int, list[int]] = {}  # name -> nodes of it that have not run, newest last
        for node in range(len(graph.entries) - 1, -1, -1):
            self._waiting.setdefault(graph.name[node], []).append(node)
        self._makers: dict[int, int] = {each: at for each, (at, _) in graph.ports.items()}
        self._ran: set[int] = set()
        self._measured: dict[int, int] = {}  # number of a gradient -> the slot that was given it first
        self._keeps = recorder.session.level == "values"
        self._left = BUDGET
        self.dead_ends: list[int] = []  # nodes that were given a gradient and handed on none
        self.fault: BaseException | None = None

    # -- TensorFlow calls these

    def step(self, original: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        """In the place of the function that runs the gradient of any op of TensorFlow's own."""
        op_name, _, _, inputs, outputs, received, _, _ = given
        node = -1
        try:
            name = self._recorder.writer.string(op_name if isinstance(op_name, str) else op_name.decode())
            node = self._find(name, inputs or (), outputs or (), received)
            if node >= 0:
                self._begin(node, received)
        except Exception as fault:  # noqa: BLE001  # a fault of the recorder's must not become the script's
            self.fault = fault
        result = original(*given)
        self._over(node, result)
        return result

    def custom_step(self, entry: Entry, backward: Callable[..., Any], received: tuple[Any, ...]) -> Any:
        """In the place of a person's own gradient function."""
        node = self._graph.node_of.get(id(entry), -1)
        try:
            if node >= 0:
                if self._record.measures is not None:
                    self._record.measures.flush()
                self._begin(node, received)
        except Exception as fault:  # noqa: BLE001  # as above
            self.fault = fault
        result = backward(*received)
        self._over(node, result)
        return result

    def summed(self, parts: Any, total: Any) -> None:
        """Gradients that met at one tensor were added up."""
        if not isinstance(total, EagerTensor) or not isinstance(parts, (list, tuple)):
            return
        common: list[Port] | None = None
        for each in parts:
            ways = self._ways.get(getattr(each, "_id", -1))
            if ways is not None:
                common = list(ways) if common is None else [way for way in common if way in ways] or common
        if common:
            self._ways.setdefault(total._id, []).extend(common)

    def seeded(self, gradient: Any, port: Port) -> None:
        """A seed that was given enters here."""
        if isinstance(gradient, EagerTensor):
            self._ways.setdefault(gradient._id, []).append(port)

    # -- parts

    def _find(self, name: int, inputs: Sequence[Any], outputs: Sequence[Any], received: Sequence[Any]) -> int:
        """The node that a step is; -1 where it is none of this pass."""
        graph = self._graph
        for each in outputs:
            if each is not None:
                node = self._makers.get(each._id, -1)
                if node >= 0 and graph.name[node] == name and node not in self._ran:
                    return node
        found = self._waiting.get(name, [])
        if len(found) > 1:
            for slot, gradient in enumerate(received):
                ways = self._ways.get(getattr(gradient, "_id", -1))
                if ways:
                    near = [
                        node for node, at in ways if at == slot and graph.name[node] == name and node not in self._ran
                    ]
                    found = near or found
                    break
        while found and found[-1] in self._ran:
            found.pop()
        for position, each in enumerate(inputs):
            if len(found) > 1 and each is not None:
                same = [n for n in found if n not in self._ran and self._has_input(n, position, each._id)]
                found = same or found
        return found[-1] if found else -1

    def _has_input(self, node: int, position: int, number: int) -> bool:
        ids = self._graph.entries[node].in_ids
        return position < len(ids) and ids[position] == number

    def _begin(self, node: int, received: Sequence[Any]) -> None:
        record, values = self._record, self._values
        self._ran.add(node)
        self._cells[2] = node
        specs = [values.of_gradient(each) for each in received]
        now = perf_counter_ns() - record.started
        count = record.graph.expected_end[node] - self._graph.slot_number(node, 0)
        if count == 1 and len(specs) == 1:
            record.steps += (node, now, specs[0], 0)
        else:
            record.steps += (node, now, SEVERAL, 0)
            rows: list[int] = []
            for spec in specs[:count]:
                rows += (spec, 0)
            record.several[node] = rows
        for slot, each in enumerate(received[:count]):
            self.measure(node, slot, each, specs[slot])

    def measure(self, node: int, slot: int, gradient: Any, spec: int) -> None:
        """The statistics of what a node receives, and its numbers where they are wanted."""
        measures = self._record.measures
        if measures is None or gradient is None:
            return
        place = self._graph.slot_number(node, slot)
        number = getattr(gradient, "_id", -1 - place)  # of one that isn't a tensor: of its own
        first = self._measured.setdefault(number, place)
        if first != place:  # handed on as it is: to a leaf, or by an addition to both its inputs
            measures.same(place, first)
            if not self._keeps:
                return
        numbers = array_of(gradient)
        if numbers is None:
            return
        if first == place:
            measures.add(place, numbers)
        if self._keeps and self._left > 0:
            sample = sample_of_array(numpy, numbers, numbers.size <= WHOLE)
            if sample is not None:
                self._left -= len(sample["data"])
                step = self._record.step_count() - 1
                self._record.samples.append((step, slot, "received", spec, sample))

    def _over(self, node: int, result: Any) -> None:
        """The step has run: follow what it hands on."""
        if node < 0:
            return
        try:
            graph = self._graph
            handed = result if isinstance(result, (list, tuple)) else (result,)
            heads = graph.heads[node]
            any_handed = False
            for position, gradient in enumerate(handed):
                port = heads.get(position)
                if port is None or gradient is None:
                    continue
                any_handed = True
                if isinstance(gradient, EagerTensor):
                    self._ways.setdefault(gradient._id, []).append(port)
                self._compare(node, position, gradient, graph.expected[graph.slot_number(*port)])
            if not any_handed and heads:
                self.dead_ends.append(node)
            if graph.flags[node] & NODE_CUSTOM:
                for position, gradient in enumerate(handed):
                    if gradient is None and position in heads:
                        self._record.returned += (self._record.step_count() - 1, position, -1, -1)
        except Exception as fault:  # noqa: BLE001  # as above
            self.fault = fault

    def _compare(self, node: int, position: int, gradient: Any, expected: int) -> None:
        """A gradient of another shape than its input is written down: TensorFlow itself says nothing."""
        values, record = self._values, self._record
        spec = values.of_gradient(gradient)
        if spec == expected:
            return
        shape, wanted = values.shapes.get(spec), values.shapes.get(expected)
        if shape is None or wanted is None or shape == wanted or "?" in shape or "?" in wanted:
            return
        record.returned += (record.step_count() - 1, position, spec, -1)
        record.faulty = True
