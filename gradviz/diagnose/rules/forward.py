"""forward-shape-error: a forward call whose operands don't fit, with what it expected and what it was given."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, ShapeOrWords
from gradviz.diagnose.frameworks import is_hips, transposed
from gradviz.diagnose.marking import at_call
from gradviz.diagnose.naming import operand_expressions, operand_name, value_called
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.fault import Fault, named
from gradviz.diagnose.rules.functional import function_call, functional
from gradviz.diagnose.rules.layers import layer, loss, normalising, product
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import LOSSES, PAIRWISE, plain, shown
from gradviz.trace import model
from gradviz.trace.packing import VALUE_NON_CONTIGUOUS

_SIZES = re.compile(r"\[([\d, ]*)\]")
_MAPPED = re.compile(r"same size in the mapped dimension, got sizes \[([\d, ]+)\]")
_TENSORFLOW = re.compile(r"\{\{function_node [^}]*\}\}|\[Op:\w+\] name:.*$")  # what it puts round its reasons
_TABLES = re.compile(r"\((\d+)x(\d+) and (\d+)x(\d+)\)")


def shape_error(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    """The finding for a forward call that refused the shapes it was given."""
    case = exam.case
    fault = _explain(case, op, error) if op is not None else None
    if fault is None:
        fault = _mapped(case, error) or _from_words(case, op, error)
    call_place = case.place(op.stack if op is not None and op.stack else error.stack)
    place = fault.place or call_place
    parts = {
        "op": shown(op.name) if op is not None else case.words("the-call"),
        "reason": first_sentence(case, error.message),
    } | fault.parts
    return exam.writer.write(
        "forward-shape-error",
        "error",
        place,
        fault.phrase,
        parts,
        op=fault.arose or (shown(op.name) if op is not None else _vmap(error)),
        node="",
        expected_shape=fault.expected,
        received_shape=fault.received,
        symptom_line=call_place.line if call_place.line != place.line else None,
        **at_call(exam, op, error, fault.blamed, fault.expected, fault.received),
        changes=fault.changes,
        **raised(error),
    )


def _mapped(case: Case, error: model.ExceptionInfo) -> Fault | None:
    """A call of a vmapped function whose arguments have no common size to map over."""
    match = _MAPPED.search(error.message)
    code = case.code(error.stack[0].file) if error.stack else None
    call = as_call(code.expression(error.stack[0])) if code is not None else None
    if match is None or code is None or call is None:
        return None
    sizes = [int(size) for size in match.group(1).split(",")]
    common = max(sizes, key=sizes.count)
    odd = next((i for i, size in enumerate(sizes) if size != common), 0)
    names = [code.short(a) or case.words("argument-number", number=i + 1) for i, a in enumerate(call.positional)]
    bound = last_assignment(code, call.function, call.node) if isinstance(call.node.func, ast.Name) else None
    made = value_of(bound, call.function)
    dims = ", ".join("None" if i == odd else "0" for i in range(len(sizes)))
    parts: dict[str, object] = {
        "sizes": shapes.text(tuple(sizes)),
        "name": names[odd] if odd < len(names) else case.words("argument-number", number=odd + 1),
        "odd": sizes[odd],
        "common": common,
        "new": f"in_dims=({dims})",
    }
    if made is not None and isinstance(made, ast.Call):
        parts["new"] = f"{code.text(bound)[:-1]}, in_dims=({dims}))"
    place = code.place(bound) if made is not None and bound is not None else None
    value = value_called(case, str(parts["name"]))
    expected: ShapeOrWords = f"size {common} in dim 0"
    received: ShapeOrWords = f"size {sizes[odd]} in dim 0"
    if value is not None and value.spec.shape[:1] == (sizes[odd],):
        expected, received = (common, *value.spec.shape), value.spec.shape
    return Fault("shape-mapped", parts, expected, received, place, arose="vmap")


def _vmap(error: model.ExceptionInfo) -> str:
    return "vmap" if error.message.startswith("vmap") else ""


def first_sentence(case: Case, message: str) -> str:
    told = _TENSORFLOW.sub("", message).strip()
    line = told.splitlines()[0] if told else case.words("no-reason")
    return line.strip().rstrip(".")


def _explain(case: Case, op: model.Op, error: model.ExceptionInfo) -> Fault | None:
    name, count = plain(op.name), len(op.operands)
    if function_call(case, op) is not None:
        return functional(case, op)
    if name in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d") and count >= 2:
        return layer(case, op, name)
    if name in ("layer_norm", "batch_norm", "instance_norm") and count >= 2:
        return normalising(case, op)
    if name in ("matmul", "mm", "bmm", "mv", "dot", "addmm") and count >= 2:
        return product(case, op)
    if name in ("view", "reshape") and count:
        return _view(case, op, error)
    if name in ("cat", "stack", "hstack", "vstack") and count >= 2:
        return _joined(case, op, name)
    if name in ("expand", "broadcast_to") and count:
        return _expand(case, op, error)
    if name in LOSSES and count >= 2:
        return loss(case, op)
    if name in PAIRWISE and count >= 2:
        return _pairwise(case, op)
    return None


def _requested(op: model.Op, error: model.ExceptionInfo) -> Shape | None:
    """The sizes asked for: from the recorded arguments, else from the words of the error."""
    for key in ("shape", "size", "sizes", "args"):
        value = op.arguments.get(key)
        if isinstance(value, list) and all(isinstance(d, int) for d in value):
            return tuple(value)
    found = _SIZES.search(error.message)
    return tuple(int(d) for d in found.group(1).split(",") if d.strip()) if found is not None else None


def _view(case: Case, op: model.Op, error: model.ExceptionInfo) -> Fault | None:
    value = op.operands[0]
    given, asked, name = value.spec.shape, _requested(op, error), named(case, op, 0)
    parts: dict[str, object] = {"name": name, "given": shapes.text(given), "entries": shapes.count(given)}
    if "not compatible" in error.message or (
        value.flags & VALUE_NON_CONTIGUOUS and "invalid for input" not in error.message
    ):
        maker = case.producer(value.number, op.number)
        parts |= {
            "asked": shapes.text(asked) if asked else case.words("the-new-shape"),
            "maker": shown(maker.name) if maker is not None else case.words("an-earlier-call"),
            "line": maker.stack[0].line if maker is not None and maker.stack else "?",
            "new": f"{tight(name)}.transpose(1, 2).reshape({', '.join(map(str, asked))})"
            if asked and len(given) == 4
            else f"{tight(name)}.reshape(...)",
        }
        return Fault("shape-view-strides", parts, f"contiguous {shapes.text(asked)}" if asked else "contiguous", given)
    if asked is None:
        return None
    first = asked[0] if asked else -1
    keeps_batch = bool(given) and first == given[0]
    parts |= {
        "asked": shapes.text(asked),
        "wanted": shapes.count(asked) if -1 not in asked else "?",
        "new": f"{tight(name)}.flatten(1)"
        if keeps_batch and len(asked) == 2 and not is_hips(op)
        else f"{tight(name)}.{plain(op.name)}({f'{first}, ' if _divides(first, given) else ''}-1)",
    }
    return Fault("shape-view-count", parts, asked, given)


def _divides(size: object, given: model.Shape) -> bool:
    """Whether the entries can be arranged in so many rows."""
    entries = shapes.count(given)
    return isinstance(size, int) and size > 0 and (entries < 0 or entries % size == 0)


def _joined(case: Case, op: model.Op, name: str) -> Fault | None:
    dim = op.arguments.get("dim", op.arguments.get("axis", 0))
    reference = op.operands[0].spec.shape
    for index, value in enumerate(op.operands[1:], 1):
        shape = value.spec.shape
        axis = dim % len(shape) if isinstance(dim, int) and shape else 0
        others = [i for i in range(len(shape)) if i != axis or name == "stack"]
        if len(shape) != len(reference) or any(shape[i] != reference[i] for i in others):
            first, second = named(case, op, 0), named(case, op, index)
            fit = ""
            if len(shape) == len(reference) == 4 and shape[:2] == reference[:2] and not is_hips(op):
                fit = f"{second} = F.interpolate({second}, size={tight(first)}.shape[-2:])"
            parts: dict[str, object] = {
                "first": first,
                "second": second,
                "a": shapes.text(reference),
                "b": shapes.text(shape),
                "dim": dim,
                "verb": name,
                "new": fit or case.words("shape-before", second=second, first=first, call=name),
            }
            return Fault("shape-cat", parts, reference, shape, blamed=index)
    return None


def _expand(case: Case, op: model.Op, error: model.ExceptionInfo) -> Fault | None:
    given, asked = op.operands[0].spec.shape, _requested(op, error)
    if asked is None:
        return None
    parts: dict[str, object] = {"name": named(case, op, 0), "given": shapes.text(given), "asked": shapes.text(asked)}
    expected = asked[len(asked) - len(given) :] if len(asked) >= len(given) else asked
    bad = next((d for d in range(-1, -len(given) - 1, -1) if -d <= len(asked) and given[d] not in (1, asked[d])), -1)
    parts |= {"have": given[bad] if given else "?", "wanted": asked[bad] if -bad <= len(asked) else "?"}
    return Fault("shape-expand", parts, expected, given)


def _pairwise(case: Case, op: model.Op) -> Fault | None:
    a, b = op.operands[0].spec.shape, op.operands[1].spec.shape
    if shapes.broadcast(a, b) is not None:
        return None
    bad = shapes.clash(a, b)
    dim = bad[-1] if bad else -1
    first, second = named(case, op, 0), named(case, op, 1)
    new = case.words("one-shape", first=first, second=second)
    if len(a) == len(b) == 4 and a[:2] == b[:2] and not is_hips(op):
        resized = f"F.interpolate({second}, size={tight(first)}.shape[-2:])"
        new = f"{second} = {resized}" if second.isidentifier() else resized
    elif len(b) == 2 and tuple(reversed(b)) == a:
        new = transposed(case, op, tight(second), 2)
    elif len(b) == 1 and a and len(a) == 2 and a[0] == b[0]:
        new = f"{tight(second)}[:, None]"
    elif len(a) == 1 and len(b) == 2 and b[0] == a[0]:
        new = f"{tight(first)}[:, None]"
    parts: dict[str, object] = {
        "first": first,
        "second": second,
        "a": shapes.text(a),
        "b": shapes.text(b),
        "dim": dim,
        "left": shapes.at(a, dim),
        "right": shapes.at(b, dim),
        "new": new,
    }
    return Fault("shape-pairwise", parts, a, b, _right_side(case, op), blamed=1)


def _right_side(case: Case, op: model.Op) -> Place | None:
    """Of an expression over several lines the line of its right side, where the operator mostly stands."""
    written, code = case.op_expression(op), case.code(op.stack[0].file) if op.stack else None
    if code is None or not isinstance(written, ast.BinOp) or written.lineno == written.right.lineno:
        return None
    return code.place(written.right)


def _from_words(case: Case, op: model.Op | None, error: model.ExceptionInfo) -> Fault:
    """Nothing better is known than the error's own words; shapes in them are taken over."""
    sizes = [tuple(int(d) for d in m.group(1).split(",") if d.strip()) for m in _SIZES.finditer(error.message)]
    tables = _TABLES.search(error.message)
    expected: ShapeOrWords = None
    received: ShapeOrWords = None
    if tables is not None:
        a, b, c, d = map(int, tables.groups())
        expected, received = (c, d), (a, b)
    elif len(sizes) >= 2:
        expected, received = sizes[0], sizes[1]
    elif op is not None and op.operands:
        received = op.operands[0].spec.shape
    given = (
        ", ".join(
            f"{operand_name(case, op, i) or 'operand'} {shapes.text(v.spec.shape)}"
            for i, v in enumerate(op.operands[:4])
        )
        if op is not None
        else ""
    )
    return Fault("shape-other-operands" if given else "shape-other", {"given": given}, expected, received)


def written_for(case: Case, op: model.Op, index: int) -> str:
    """The operand as the person wrote it, short or long."""
    code = case.code(op.stack[0].file) if op.stack else None
    return code.text(operand_expressions(case, op)[index]) if code is not None else ""
