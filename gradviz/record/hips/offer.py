"""Backward from what a function target returned: it is called under a trace of all arrays it is given, as by `grad`.

Each array is a leaf of its own, where `grad` with several arguments would trace one tuple.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from autograd import core
from autograd.tracer import box_types, new_box

from gradviz.record.hips.engine import Engine
from gradviz.record.hips.leaves import Leaf
from gradviz.record.hips.nodes import Keys, root_of
from gradviz.record.hips.reach import Reach
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.tracing import PARAMETER
from gradviz.record.hips.values import ndarray, numpy
from gradviz.record.seedexpression import evaluated_seed

NOT_FOLLOWED = "offered-not-followed"  # kind of note; gradviz/diagnose/rules/offered_numbers.py explains it
DEEPEST = 3  # containers in containers


class Offer:
    """`prepared`, then the call, then `run`."""

    def __init__(self, recorder: Recorder, keys: Keys, engine: Engine) -> None:
        self._recorder = recorder
        self._keys = keys
        self._end: Any = None  # the node of what the function returned
        self._value: Any = None
        self._whole: list[str] = []  # arguments of whole numbers, where there were no others
        engine.implicit.add(Offer._from_number.__code__)

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        """See frontend.Frontend."""
        names = traced_names(arguments)
        whole = [name for name, value in arguments.items() if type(value) is ndarray and value.dtype.kind in "iu"]
        if not names and not whole:
            return function
        reach = Reach(self._recorder.frames.is_user).of([function, *filter(callable, arguments.values())])
        if reach.differentiates or not reach.computes:
            return function
        if not names:
            self._whole = whole
            return function
        return functools.partial(self._traced, function, names)

    def run(self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any]) -> None:
        """Run backward from the result, if it is traced."""
        if self._whole and result is not None:
            given = [[name, "whole"] for name in self._whole]
            self._recorder.session.note(NOT_FOLLOWED, "", framework="autograd", arguments=given)
        end, output = self._end, self._value
        self._end = self._value = None
        if end is None:
            return
        if seed_expression:
            self._from_seed(end, evaluated_seed(seed_expression, namespace, output, functools.partial(as_seed, output)))
        elif numpy.ndim(output):
            self._from_seed(end, core.vspace(output).ones())
        else:
            self._from_number(end, core.vspace(output).ones())

    def _from_number(self, end: Any, one: Any) -> None:
        """As `grad` does it: the seed goes without saying."""
        self._hand(end, one)

    def _from_seed(self, end: Any, seed: Any) -> None:
        self._hand(end, seed)

    def _hand(self, end: Any, seed: Any) -> None:
        core.backward_pass(seed, end)

    def _traced(self, fun: Callable[..., Any], names: Sequence[str], /, **values: Any) -> Any:
        returned: list[Any] = []
        first, *others = names

        def unary(x: Any) -> Any:
            given = {**values, first: x}
            for name in others:
                given[name] = self._box(values[name], x._trace, name)
            result = fun(**given)
            returned.append(result)
            return next(boxes_in(result, x._trace), x)  # autograd warns of a result that isn't traced: not of this one

        setattr(unary, PARAMETER, first)
        value, end = core.trace(core.VJPNode.new_root(), unary, values[first])
        (result,) = returned
        if end is not None and end.parents:
            self._end, self._value = end, value
        return result

    def _box(self, value: Any, trace: int, name: str) -> Any:
        """A further leaf of the same trace."""
        recorder, node = self._recorder, core.VJPNode.new_root()
        leaf = Leaf(value, recorder.values.spec(value), -1, name)
        node.vjp = root_of(recorder, self._keys, node.vjp, leaf, recorder.state().number)
        return new_box(value, trace, node)


def traced_names(arguments: Mapping[str, Any]) -> list[str]:
    """The arguments to differentiate by: those with arrays; where there are none, the numbers."""
    arrays = [name for name, value in arguments.items() if has_slope(value)]
    return arrays or [name for name, value in arguments.items() if isinstance(value, (float, complex))]


def has_slope(value: Any, depth: int = DEEPEST) -> bool:
    """Whether it is an array of floating-point or complex numbers, or a container of nothing else."""
    if type(value) is ndarray:
        return value.dtype.kind in "fc"
    if depth and type(value) in (list, tuple, dict):
        parts = value.values() if type(value) is dict else value
        return bool(value) and all(has_slope(each, depth - 1) for each in parts)
    return False


def boxes_in(result: Any, trace: int, depth: int = DEEPEST) -> Iterator[Any]:
    """The boxes of a trace in a result: itself, or inside tuples, lists and dicts."""
    if type(result) in box_types:
        if result._trace == trace:
            yield result
    elif depth and isinstance(result, (tuple, list, dict)):
        for each in result.values() if isinstance(result, dict) else result:
            yield from boxes_in(each, trace, depth - 1)


def as_seed(output: Any, seed: Any) -> Any:
    """The seed as an array of the output's type."""
    return numpy.asarray(seed, dtype=numpy.asarray(output).dtype)
