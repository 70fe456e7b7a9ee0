"""Backward from what a function target returned: it is called under a tape of ours, which follows its tensors.

The tape gives way to the first that the person's own code makes: who differentiates by themselves is left alone, and a
training loop doesn't pile up on a tape that nobody asks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow
from tensorflow.python.eager import backprop

from gradviz.record.seedexpression import evaluated_seed
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.tapes import TapeRecord, Tapes
from gradviz.record.tensorflow.values import EagerTensor, numpy
from gradviz.record.tensorflow.walk import walk

NOT_FOLLOWED = "offered-not-followed"  # kind of note; gradviz/diagnose/rules/offered_numbers.py explains it
DEEPEST = 3  # containers in containers


class Offer:
    """`prepared`, then the call, then `run`."""

    def __init__(self, recorder: Recorder, tapes: Tapes) -> None:
        self._recorder = recorder
        self._tapes = tapes
        self._tape: Any = None
        self._watched: list[Any] = []

    def prepared(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """See frontend.Frontend."""
        return functools.partial(self._taped, function)

    def _taped(self, function: Callable[..., Any], /, **values: Any) -> Any:
        tape = backprop.GradientTape()
        named = [(name, each) for value_name, value in values.items() for name, each in tensors_in(value, value_name)]
        named = [(name, each) for name, each in named if has_slope(each)]
        self._watched = [each for _, each in named]
        self._tapes.stand_in = tape
        try:
            with tape:
                self._watch(tape, named)
                result = function(**values)
            if self._tapes.stand_in is tape:
                self._tape = tape
            return result
        finally:
            self._tapes.stand_in = None

    def _watch(self, tape: Any, named: list[tuple[str, Any]]) -> None:
        """No frame of the person's holds these when backward runs: they are called after the parameters."""
        for name, each in named:
            tape.watch(each)
            record = self._tapes.of(tape)
            if record is not None and each._id in record.leaves:
                record.leaves[each._id].own_name = name

    def run(
        self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        """Run backward from the first tensor in the result that the tape has, else from the first."""
        tape, watched = self._tape, self._watched
        self._tape, self._watched = None, []
        record = self._tapes.of(tape) if tape is not None else None
        targets = [each for _, each in tensors_in(result) if has_slope(each)]
        if record is None or not targets:
            return
        target = next((each for each in targets if each._id in record.ids), targets[0])
        sources = reached_from(record, target) or watched
        if not sources:
            self._tell_of_arguments(arguments)
            return
        seed = None
        if seed_expression:
            as_seed = functools.partial(tensorflow.convert_to_tensor, dtype=target.dtype)
            seed = evaluated_seed(seed_expression, namespace, target, as_seed)
        elif target.shape.rank:
            seed = tensorflow.ones_like(target)
        tape.gradient(target, sources, output_gradients=seed)

    def _tell_of_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Numbers went in and came out, and none of them is what a tape follows."""
        given = [[name, kind] for name, value in arguments.items() for kind in [kind_given(value)] if kind]
        if given:
            self._recorder.session.note(NOT_FOLLOWED, "", arguments=given)


def reached_from(record: TapeRecord, target: Any) -> list[Any]:
    """The watched tensors and variables that the target was computed from."""
    if target._id not in record.ids:
        return []
    found = [leaf() for leaf in walk(record, [target._id], -1).leaf_entries.values()]
    return [each for each in found if each is not None and each is not target]


def tensors_in(value: Any, name: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """The tensors in a value, itself or inside tuples, lists and dicts; each with its name: `params['w']`."""
    if isinstance(value, EagerTensor):
        yield name, value
    elif depth and isinstance(value, (tuple, list, dict)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from tensors_in(each, f"{name}[{key!r}]" if type(key) in (str, int) else name, depth - 1)


def has_slope(tensor: Any) -> bool:
    """Whether a gradient can flow through it."""
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def kind_given(value: Any) -> str:
    """array: of numpy's, or a number | whole: a tensor of whole numbers | "" other."""
    if isinstance(value, EagerTensor):
        return "whole" if value.dtype.is_integer else ""
    if isinstance(value, numpy.ndarray):
        return "array" if value.dtype.kind in "fc" else ""
    return "array" if isinstance(value, float) else ""
