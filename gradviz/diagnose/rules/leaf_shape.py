"""inplace-on-leaf and inplace-via-data: a leaf that was given another shape, which its gradient doesn't have.

A leaf's gradient, its .grad and an optimiser's state have the shape with which the leaf went into the computation. What
raises is a node, a step or a later call in which the two shapes meet; the cause is the line that changed the leaf.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import new_line, raised, raised_at_call
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.modules import leaf_label
from gradviz.diagnose.naming import imported, operand_name, value_called
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.offered_code import requiring
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Code, as_call
from gradviz.diagnose.vocabulary import PAIRWISE, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE, OP_RAISED, VALUE_LEAF, VALUE_REQUIRES_GRAD

_TRAINED = VALUE_LEAF | VALUE_REQUIRES_GRAD
_REFUSED = re.compile(r"cannot resize variables that require grad|leaf Variable that requires grad")
_GRADIENT = re.compile(r"invalid gradient at index (\d+) - got \[[\d, ]*\] but expected shape compatible with")
_SIZES = re.compile(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)")
_SHAPES = re.compile(r"output with shape \[([\d, ]*)\] doesn't match the broadcast shape \[([\d, ]*)\]")
_RESHAPERS = frozenset({"resize_", "resize_as_", "set_", "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_"})
_WRITERS = _RESHAPERS | {"unsqueeze_", "as_strided_"}
_PRODUCTS = frozenset({"matmul", "mm", "mv", "dot"})


@dataclass(frozen=True)
class Reshaped:
    """A call that gave a leaf another shape, or was to."""

    op: model.Op
    before: Shape
    after: Shape | None  # None = not known, as the call was refused

    @property
    def leaf(self) -> int:
        return self.op.operands[0].number


def _reshaped(case: Case, before: int | None = None) -> list[Reshaped]:
    """The calls that did, the newest first."""
    found = []
    for op in case.ops:
        if not op.flags & OP_IN_PLACE or op.flags & OP_RAISED or not op.operands or is_step(op):
            continue
        target = op.operands[0]
        result = next((r for r in op.results if r.number == target.number), None)
        is_leaf = target.number >= 0 and target.flags & _TRAINED == _TRAINED
        if is_leaf and result is not None and result.spec.shape != target.spec.shape:
            found.append(Reshaped(op, target.spec.shape, result.spec.shape))
    return [one for one in reversed(found) if before is None or one.op.number < before]


def refused(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding | None:
    """The finding for a call that was to give a leaf another shape, and was refused."""
    op = op or _from_text(exam.case, error)
    if op is None or not op.operands or not _REFUSED.search(error.message) or op.name not in _WRITERS:
        return None
    target = op.operands[0]
    if target.flags & _TRAINED != _TRAINED:
        return None
    return _finding(exam, Reshaped(op, target.spec.shape, _asked(op)), "leaf-shape-refused", None, error)


def _from_text(case: Case, error: model.ExceptionInfo) -> model.Op | None:
    """The call as it is written: torch refuses `p.set_(q)` before it is recorded."""
    code = case.code(error.stack[0].file) if error.stack else None
    call = as_call(code.expression(error.stack[0])) if code is not None else None
    if code is None or call is None or call.receiver is None or call.function not in _WRITERS:
        return None
    leaf = next((one for one in case.leaves if one.name and one.name == code.text(call.receiver)), None)
    if leaf is None:
        return None
    given = [value_called(case, code.text(argument)) for argument in call.positional]
    target = model.Value(leaf.value, leaf.spec, 0, _TRAINED if leaf.requires_grad else 0, "")
    operands = (target, *(value for value in given if value is not None))
    return model.Op(-1, call.function, error.stack, -1, error.thread, -1, -1, OP_IN_PLACE | OP_RAISED, {}, operands, ())


def in_pass(
    exam: Examination, backward: model.Backward, node: model.Node | None, error: model.ExceptionInfo
) -> Finding | None:
    """The finding for a gradient in the old shape of a leaf that has another one by now."""
    case = exam.case
    if node is None:
        return None
    match = _GRADIENT.search(error.message)
    heads = [node.index]
    if match is not None:
        heads = [e.head for e in case.links(backward.id).out(node.index) if e.index == int(match.group(1))]
    elif not _SIZES.search(error.message) and not _SHAPES.search(error.message):
        return None
    graph = case.trace.graph(backward.id)
    leaves = {leaf.id: leaf.value for leaf in case.leaves}
    reached = {leaves.get(int(graph.leaf[head])) for head in heads if int(graph.leaf[head]) >= 0}
    found = next((one for one in _reshaped(case) if one.leaf in reached), None)
    return _finding(exam, found, "leaf-shape-changed", backward, error, node) if found is not None else None


def in_forward(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding | None:
    """The finding for a call that met a leaf of another shape than before."""
    case = exam.case
    for one in _reshaped(case, op.number if op is not None else None):
        if one.after is None:
            continue
        if _met_in_call(case, op, one) if op is not None else _met_in_step(case, error, one):
            return _finding(exam, one, "leaf-shape-changed", None, error)
    return None


def _met_in_call(case: Case, op: model.Op, one: Reshaped) -> bool:
    """Whether the call would have gone well with the leaf as it was."""
    at = next((i for i, v in enumerate(op.operands) if v.number == one.leaf and v.spec.shape == one.after), -1)
    if at < 0:
        return False
    name = plain(op.name)
    given = [one.before if i == at else v.spec.shape for i, v in enumerate(op.operands)]
    if name in PAIRWISE and len(given) == 2:
        return shapes.broadcast(*given) is not None
    if name in _PRODUCTS and len(given) == 2 and all(given):
        return given[0][-1] == given[1][-2 if len(given[1]) > 1 else -1]
    went_well = (o for o in case.ops if o.number < op.number and o.name == op.name and o.stack[:1] == op.stack[:1])
    return any([v.spec.shape for v in o.operands] == given and o.results for o in went_well)


def _met_in_step(case: Case, error: model.ExceptionInfo, one: Reshaped) -> bool:
    """Whether an optimiser's step failed over state that has the leaf's old sizes."""
    stepped = any(is_step(op) and one.leaf in {v.number for v in op.operands} for op in case.ops)
    whole, match = _SHAPES.search(error.message), _SIZES.search(error.message)
    if stepped and whole is not None:
        return {_shape(whole.group(1)), _shape(whole.group(2))} == {one.before, one.after}
    if match is None or not stepped or one.after is None or len(one.before) != len(one.after):
        return False
    met = {int(match.group(1)), int(match.group(2))}
    return any({old, new} == met for old, new in zip(one.before, one.after) if old != new)


def _shape(text: str) -> Shape:
    return tuple(int(size) for size in text.split(",") if size.strip())


def _asked(op: model.Op) -> Shape | None:
    """The shape that a refused call was to give."""
    before = op.operands[0].spec.shape
    sizes = op.arguments.get("sizes", op.arguments.get("size"))
    if isinstance(sizes, int):
        sizes = [sizes]
    if isinstance(sizes, list) and all(isinstance(size, int) for size in sizes):
        return tuple(sizes)
    if len(op.operands) > 1:
        return op.operands[1].spec.shape
    if op.name == "t_":
        return tuple(reversed(before))
    first, second = op.arguments.get("dim0"), op.arguments.get("dim1")
    if isinstance(first, int) and isinstance(second, int) and max(first, second) < len(before):
        turned = list(before)
        turned[first], turned[second] = turned[second], turned[first]
        return tuple(turned)
    dim = op.arguments.get("dim")
    if op.name == "unsqueeze_" and isinstance(dim, int):
        at = dim if dim >= 0 else dim + len(before) + 1
        return (*before[:at], 1, *before[at:])
    return None


def _finding(
    exam: Examination,
    one: Reshaped,
    phrase: str,
    backward: model.Backward | None,
    error: model.ExceptionInfo,
    node: model.Node | None = None,
) -> Finding:
    case, op = exam.case, one.op
    place = case.place(op.stack)
    code = case.code(place.file)
    leaf = case.leaf_by_value.get(one.leaf)
    name = operand_name(case, op, 0) or case.words("the-leaf")
    label = leaf_label(case, leaf) if leaf is not None and leaf.kind == "parameter" else ""
    # p of a loop over net.parameters() holds nothing
    held = re.sub(r"\.(\d+)(?=\.)", r"[\1]", label) if "." in label and name.isidentifier() else name
    new = _new_leaf(case, code, one, held, leaf)
    fields: dict[str, Any] = raised(error)
    if backward is not None:
        fields = {"pass_id": backward.id, **raised_at_call(error, backward.stack)}
    if node is not None and backward is not None:
        fields |= {"node": node.name, "step": case.steps_of(backward.id).get(node.index)}
        fields["marks"] = (Mark("node", node.index, expected=one.before, received=one.after),)
    call = fields.get("raised_line") or place.line
    return exam.writer.write(
        "inplace-via-data" if op.name == "data" else "inplace-on-leaf",
        "error",
        place,
        phrase,
        {
            "name": held if held.endswith(name) else name,
            "line": place.line,
            "call": call,
            "writer": ".data" if op.name == "data" else f"{op.name}()",
            "before": shapes.text(one.before),
            "after": shapes.text(one.after) if one.after is not None else case.words("another-shape"),
            "new": new,
        },
        changes=new_line(code, place.line, new),
        op=plain(op.name),
        expected_shape=one.before,
        received_shape=one.after,
        symptom_line=call if call != place.line else None,
        **fields,
    )


def _new_leaf(case: Case, code: Code | None, one: Reshaped, name: str, leaf: model.Leaf | None) -> str:
    """The line that makes a leaf of the new shape and gives it the old one's name."""
    value = _new_value(code, one, case, name)
    if leaf is not None and leaf.kind == "parameter" and "." in name:
        module = "nn" if code is not None and "nn" in imported(code) else "torch.nn"
        return f"{name} = {module}.Parameter({value})"
    return f"{name} = {requiring(value)}"


def _new_value(code: Code | None, one: Reshaped, case: Case, name: str) -> str:
    op = one.op
    written = case.op_expression(op)
    statement = code.statement_of(written) if code is not None and written is not None else None
    if op.name == "data" and code is not None and isinstance(statement, ast.Assign):
        text = code.text(statement.value)
        return text if requiring(text).endswith("requires_grad=True)") else f"{tight(text)}.detach()"
    call = as_call(written)
    arguments = [code.text(a) for a in call.positional] if code is not None and call is not None else []
    if op.name == "set_" and arguments:
        return f"{tight(arguments[0])}.detach().clone()"
    if op.name in ("resize_", "resize_as_", "as_strided_", "set_"):
        return f"{tight(name)}.detach().clone().{op.name}({', '.join(arguments)})"
    return f"{tight(name)}.detach().{op.name.rstrip('_')}({', '.join(arguments)}).clone()"
