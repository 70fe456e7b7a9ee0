"""Records each VJPNode as it is made, as one forward call with one node.

What is known of a node lives in its `vjp` slot, in a Recorded that stands before the vjp itself: VJPNodes have slots
and no weak references, and so its record goes when the node goes. `VJPNode` itself isn't replaced: autograd keeps
tables by the class of a node.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from threading import get_ident
from types import CodeType
from typing import Any

from autograd.tracer import box_types

from gradviz.record.guard import note_fault
from gradviz.record.hips.functions import FunctionInfo, Functions
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.values import NO_SHAPE, PLAIN, ndarray, numpy
from gradviz.record.oplog import OP_WIDTH, OPERAND_WIDTH
from gradviz.trace.packing import NODE_LEAF, VALUE_LEAF, VALUE_REQUIRES_GRAD, VALUE_VIEW

BOXED = VALUE_REQUIRES_GRAD
MOST_PENDING = 100_000 * OP_WIDTH  # ops without a backward pass
MOST_OPERANDS = 256


class Recorded:
    """Stands before a node's vjp: calls it, and tells the pass that runs of it. One small object for each node: more
    of them, and the garbage collector would cost more than the recording.
    """

    __slots__ = ("flags", "graph", "key", "leaf", "op", "runs", "sequence", "shape_spec", "spec", "value_flags", "vjp")

    def __init__(
        self, vjp: Any, sequence: int, op: int, spec: int, key: int, flags: int, runs: dict[int, Any], leaf: Any
    ) -> None:
        self.vjp = vjp
        self.sequence = sequence
        self.op = op
        self.spec = spec
        self.shape_spec = spec  # NO_SHAPE where the value is a container
        self.key = key  # what the node has in common with others of its kind: Keys
        self.flags = flags
        self.runs = runs
        self.leaf = leaf  # leaves.Leaf of a node that a trace starts with
        self.value_flags = BOXED
        self.graph: Any = None  # walk.Graph of the passes that began at this node

    def __call__(self, g: Any) -> Any:
        run = self.runs.get(get_ident())
        return self.vjp(g) if run is None else run.step(self, g)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.vjp, name)


class Keys:
    """Numbers for kinds of nodes: name, spec, flags, thread, and how far back each parent was made; 0 = the one node
    that the trace started with.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}
        self.known: list[tuple[int, ...]] = []

    def of(self, key: tuple[int, ...]) -> int:
        """The number of a kind."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.known)
            self.known.append(key)
        return number


def root_of(recorder: Recorder, keys: Keys, vjp: Any, leaf: Any, thread: int) -> Recorded:
    """For the node that a trace starts with. `leaf` is a leaves.Leaf."""
    leaf.number = sequence = next(recorder.node_numbers)
    key = keys.of((recorder.writer.string("input"), leaf.spec, NODE_LEAF, thread))
    made = Recorded(vjp, sequence, -1, leaf.spec, key, NODE_LEAF, recorder.runs, leaf)
    made.value_flags = BOXED | VALUE_LEAF
    if leaf.spec not in recorder.values.shapes:
        made.shape_spec = NO_SHAPE
    return made


def make_init(
    recorder: Recorder, functions: Functions, keys: Keys, original: Callable[..., None], trace_code: CodeType
) -> Callable[..., None]:
    """What takes the place of VJPNode.__init__. One long function on purpose: every operation pays for each call."""
    session, frames, values, runs = recorder.session, recorder.frames, recorder.values, recorder.runs
    known_functions, learn, arguments_of = functions.known, functions.learn, functions.arguments
    specs, spec_of, constant, stack_of = values.known, values.spec, values.constant, frames.stack
    node_numbers, op_numbers = recorder.node_numbers, recorder.op_numbers
    key_of = keys.of
    values.met = functools.partial(arranged, recorder)
    state_of, states, shapes, getframe = recorder.state, recorder.by_ident, values.shapes, sys._getframe

    @functools.wraps(original)
    def __init__(self: Any, value: Any, fun: Any, args: Any, kwargs: Any, parent_argnums: Any, parents: Any) -> None:
        original(self, value, fun, args, kwargs, parent_argnums, parents)
        if not session.recording:
            return
        try:
            info = known_functions.get(fun)
            if info is None:
                info = learn(fun)
            operands: list[int] = []
            extra: list[Any] = []
            names, backs = info.names, []
            following = iter(parents)
            sequence = next(node_numbers)
            for position, argument in enumerate(args):
                if position in parent_argnums:
                    record = next(following).vjp
                    number = record.sequence
                    backs.append(sequence - number if record.leaf is None else 0)
                    operands += (number, record.spec, 0, record.value_flags, names.get(position, -1))
                elif type(argument) is ndarray:
                    operands += (constant(argument), spec_of(argument), -1, 0, names.get(position, -1))
                elif type(argument) in box_types:
                    operands += outer_box(argument, spec_of, names.get(position, -1))
                else:
                    extra += (position, argument)
            arguments = arguments_of(info, extra, kwargs) if extra or kwargs or info.vjps else -1
            is_plain = type(value) in PLAIN
            look = (value.shape, value.dtype) if is_plain else None
            spec = specs[look] if look in specs else spec_of(value)
            state = states.get(get_ident()) or state_of()
            stack = stack_of(getframe(1), state.outer_stack, trace_code)
            op = next(op_numbers)  # after those of `arranged`
            key = key_of((info.name, spec, info.flags, state.number, *backs))
            log, count = state.log, len(operands) // OPERAND_WIDTH
            log.operands += operands
            log.results += (sequence, spec, 0, BOXED)
            log.ops += (op, info.name, stack, -1, sequence, sequence + 1, 0, arguments, count, 1)
            self.vjp = made = Recorded(self.vjp, sequence, op, spec, key, info.flags, runs, None)
            if not is_plain and spec not in shapes:
                made.shape_spec = NO_SHAPE
            if len(log.ops) > MOST_PENDING:
                recorder.overflow(log)
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                note_fault(session, fault)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass

    return __init__


def arranged(recorder: Recorder, number: int, array: Any) -> None:
    """A constant that is a view with another number of dimensions: somebody has arranged it so, with None or reshape.
    What made it isn't traced, so it is written down as a call of its own, without a place.
    """
    base = array.base
    if type(base) is not ndarray or base.ndim == array.ndim or 1 not in array.shape:
        return
    values, writer, log = recorder.values, recorder.writer, recorder.state().log
    log.operands += (values.constant(base), values.spec(base), -1, 0, -1)
    log.results += (number, values.spec(array), -1, VALUE_VIEW)
    sequence = next(recorder.node_numbers)
    log.ops += (next(recorder.op_numbers), writer.string("reshape"), -1, -1, sequence, sequence, 0, -1, 1, 1)


def outer_box(box: Any, spec_of: Callable[[Any], int], name: int) -> tuple[int, ...]:
    """The operand row of a box of an outer trace."""
    record = getattr(box._node, "vjp", None)
    number = record.sequence if type(record) is Recorded else -1
    return (number, spec_of(box), 0, BOXED, name)


def operand_rows(recorder: Recorder, info: FunctionInfo, args: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Operands and other arguments of a call that made no node: it raised."""
    operands: list[int] = []
    extra: list[Any] = []
    for position, argument in enumerate(args[:MOST_OPERANDS]):
        name = info.names.get(position, -1)
        if type(argument) in box_types:
            operands += outer_box(argument, recorder.values.spec, name)
        elif type(argument) is ndarray:
            operands += (recorder.values.constant(argument), recorder.values.spec(argument), -1, 0, name)
        elif isinstance(argument, numpy.generic):
            operands += (-1, recorder.values.spec(argument), -1, 0, name)
        else:
            extra += (position, argument)
    return operands, extra
