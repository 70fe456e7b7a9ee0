"""forward-shape-error: a forward call whose operands don't fit, with what it expected and what it was given."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Change, Finding, ShapeOrWords
from gradviz.diagnose.marking import at_call
from gradviz.diagnose.modules import made_at, module_of
from gradviz.diagnose.naming import operand_expressions, operand_name, operand_place
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import LOSSES, PAIRWISE, plain
from gradviz.trace import model
from gradviz.trace.packing import VALUE_NON_CONTIGUOUS

_SIZES = re.compile(r"\[([\d, ]*)\]")
_TABLES = re.compile(r"\((\d+)x(\d+) and (\d+)x(\d+)\)")


@dataclass
class Fault:
    """What is said of a call whose operands don't fit."""

    phrase: str
    parts: dict[str, object]
    expected: ShapeOrWords = None
    received: ShapeOrWords = None
    place: Place | None = None
    changes: tuple[Change, ...] = ()
    blamed: int = 0  # index of the operand to mark
    arose: str = ""  # the call in which the wrong shape arises, if it is another one


def shape_error(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    """The finding for a forward call that refused the shapes it was given."""
    case = exam.case
    fault = _explain(case, op, error) if op is not None else None
    if fault is None:
        fault = _from_words(case, op, error)
    call_place = case.place(op.stack if op is not None and op.stack else error.stack)
    place = fault.place or call_place
    parts = {
        "op": plain(op.name) if op is not None else "the call",
        "reason": first_sentence(error.message),
    } | fault.parts
    return exam.writer.write(
        "forward-shape-error",
        "error",
        place,
        fault.phrase,
        parts,
        op=fault.arose or (plain(op.name) if op is not None else _vmap(error)),
        node="",
        expected_shape=fault.expected,
        received_shape=fault.received,
        symptom_line=call_place.line if call_place.line != place.line else None,
        **at_call(exam, op, error, fault.blamed, fault.expected, fault.received),
        changes=fault.changes,
        **raised(error),
    )


def _vmap(error: model.ExceptionInfo) -> str:
    return "vmap" if error.message.startswith("vmap") else ""


def first_sentence(message: str) -> str:
    line = message.strip().splitlines()[0] if message.strip() else "it gave no reason"
    return line.rstrip(".")


def named(case: Case, op: model.Op, index: int) -> str:
    return operand_name(case, op, index) or f"operand {index + 1}"


def _explain(case: Case, op: model.Op, error: model.ExceptionInfo) -> Fault | None:
    name, count = plain(op.name), len(op.operands)
    if name in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d") and count >= 2:
        return _layer(case, op, name)
    if name in ("matmul", "mm", "bmm", "mv", "dot", "addmm") and count >= 2:
        return _product(case, op)
    if name in ("view", "reshape") and count:
        return _view(case, op, error)
    if name in ("cat", "stack", "hstack", "vstack") and count >= 2:
        return _joined(case, op, name)
    if name in ("expand", "broadcast_to") and count:
        return _expand(case, op, error)
    if name in LOSSES and count >= 2:
        return _loss(case, op)
    if name in PAIRWISE and count >= 2:
        return _pairwise(case, op)
    return None


def _layer(case: Case, op: model.Op, name: str) -> Fault | None:
    given, weight = op.operands[0].spec.shape, op.operands[1].spec.shape
    linear = name == "linear"
    module = module_of(case, op)
    if not given or len(weight) < 2:
        return None
    wanted = weight[0] if name.startswith("conv_transpose") else weight[1]
    axis = -1 if linear else (1 if len(given) == len(weight) else 0)
    have = given[axis] if -len(given) <= axis < len(given) else 0
    rank_off = not linear and len(given) not in (len(weight), len(weight) - 1)
    if have == wanted and not rank_off:
        return None
    channels_last = not linear and not rank_off and given[-1] == wanted
    made = made_at(case, module) if module is not None and linear else None
    parts: dict[str, object] = {
        "name": named(case, op, 0),
        "layer": module.path or module.class_name if module is not None else name,
        "given": shapes.text(given),
        "have": have,
        "wanted": wanted,
        "rank": len(weight),
        "new": "",
    }
    if linear:
        expected: Shape = (*given[:-1], wanted)
        new, changes = _resized(case, made, have)
        parts["new"] = new or f"nn.Linear({have}, {weight[0]})"
        return Fault("shape-linear", parts, expected, given, made, changes)
    if rank_off:
        return Fault("shape-conv-rank", parts, f"{len(weight)} dimensions", given)
    if channels_last:
        order = (0, len(given) - 1, *range(1, len(given) - 1)) if axis else (len(given) - 1, *range(len(given) - 1))
        parts["new"] = f"{parts['name']}.permute({', '.join(map(str, order))})"
        place = operand_place(case, op, 0)
        return Fault("shape-channels-last", parts, tuple(given[i] for i in order), given, place)
    expected = tuple(wanted if i == axis else d for i, d in enumerate(given))
    return Fault("shape-channels", parts, expected, given)


def _resized(case: Case, made: Place | None, size: object) -> tuple[str, tuple[Change, ...]]:
    """The line that makes the layer, with its first argument set right."""
    code = case.code(made.file) if made is not None else None
    if code is None or made is None:
        return "", ()
    calls = [
        n
        for n in ast.walk(code.tree)
        if isinstance(n, ast.Call) and n.lineno == made.line and n.col_offset == made.column
    ]
    call = as_call(calls[-1]) if calls else None
    first = call.argument(0, "in_features") if call is not None else None
    if call is None or first is None:
        return "", ()
    changes = replacement(code, code.place(first), str(size))
    rest = [code.text(a) for a in call.positional[1:]] + [
        f"{k}={code.text(v)}" for k, v in call.keywords.items() if v is not first
    ]
    return f"{code.text(call.node.func)}({', '.join([str(size), *rest])})", changes


def _product(case: Case, op: model.Op) -> Fault | None:
    offset = 1 if plain(op.name) == "addmm" else 0
    if len(op.operands) < offset + 2:
        return None
    a, b = op.operands[offset].spec.shape, op.operands[offset + 1].spec.shape
    if not a or not b:
        return None
    first, second = named(case, op, offset), named(case, op, offset + 1)
    inner_b = b[-2] if len(b) > 1 else b[0]
    new = f"{first} @ {second}"
    if len(b) > 1 and a[-1] == b[-1]:
        new = f"{first} @ {second}.{'t()' if len(b) == 2 else 'transpose(-1, -2)'}"
    elif len(a) > 1 and a[-2] == inner_b:
        new = f"{first}.{'t()' if len(a) == 2 else 'transpose(-1, -2)'} @ {second}"
    elif len(b) > 1 and len(a) > 1 and b[-1] == a[-2] and b[-2] != a[-1]:
        new = f"{second} @ {first}" if b[-1] == a[-2] else new
    parts: dict[str, object] = {
        "first": first,
        "second": second,
        "a": shapes.text(a),
        "b": shapes.text(b),
        "left": a[-1],
        "right": inner_b,
        "new": new,
    }
    expected: Shape = (*b[:-2], a[-1], b[-1]) if len(b) > 1 else (a[-1],)
    return Fault("shape-matmul", parts, expected, b, blamed=offset + 1)


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
            "asked": shapes.text(asked) if asked else "the new shape",
            "maker": plain(maker.name) if maker is not None else "an earlier call",
            "line": maker.stack[0].line if maker is not None and maker.stack else "?",
            "new": f"{name}.transpose(1, 2).reshape({', '.join(map(str, asked))})"
            if asked and len(given) == 4
            else f"{name}.reshape(...)",
        }
        return Fault("shape-view-strides", parts, f"contiguous {shapes.text(asked)}" if asked else "contiguous", given)
    if asked is None:
        return None
    first = asked[0] if asked else -1
    keeps_batch = bool(given) and first == given[0]
    parts |= {
        "asked": shapes.text(asked),
        "wanted": shapes.count(asked) if -1 not in asked else "?",
        "new": f"{name}.flatten(1)" if keeps_batch and len(asked) == 2 else f"{name}.{plain(op.name)}({first}, -1)",
    }
    return Fault("shape-view-count", parts, asked, given)


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
            if len(shape) == len(reference) == 4 and shape[:2] == reference[:2]:
                fit = f"{second} = F.interpolate({second}, size={first}.shape[-2:])"
            parts: dict[str, object] = {
                "first": first,
                "second": second,
                "a": shapes.text(reference),
                "b": shapes.text(shape),
                "dim": dim,
                "verb": name,
                "new": fit or f"Bring {second} to the shape of {first} before {name}.",
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
    new = f"Bring {first} and {second} to one shape before this line."
    if len(a) == len(b) == 4 and a[:2] == b[:2]:
        new = f"{second} = F.interpolate({second}, size={first}.shape[-2:])"
    elif len(b) == 2 and tuple(reversed(b)) == a:
        new = f"{second}.t()"
    elif len(b) == 1 and a and len(a) == 2 and a[0] == b[0]:
        new = f"{second}[:, None]"
    elif len(a) == 1 and len(b) == 2 and b[0] == a[0]:
        new = f"{first}[:, None]"
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


def _loss(case: Case, op: model.Op) -> Fault | None:
    a, b = op.operands[0].spec.shape, op.operands[1].spec.shape
    first, second = named(case, op, 0), named(case, op, 1)
    classes = plain(op.name) in ("cross_entropy", "nll_loss")
    expected: Shape = (
        (b[0], *a[1:]) if classes and a and b and a[0] != b[0] else (b if not classes else (a[0], *a[2:]) if a else a)
    )
    received = a if not classes or (a and b and a[0] != b[0]) else b
    parts: dict[str, object] = {
        "first": first,
        "second": second,
        "a": shapes.text(a),
        "b": shapes.text(b),
        "loss": plain(op.name),
        "expected": shapes.text(expected),
        "received": shapes.text(received),
    }
    cause = _batch_maker(case, op, b[0]) if classes and a and b and a[0] != b[0] else None
    if cause is not None:
        maker, before = cause
        parts |= {"maker": plain(maker.name), "line": maker.stack[0].line, "before": shapes.text(before)}
        parts["new"] = _joined_fix(case, maker)
        return Fault("shape-loss-batch", parts, expected, received, case.place(maker.stack), arose=plain(maker.name))
    if not classes and shapes.broadcast(a, b) is None and shapes.count(a) == shapes.count(b):
        parts["new"] = f"{second}.reshape({first}.shape)"
    else:
        parts["new"] = f"Bring {first} and {second} to one batch size before this line."
    return Fault("shape-loss", parts, expected, received)


def _batch_maker(case: Case, op: model.Op, batch: object) -> tuple[model.Op, Shape] | None:
    """The call upstream whose operand still had the right first size and whose result had not."""
    value, before, wrong = op.operands[0].number, op.number, op.operands[0].spec.shape[:1]
    for _ in range(500):
        maker = case.producer(value, before)
        if maker is None or not maker.operands or not maker.stack:
            return None
        source = next((v for v in maker.operands if v.spec.shape and v.spec.shape[:1] != wrong), None)
        same = next((v for v in maker.operands if v.spec.shape[:1] == wrong), None)
        if same is None:
            return (maker, source.spec.shape) if source is not None and source.spec.shape[0] == batch else None
        value, before = same.number, maker.number
    return None


def _joined_fix(case: Case, maker: model.Op) -> str:
    code = case.code(maker.stack[0].file)
    call = as_call(case.op_expression(maker))
    if code is None or call is None or plain(maker.name) != "cat" or not call.positional:
        return "Keep the batch as the first dimension there."
    return f"{code.text(call.node.func)}({code.text(call.positional[0])}, dim=1)"


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
