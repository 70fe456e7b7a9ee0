"""How far NaN of one pass got: a training run that diverged has it in every later pass, and that is one fault.

An optimiser writes what a pass handed to a leaf into that leaf, and all that is computed of it later is spoiled. A pass
that nothing spoiled led to has a fault of its own.

Of HIPS autograd and TensorFlow the recorder tells whether a pass began with leaves or constants that weren't finite.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.rules.higher_order import is_gradient_call
from gradviz.diagnose.vocabulary import VIEWS, plain
from gradviz.trace import model
from gradviz.trace.packing import (
    FIRST_HIPS_VALUE,
    FIRST_TENSORFLOW_VALUE,
    NODE_LEAF,
    OP_IN_PLACE,
    VALUE_LEAF,
    VALUE_REQUIRES_GRAD,
)

NOT_FINITE = "not-finite"  # kind of note; gradviz/record/notfinite.py writes it
_NOT_NUMBERS = frozenset({"nan", "inf", "-inf"})  # as arguments are written down
_WRITES_NOTHING = {"grad", "requires_grad", "retain_grad", "register_hook"}  # they change no numbers


class Spread:
    """Goes through the calls of the run once, pass by pass: `reaches` and `add` take passes in rising order."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._position = 0  # in case.ops: those before it were gone through
        self._number = -1  # of the newest of them
        self._spoiled: set[int] = set()  # values
        self._spoiled_ops: set[int] = set()
        self._holders: set[int] = set()  # leaves with a bad gradient, and what shares their memory
        self._shapes: set[tuple[model.Dim, ...]] = set()  # of bad gradients that nobody saw being read
        self._sources: set[tuple[int, ...]] = set()  # what a bad gradient of autograd.grad was taken of
        self._newest_root = -1  # of a bad pass of TensorFlow's, which numbers its tensors in the order they are made
        self._told = {int(note.detail["pass"]): note.detail for note in _told_in(case)}

    def reaches(self, backward: model.Backward) -> bool:
        """Whether something that a pass added before spoiled led to this one."""
        ops = self._case.trace.graph(backward.id).op
        made = {int(number) for number in ops}
        self._go_on(max(made, default=-1))
        if self._began_with_some(backward, made):
            return True
        return bool(made & self._spoiled_ops) or any(port.value in self._spoiled for port in backward.roots)

    def add(self, backward: model.Backward, origin: model.Node, bad_nodes: Sequence[int]) -> None:
        """A pass in which `origin` handed on NaN, and these nodes received some."""
        case = self._case
        graph = case.trace.graph(backward.id)
        self._go_on(max((int(number) for number in graph.op), default=-1))
        op = case.node_op(origin)
        if op is not None:
            self._spoiled.update(value.number for value in op.results)  # what it made may have been NaN already
        leaves = {leaf.id: leaf for leaf in case.leaves}
        for node in bad_nodes:
            leaf = leaves.get(int(graph.leaf[node])) if int(graph.flags[node]) & NODE_LEAF else None
            if leaf is not None:
                self._shapes.add(leaf.spec.shape)
                self._holders |= {leaf.value} if leaf.value < FIRST_HIPS_VALUE else set()
        roots = tuple(port.value for port in backward.roots)
        self._sources |= {roots} if backward.inputs else set()
        self._newest_root = max((self._newest_root, *(each for each in roots if each >= FIRST_TENSORFLOW_VALUE)))

    def _began_with_some(self, backward: model.Backward, made: set[int]) -> bool:
        """Whether a leaf or a constant of the pass wasn't finite, as far as the recorder tells."""
        told, case = self._told.get(backward.id), self._case
        if told is None:
            return False
        if told.get("leaves"):
            return True
        constants = told.get("constants")
        values = {each for each in constants if isinstance(each, int)} if isinstance(constants, list) else set()
        ops = [case.op_by_number[number] for number in made if number in case.op_by_number]
        return any(
            values & {value.number for value in op.operands}
            or any(each in _NOT_NUMBERS for each in op.arguments.values() if isinstance(each, str))
            for op in ops
        )

    def _go_on(self, last: int) -> None:
        """Through the calls up to this one."""
        ops = self._case.ops
        while self._position < len(ops) and ops[self._position].number <= last:
            op = ops[self._position]
            if op.number > self._number + 1:  # passes that were only counted: a step may be among what was left out
                self._spoiled |= self._holders
            self._take(op)
            self._number = op.number
            self._position += 1

    def _take(self, op: model.Op) -> None:
        given = {value.number for value in op.operands}
        name = plain(op.name)
        if name in _WRITES_NOTHING and not is_gradient_call(op):
            return
        if is_step(op):  # momentum and a norm over all gradients carry it into each parameter
            if given & (self._holders | self._spoiled):
                self._spoiled |= given
            return
        written = op.operands[0].number if op.flags & OP_IN_PLACE and op.operands else -1
        if written in self._holders:
            self._spoiled |= self._holders  # all that may share the memory
        elif given & self._holders and name in VIEWS:
            self._holders.update(value.number for value in op.results)
        if given & self._spoiled or self._is_bad_gradient(op) or any(map(self._is_unread, op.operands)):
            self._spoiled.update(value.number for value in op.results)
            self._spoiled_ops.add(op.number)

    def _is_bad_gradient(self, op: model.Op) -> bool:
        """torch.autograd.grad of what a bad pass started from."""
        given = {value.number for value in op.operands}
        return is_gradient_call(op) and any(given.issuperset(roots) for roots in self._sources)

    def _is_unread(self, value: model.Value) -> bool:
        """A value from nowhere that may be the `.grad` of a leaf: reading it is no call."""
        case = self._case
        if value.number >= FIRST_HIPS_VALUE and value.number <= max(self._newest_root, FIRST_TENSORFLOW_VALUE):
            return False  # of HIPS autograd's all is told; of TensorFlow's it was there before
        return (
            value.spec.shape in self._shapes
            and value.number not in case.leaf_by_value
            and value.flags & (VALUE_LEAF | VALUE_REQUIRES_GRAD) != VALUE_LEAF | VALUE_REQUIRES_GRAD
            and case.origin(value.number) is None
        )


def _told_in(case: Case) -> list[model.Note]:
    return [n for n in case.trace.notes() if n.kind == NOT_FINITE and isinstance(n.detail.get("pass"), int)]
