"""What the dimensions of a gradient are called, where the recording tells: `batch`, `hidden`, `len(x)`. No Qt.

Names come from the calls that made tensors and are carried through operations whose dimensions follow from those of
their operands by definition. What isn't certain has no name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradviz.diagnose.vocabulary import TENSORFLOW, plain
from gradviz.document.pass_facts import PassFacts
from gradviz.document.size_names import Names, sizes_in_call, sizes_in_constructor, sizes_of_variable
from gradviz.document.variable_names import VariableNames
from gradviz.scene.snippets import source_piece
from gradviz.trace.model import Leaf, Op, Shape, Value
from gradviz.trace.packing import VALUE_REQUIRES_GRAD
from gradviz.trace.reader import Trace

MOST_CALLS = 300  # looked at for one answer: a step mustn't wait
DEEPEST = 100


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENTRYWISE = _words(
    "add sub rsub mul div pow neg abs exp expm1 log log1p log2 sqrt rsqrt square reciprocal sin cos tan tanh sigmoid "
    "relu leaky_relu elu gelu silu softplus mish hardtanh relu6 clamp clip where maximum minimum dropout softmax "
    "log_softmax logsigmoid erf sign round floor masked_fill clone contiguous detach to float double half lerp addcmul "
    "layer_norm rms_norm batch_norm group_norm instance_norm cumsum cumprod flip roll triu tril sinh cosh atan "
    "truediv requires_grad"
)
SUMS = _words("sum mean amax amin max min prod logsumexp norm var std any all argmax argmin vector_norm")


class DimNames:
    """Answers for one trace; what was found once is remembered."""

    def __init__(self, trace: Trace, variables: VariableNames) -> None:
        self._trace, self._variables = trace, variables
        self._known: dict[int, Names] = {}  # op number -> names of its first result
        self._leaves: dict[int, Leaf] = {leaf.value: leaf for leaf in trace.leaves() if leaf.value >= 0}
        self._left = 0

    def of_slot(self, facts: PassFacts, node: int, slot: int, shape: Shape) -> Names:
        """Of the gradient that enters a node's slot: the dimensions of what its forward call returned."""
        self._left = MOST_CALLS
        leaf, op = facts.leaf(node), facts.op(node)
        if leaf is not None:
            return _fitting(self._of_leaf(leaf), shape)
        if op is None or slot != 0 or len(op.results) != 1 or op.results[0].spec.shape != shape:
            return ()
        own = (facts.graph.op == op.number).nonzero()[0]
        order = facts.graph.seq[own]
        if len(own) > 1 and (order.max() < 0 or int(own[order.argmax()]) != node):
            return ()  # one of the inner nodes of a call that made several: its output isn't the call's
        return _fitting(self._of_op(op, 0), shape)

    def of_value(self, value: Value, before: int, depth: int) -> Names:
        blank = ("",) * len(value.spec.shape)
        if depth > DEEPEST or self._left <= 0:
            return blank
        leaf = self._leaves.get(value.number)
        if leaf is not None:
            return _fitting(self._of_leaf(leaf), value.spec.shape) or blank
        op = self._trace.producer(value.number, before)
        if op is None or len(op.results) != 1:
            return blank
        return _fitting(self._of_op(op, depth + 1), value.spec.shape) or blank

    def _of_op(self, op: Op, depth: int) -> Names:
        found = self._known.get(op.number)
        if found is None:
            self._left -= 1
            found = self._find(op, depth)
            if self._left > 0:  # else it may be known by halves
                self._known[op.number] = found
        return found

    def _find(self, op: Op, depth: int) -> Names:
        shape = op.results[0].spec.shape
        given = _fitting(sizes_in_call(op.name, self._piece(op), shape), shape)
        rule = _rule(op.name)
        carried: Names = ()
        if rule is not None and op.operands:
            operands = [self.of_value(operand, op.number, depth) for operand in op.operands]
            carried = _fitting(rule(op, operands), shape)
        names = _first_of(given, carried)
        if not any(names) and not op.results[0].flags & VALUE_REQUIRES_GRAD and op.stack:
            called = self._variables.at(op.stack[0])
            if len(called) == 1:
                return sizes_of_variable(called[0], shape)
        return names

    def _of_leaf(self, leaf: Leaf) -> Names:
        if leaf.module is not None and leaf.stack:
            module = next((one for one in self._trace.modules() if one.id == leaf.module), None)
            source = self._trace.source(leaf.stack[0].file)
            if module is not None and source is not None:
                piece = source_piece(source.text, leaf.stack[0])
                tensor = leaf.name.rpartition(".")[2]
                return sizes_in_constructor(module.class_name, tensor, piece, leaf.spec.shape)
        made = self._trace.producer(leaf.value, None)
        if made is None or len(made.results) != 1 or made.operands:
            return ()
        return self._find(made, DEEPEST)  # a variable's: what its own call says

    def _piece(self, op: Op) -> str:
        source = self._trace.source(op.stack[0].file) if op.stack else None
        return source_piece(source.text, op.stack[0]) if source is not None else ""


def _fitting(names: Names, shape: Shape) -> Names:
    return names if len(names) == len(shape) else ()


def _first_of(one: Names, other: Names) -> Names:
    if not one or not other:
        return one or other
    return tuple(mine or yours for mine, yours in zip(one, other))


# -- how operations carry names: the operands' names in, the result's out; () where it isn't certain
Rule = Callable[[Op, Sequence[Names]], Names]


def _rule(name: str) -> Rule | None:
    word = plain(name) if name.startswith(TENSORFLOW) else name.strip("_").removesuffix("_")
    return _entrywise if word in ENTRYWISE else _sum if word in SUMS else RULES.get(word)


def _entrywise(op: Op, names: Sequence[Names]) -> Names:
    """As broadcasting lines them up; a dimension that is stretched gets its name from the operand that stretches it."""
    shape = op.results[0].spec.shape
    found = [""] * len(shape)
    for operand, theirs in zip(op.operands, names):
        own = operand.spec.shape
        for dim in range(-min(len(own), len(shape)), 0):
            if own[dim] == shape[dim] and not found[dim]:
                found[dim] = theirs[dim]
    return tuple(found)


def _sum(op: Op, names: Sequence[Names]) -> Names:
    own, dims = names[0], op.arguments.get("dim")
    if dims is None:
        return ()
    count = len(own)
    listed = [dims] if isinstance(dims, int) else dims
    if not isinstance(listed, list) or not all(isinstance(dim, int) for dim in listed):
        return ()
    gone = {dim % count for dim in listed} if count else set()
    if op.arguments.get("keepdim"):
        return tuple("" if at in gone else name for at, name in enumerate(own))
    return tuple(name for at, name in enumerate(own) if at not in gone)


def _linear(op: Op, names: Sequence[Names]) -> Names:
    return (*names[0][:-1], names[1][0]) if len(names) > 1 and len(names[1]) == 2 else ()


def _matmul(op: Op, names: Sequence[Names]) -> Names:
    if len(names) < 2:
        return ()
    left, right = names[0], names[1]
    if len(left) == 1:
        return (*right[:-2], *right[-1:]) if len(right) > 1 else ()
    if len(right) == 1:
        return left[:-1]
    ahead = left[:-2] if len(left) >= len(right) else right[:-2]
    shapes = [operand.spec.shape[:-2] for operand in op.operands[:2]]
    if len(left) == len(right) and shapes[0] != shapes[1]:
        ahead = ("",) * len(ahead)
    return (*ahead, left[-2], right[-1])


def _swap(op: Op, names: Sequence[Names]) -> Names:
    own, one, other = list(names[0]), op.arguments.get("dim0"), op.arguments.get("dim1")
    if not isinstance(one, int) or not isinstance(other, int) or not own:
        return ()
    one, other = one % len(own), other % len(own)
    own[one], own[other] = own[other], own[one]
    return tuple(own)


def _permute(op: Op, names: Sequence[Names]) -> Names:
    dims = op.arguments.get("dims")
    own = names[0]
    if not isinstance(dims, list) or not all(isinstance(dim, int) for dim in dims):
        return ()
    return tuple(own[dim % len(own)] for dim in dims) if len(dims) == len(own) else ()


def _unsqueeze(op: Op, names: Sequence[Names]) -> Names:
    dim, own = op.arguments.get("dim"), names[0]
    if not isinstance(dim, int):
        return ()
    at = dim % (len(own) + 1)
    return (*own[:at], "", *own[at:])


def _squeeze(op: Op, names: Sequence[Names]) -> Names:
    dim, own, shape = op.arguments.get("dim"), names[0], op.operands[0].spec.shape
    gone = {dim % len(own)} if isinstance(dim, int) and own else set(range(len(own)))
    return tuple(name for at, name in enumerate(own) if at not in gone or shape[at] != 1)


RULES: dict[str, Rule] = {
    "linear": _linear,
    "matmul": _matmul,
    "mm": _matmul,
    "mv": _matmul,
    "bmm": _matmul,
    "transpose": _swap,
    "permute": _permute,
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "t": lambda op, names: names[0][::-1],
    "T": lambda op, names: names[0][::-1],
    "mT": lambda op, names: (*names[0][:-2], *names[0][:-3:-1]),
    "embedding": lambda op, names: (*names[0], *names[1][-1:]) if len(names) > 1 else (),
    "outer": lambda op, names: (*names[0], *names[1]) if len(names) > 1 else (),
    "conv1d": lambda op, names: (*names[0][:1], *names[1][:1], "") if len(names) > 1 and len(names[0]) == 3 else (),
    "conv2d": lambda op, names: (*names[0][:1], *names[1][:1], "", "") if len(names) > 1 and len(names[0]) == 4 else (),
}
