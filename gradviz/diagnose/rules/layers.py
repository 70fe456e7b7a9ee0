"""Layers, products and losses that refuse their operands: which size was expected, and what to write instead."""

from __future__ import annotations

import ast

from gradviz.diagnose import shapes
from gradviz.diagnose.build import replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Change
from gradviz.diagnose.frameworks import transposed
from gradviz.diagnose.modules import label, made_at, module_of
from gradviz.diagnose.naming import operand_name, operand_place
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.fault import Fault, named
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import plain, shown
from gradviz.trace import model


def layer(case: Case, op: model.Op, name: str) -> Fault | None:
    given, weight = op.operands[0].spec.shape, op.operands[1].spec.shape
    linear = name == "linear"
    module = module_of(case, op)
    if not given or len(weight) < 2:
        return None
    groups = op.arguments.get("groups", 1)
    wanted = weight[0] if name.startswith("conv_transpose") else weight[1]
    if not name.startswith("conv_transpose") and isinstance(groups, int) and isinstance(wanted, int):
        wanted *= groups
    axis = -1 if linear else (1 if len(given) == len(weight) else 0)
    have = given[axis] if -len(given) <= axis < len(given) else 0
    rank_off = not linear and len(given) not in (len(weight), len(weight) - 1)
    if have == wanted and not rank_off:
        return None
    channels_last = not linear and not rank_off and given[-1] == wanted
    made = made_at(case, module) if module is not None and linear else None
    parts: dict[str, object] = {
        "name": operand_name(case, op, 0) or case.words("its-input"),
        "layer": label(module) if module is not None else name,
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
        parts["new"] = f"{tight(str(parts['name']))}.permute({', '.join(map(str, order))})"
        place = operand_place(case, op, 0)
        return Fault("shape-channels-last", parts, tuple(given[i] for i in order), given, place)
    expected = tuple(wanted if i == axis else d for i, d in enumerate(given))
    return Fault("shape-channels", parts, expected, given)


def normalising(case: Case, op: model.Op) -> Fault | None:
    """A LayerNorm or BatchNorm that was made for another number of features."""
    module = module_of(case, op)
    given = op.operands[0].spec.shape
    kept = op.operands[1].spec.shape  # its own numbers, one for each feature
    axis = -1 if plain(op.name) == "layer_norm" else 1
    if module is None or len(kept) != 1 or len(given) < 2 or given[axis] == kept[0]:
        return None
    wanted, have = kept[0], given[axis]
    made = made_at(case, module)
    new, changes = _resized(case, made, have)
    parts: dict[str, object] = {
        "layer": label(module),
        "name": operand_name(case, op, 0) or case.words("its-input"),
        "given": shapes.text(given),
        "wanted": wanted,
        "have": have,
        "dim": axis,
        "new": new or f"nn.{module.class_name}({have})",
    }
    expected = (*given[:-1], wanted) if axis < 0 else (given[0], wanted, *given[2:])
    return Fault("shape-normalised", parts, expected, given, made, changes)


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


def product(case: Case, op: model.Op) -> Fault | None:
    offset = 1 if plain(op.name) == "addmm" else 0
    if len(op.operands) < offset + 2:
        return None
    a, b = op.operands[offset].spec.shape, op.operands[offset + 1].spec.shape
    if not a or not b:
        return None
    first, second = named(case, op, offset), named(case, op, offset + 1)
    inner_b = b[-2] if len(b) > 1 else b[0]
    expected: Shape = (*b[:-2], a[-1], b[-1]) if len(b) > 1 else (a[-1],)
    new = case.words("made-in-shape", name=second, shape=shapes.text(expected))
    if len(b) > 1 and a[-1] == b[-1]:
        new = f"{first} @ {transposed(case, op, second, len(b))}"
    elif len(a) > 1 and a[-2] == inner_b:
        new = f"{transposed(case, op, first, len(a))} @ {second}"
    elif len(b) > 1 and len(a) > 1 and b[-1] == a[-2] and b[-2] != a[-1]:
        new = f"{second} @ {first}"
    parts: dict[str, object] = {
        "first": first,
        "second": second,
        "a": shapes.text(a),
        "b": shapes.text(b),
        "left": a[-1],
        "right": inner_b,
        "new": new,
    }
    return Fault("shape-matmul", parts, expected, b, blamed=offset + 1)


def loss(case: Case, op: model.Op) -> Fault | None:
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
        "loss": shown(op.name),
        "expected": shapes.text(expected),
        "received": shapes.text(received),
    }
    cause = _batch_maker(case, op, b[0]) if classes and a and b and a[0] != b[0] else None
    if cause is not None:
        maker, before = cause
        parts |= {"maker": shown(maker.name), "line": maker.stack[0].line, "before": shapes.text(before)}
        parts["new"] = _joined_fix(case, maker)
        return Fault("shape-loss-batch", parts, expected, received, case.place(maker.stack), arose=shown(maker.name))
    squeezed = _squeezed(second, b, expected) if classes else _squeezed(first, a, b) or _squeezed(second, b, a)
    if squeezed:
        parts["new"] = squeezed
    elif not classes and shapes.broadcast(a, b) is None and shapes.count(a) == shapes.count(b):
        parts["new"] = f"{tight(second)}.reshape({tight(first)}.shape)"
    else:
        parts["new"] = case.words("one-batch-size", first=first, second=second)
    return Fault("shape-loss", parts, expected, received)


def _squeezed(name: str, shape: Shape, wanted: Shape) -> str:
    """The call that takes the one dimension of size 1 away that is too many; "" where it isn't that."""
    places = [at for at, size in enumerate(shape) if size == 1 and (*shape[:at], *shape[at + 1 :]) == tuple(wanted)]
    return f"{tight(name)}.squeeze({places[-1]})" if places else ""


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
        return case.words("batch-first")
    return f"{code.text(call.node.func)}({code.text(call.positional[0])}, dim=1)"
