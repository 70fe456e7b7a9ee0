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
from gradviz.record.hips.values import ndarray, numpy
from gradviz.record.pytorch.oplog import OP_WIDTH, OPERAND_WIDTH
from gradviz.trace.packing import NODE_LEAF, VALUE_LEAF, VALUE_REQUIRES_GRAD

BOXED = VALUE_REQUIRES_GRAD
MOST_PENDING = 100_000 * OP_WIDTH  # ops without a backward pass
MOST_OPERANDS = 256
# Row of a node: what a pass needs to know of it when the node itself may be gone.
NAME, SPEC, SEQUENCE, OP, FLAGS, PARENTS, KEY, LEAF, THREAD = range(9)


class Recorded:
    """Stands before a node's vjp: calls it, and tells the pass that runs of it."""

    __slots__ = ("graph", "parent_specs", "row", "runs", "sequence", "spec", "value_flags", "vjp")

    def __init__(
        self, vjp: Any, row: tuple[Any, ...], runs: dict[int, Any], value_flags: int, parent_specs: Sequence[int]
    ) -> None:
        self.vjp = vjp
        self.row = row
        self.sequence: int = row[SEQUENCE]
        self.spec: int = row[SPEC]
        self.runs = runs
        self.value_flags = value_flags
        self.parent_specs = parent_specs
        self.graph: Any = None  # walk.Graph of the passes that began at this node

    def __call__(self, g: Any) -> Any:
        run = self.runs.get(get_ident())
        return self.vjp(g) if run is None else run.step(self, g)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.vjp, name)


def root_of(recorder: Recorder, vjp: Any, leaf: Any, thread: int) -> Recorded:
    """For the node that a trace starts with: a leaf. `leaf` is a leaves.Leaf."""
    sequence = next(recorder.node_numbers)
    name = recorder.writer.string("input")
    leaf.number = sequence
    row = (name, leaf.spec, sequence, -1, NODE_LEAF, (), (name, leaf.spec), leaf, thread)
    return Recorded(vjp, row, recorder.runs, BOXED | VALUE_LEAF, ())


def make_init(
    recorder: Recorder, functions: Functions, original: Callable[..., None], trace_code: CodeType
) -> Callable[..., None]:
    """What takes the place of VJPNode.__init__. One long function on purpose: every operation pays for each call."""
    session, frames, values, runs = recorder.session, recorder.frames, recorder.values, recorder.runs
    known_functions, learn, arguments_of = functions.known, functions.learn, functions.arguments
    specs, spec_of, constant, stack_of = values.known, values.spec, values.constant, frames.stack
    node_numbers, op_numbers, state_of, getframe = (
        recorder.node_numbers,
        session.op_numbers,
        recorder.state,
        sys._getframe,
    )

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
            names, parent_numbers, parent_specs = info.names, [], []
            following = iter(parents)
            for position, argument in enumerate(args):
                if position in parent_argnums:
                    record = next(following).vjp
                    number = record.sequence
                    parent_numbers.append(number)
                    parent_specs.append(record.spec)
                    operands += (number, record.spec, 0, record.value_flags, names.get(position, -1))
                elif type(argument) is ndarray:
                    operands += (constant(argument), spec_of(argument), -1, 0, names.get(position, -1))
                elif type(argument) in box_types:
                    operands += outer_box(argument, spec_of, names.get(position, -1))
                else:
                    extra += (position, argument)
            arguments = arguments_of(info, extra, kwargs) if extra or kwargs else -1
            try:
                spec = specs[(value.shape, value.dtype)]
            except (AttributeError, KeyError, TypeError):
                spec = spec_of(value)
            state = state_of()
            stack = stack_of(getframe(1), state.outer_stack, trace_code)
            sequence, op = next(node_numbers), next(op_numbers)
            key = (info.name, spec, *[sequence - number for number in parent_numbers])
            row = (info.name, spec, sequence, op, info.flags, parent_numbers, key, None, state.number)
            log = state.log
            log.operands += operands
            log.results += (sequence, spec, 0, BOXED)
            count = len(operands) // OPERAND_WIDTH
            log.ops += (op, info.name, stack, -1, sequence, sequence + 1, 0, arguments, count, 1)
            self.vjp = Recorded(self.vjp, row, runs, BOXED, parent_specs)
            if len(log.ops) > MOST_PENDING:
                recorder.overflow(log)
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            note_fault(session, fault)

    return __init__


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
