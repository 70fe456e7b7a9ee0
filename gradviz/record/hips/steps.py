"""Watches a pass run: what each node receives, and whether what it hands on has the shapes of its arguments.

autograd checks neither. The gradients are looked at as they pass; nothing is kept and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter_ns
from typing import Any

from autograd.core import SparseObject
from autograd.tracer import box_types

from gradviz.record.arraymeasures import ArrayMeasures
from gradviz.record.guard import guarded
from gradviz.record.hips.measures import as_array
from gradviz.record.hips.nodes import Recorded
from gradviz.record.hips.samples import sample_of
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.values import NO_SHAPE, PLAIN, ndarray, numpy, unboxed
from gradviz.record.passrecord import PassRecord
from gradviz.trace.packing import NODE_CUSTOM

SPARSE = SparseObject
WHOLE = 65_536  # entries; at level `values` a larger gradient is thinned as any sample is
BUDGET = 256 << 20  # bytes of one pass: what comes after has its figures only


class Run:
    """One pass that is running."""

    def __init__(self, recorder: Recorder, record: PassRecord, measures: ArrayMeasures | None) -> None:
        self._recorder = recorder
        self._record = record
        self._index, self._wanted = record.graph.index, record.graph.wanted
        self._measures = measures
        self._known, self._spec_of = recorder.values.known, recorder.values.spec
        self._cells = recorder.session.live.cells
        self._steps, self._started = record.steps, record.started
        self._keeps = recorder.session.level == "values"
        self._left = BUDGET
        self.arrived: list[tuple[Any, int, Any]] = []  # leaf, spec and gradient of those that the pass ended at

    def step(self, node: Recorded, g: Any) -> Any:
        """In the place of `node.vjp(g)`."""
        at = self._index.get(node.sequence)
        if at is None:  # of another graph: a vjp that calls one kept from before
            return node.vjp(g)
        known, wanted = self._known, self._wanted
        try:
            look = (g.shape, g.dtype) if type(g) in PLAIN else None
            spec = known[look] if look in known else self._spec_of(g)
            self._cells[2] = at
            self._steps += (at, perf_counter_ns() - self._started, spec, 0)
            measures = self._measures
            if measures is not None:
                if look is not None or type(g) in box_types or (node.leaf is not None and self._record.stored):
                    measures.add(at, g if type(g) is ndarray else as_array(g))
                if node.flags & NODE_CUSTOM:
                    measures.flush()
                if self._keeps:
                    self._keep(g, spec)
            if node.leaf is not None:
                self.arrived.append((node.leaf, spec, g))
        except Exception as fault:  # noqa: BLE001  # a fault of the recorder's must not become the script's
            self._record.fault = fault
        try:
            returned = node.vjp(g)
        except Exception:  # the script's: noted, and it goes on
            with guarded(self._recorder.session):
                self._one_by_one(node, wanted[at], g)
            raise
        if type(returned) is tuple:
            try:
                for index, (each, expected) in enumerate(zip(returned, wanted[at])):
                    if expected == NO_SHAPE:
                        continue
                    looks = each if type(each) in PLAIN else each.vs if type(each) is SPARSE else None
                    if looks is None or known.get((looks.shape, looks.dtype)) != expected:
                        self._odd(index, each, expected)
            except Exception as fault:  # noqa: BLE001  # as above
                self._record.fault = fault
            return returned
        return self._watched(wanted[at], returned)

    def _watched(self, specs: Sequence[int], returned: Any) -> Iterator[Any]:
        """What a node hands on one by one, as lazily as without us."""
        for index, each in enumerate(returned):
            if index < len(specs) and specs[index] != NO_SHAPE:
                self._odd(index, each, specs[index])
            yield each

    def _odd(self, index: int, gradient: Any, expected: int) -> None:
        """A gradient that may not look like its argument: written down if its shape is another one."""
        with guarded(self._recorder.session):
            values, record = self._recorder.values, self._record
            spec = values.spec(gradient)
            shape, wanted = values.shapes.get(spec), values.shapes.get(expected)
            if wanted is None or shape == wanted:
                return
            words = -1
            if shape is None:
                if spec == expected or type(gradient).__name__ in ("dict", "list", "tuple"):
                    return
                words, spec = self._recorder.writer.string(type(gradient).__name__), -1
            record.returned += (record.step_count() - 1, index, spec, words)
            record.faulty = True

    def _one_by_one(self, node: Recorded, specs: Sequence[int], g: Any) -> None:
        """The node raised: look at the gradient for each of its arguments alone, up to the one that raises.

        Not where the vjps are the person's own: they may print, count, draw random numbers.
        """
        if node.flags & NODE_CUSTOM or self._record.returned:
            return
        runs = self._recorder.runs
        mine = {ident: run for ident, run in runs.items() if run is self}
        for ident in mine:
            del runs[ident]
        try:
            with numpy.errstate(all="ignore"):
                for index, vjp in enumerate(parts_of(node.vjp)):
                    try:
                        gradient = vjp(unboxed(g))
                    except Exception:  # noqa: BLE001  # foreign: the one that raised before
                        return
                    if index < len(specs) and specs[index] != NO_SHAPE:
                        self._odd(index, gradient, specs[index])
        finally:
            runs.update(mine)

    def _keep(self, g: Any, spec: int) -> None:
        if self._left > 0:
            sample = sample_of(g, getattr(unboxed(g), "size", 1) <= WHOLE)
            if sample is not None:
                self._left -= len(sample["data"])
                self._record.samples.append((self._record.step_count() - 1, 0, "received", spec, sample))


def parts_of(vjp: Any) -> list[Any]:
    """The functions for each argument that a vjp of defvjp or defvjp_argnum is made of: they are in its closure."""
    code, cells = getattr(vjp, "__code__", None), getattr(vjp, "__closure__", None)
    if code is None or not cells:
        return []
    inside = {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells)}
    if "vjps" in inside and isinstance(inside["vjps"], (list, tuple)):
        return list(inside["vjps"])
    found = [inside[name] for name in ("vjp_0", "vjp_1", "vjp") if name in inside]
    return [each for each in found if callable(each)]
