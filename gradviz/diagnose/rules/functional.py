"""torch.nn.functional's calls with tensors of the person's own: which of them doesn't fit, and what to write."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.build import new_line, replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.finding import Change
from gradviz.diagnose.naming import imported, names_module, value_name
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.fault import Fault
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Call, Code, as_call, called_name
from gradviz.diagnose.vocabulary import COPIERS, plain
from gradviz.trace import model
from gradviz.trace.model import Dim

_CONVOLUTION = ("input", "weight", "bias", "stride", "padding", "dilation", "groups")
_TRANSPOSED = ("input", "weight", "bias", "stride", "padding", "output_padding", "groups")
_SIGNATURES = {
    "linear": ("input", "weight", "bias"),
    "embedding": ("input", "weight"),
    "layer_norm": ("input", "normalized_shape", "weight", "bias"),
    "rms_norm": ("input", "normalized_shape", "weight"),
    "batch_norm": ("input", "running_mean", "running_var", "weight", "bias"),
    "instance_norm": ("input", "running_mean", "running_var", "weight", "bias"),
    "group_norm": ("input", "num_groups", "weight", "bias"),
    "prelu": ("input", "weight"),
    **{f"conv{n}d": _CONVOLUTION for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _TRANSPOSED for n in (1, 2, 3)},
}


_TAKE_SIZES = frozenset({"zeros", "ones", "empty", "rand", "randn"})


@dataclass(frozen=True)
class FunctionCall:
    """A call of one of these functions as the person wrote it, with the tensors that it was given."""

    case: Case
    op: model.Op
    code: Code
    call: Call

    @property
    def name(self) -> str:
        return plain(self.op.name)

    @property
    def text(self) -> str:
        """`F.linear`."""
        return self.code.text(self.call.node.func)

    def expression(self, parameter: str) -> ast.expr | None:
        return self.call.argument(_SIGNATURES[self.name].index(parameter), parameter)

    def position(self, parameter: str) -> int:
        """Of the operand given for a parameter, -1 = none."""
        named = [i for i, v in enumerate(self.op.operands) if v.name == parameter]
        if named:
            return named[0]
        given = [p for p in _SIGNATURES[self.name] if self._is_tensor(p)]
        at = given.index(parameter) if parameter in given else -1
        return at if at < len(self.op.operands) else -1

    def _is_tensor(self, parameter: str) -> bool:
        written = self.expression(parameter)
        plain_value = isinstance(written, (ast.Constant, ast.Tuple, ast.List))
        return written is not None and not plain_value and parameter not in ("normalized_shape", "num_groups", "groups")

    def shape(self, parameter: str) -> Shape | None:
        at = self.position(parameter)
        return self.op.operands[at].spec.shape if at >= 0 else None

    def named(self, parameter: str) -> str:
        """How a sentence calls what was given for a parameter."""
        at = self.position(parameter)
        text = self.code.short(self.expression(parameter))
        return text or (value_name(self.case, self.op.operands[at].number) if at >= 0 else "") or parameter

    def rewritten(self, parameter: str, new: str) -> str:
        """The call with another expression for one argument."""
        old = self.expression(parameter)
        parts = [new if a is old else self.code.text(a) for a in self.call.positional]
        for name, value in self.call.keywords.items():
            parts.append(f"{name}={new if value is old else self.code.text(value)}")
        return f"{self.text}({', '.join(parts)})"

    def changes(self, parameter: str, new: str) -> tuple[Change, ...]:
        old = self.expression(parameter)
        return replacement(self.code, self.code.place(old), new) if old is not None else ()


def function_call(case: Case, op: model.Op) -> FunctionCall | None:
    """The call, where the person called torch's function and not a layer that does."""
    code = case.code(op.stack[0].file) if op.stack else None
    call = as_call(case.op_expression(op))
    if code is None or call is None or plain(op.name) not in _SIGNATURES or plain(call.function) != plain(op.name):
        return None
    of_module = call.receiver is not None and names_module(code, call.receiver)
    by_name = call.receiver is None and call.function in imported(code)
    return FunctionCall(case, op, code, call) if of_module or by_name else None


def functional(case: Case, op: model.Op) -> Fault | None:
    """What doesn't fit in such a call; None where it is none, or nothing is known to be wrong with it."""
    call = function_call(case, op)
    given = call.shape("input") if call is not None else None
    if call is None or not given:
        return None
    if call.name == "linear":
        return _features(call, given)
    if call.name.startswith("conv"):
        return _channels(call, given)
    if call.name in ("layer_norm", "rms_norm"):
        return _normalized(call, given)
    if call.name == "group_norm" and len(given) > 1:
        return _groups(call, given) or _each(call, ("weight", "bias"), given[1:2], "input", case.words("unit-channel"))
    if call.name in ("batch_norm", "instance_norm") and len(given) > 1:
        parameters = ("running_mean", "running_var", "weight", "bias")
        return _each(call, parameters, given[1:2], "input", case.words("unit-channel"))
    return None


def _features(call: FunctionCall, given: Shape) -> Fault | None:
    weight = call.shape("weight")
    if not weight:
        return None
    have, wanted = given[-1], weight[-1]
    if have == wanted:
        return (
            _each(call, ("bias",), weight[:1], "weight", call.case.words("unit-feature")) if len(weight) == 2 else None
        )
    name, other = call.named("input"), call.named("weight")
    changes: tuple[Change, ...] = ()
    if len(weight) == 2 and weight[0] == have:
        turned = f"{tight(other)}.t()"
        new, changes = call.rewritten("weight", turned), call.changes("weight", turned)
    elif len(given) == 2 and given[0] == wanted:
        turned = f"{tight(name)}.t()"
        new, changes = call.rewritten("input", turned), call.changes("input", turned)
    else:
        new, changes = _made_in(call, "weight", (*weight[:-1], have))
    parts = _parts(call, given, weight) | {"have": have, "wanted": wanted, "new": new}
    return Fault("functional-features", parts, (*given[:-1], wanted), given, changes=changes)


def _channels(call: FunctionCall, given: Shape) -> Fault | None:
    weight = call.shape("weight")
    rank = int(call.name[-2]) + 2
    transposed = call.name.startswith("conv_transpose")
    order = call.case.words("order-transposed") if transposed else call.case.words("order-convolution")
    if weight is None:
        return None
    if len(weight) != rank:
        new = f"{tight(call.named('weight'))}.unsqueeze(0)" if len(weight) == rank - 1 else ""
        new = call.rewritten("weight", new) if new else _made_in(call, "weight", None)[0]
        parts = _parts(call, given, weight) | {"rank": rank, "order": order, "new": new}
        return Fault("functional-weight-rank", parts, f"{rank} dimensions", weight, blamed=call.position("weight"))
    if len(given) not in (rank, rank - 1):
        parts = {"layer": call.text, "rank": rank, "name": call.named("input"), "given": shapes.text(given)}
        return Fault("shape-conv-rank", parts, f"{rank} dimensions", given)
    groups = _number(call, "groups", 1)
    axis = 1 if len(given) == rank else 0
    have, one = given[axis], weight[0] if transposed else weight[1]
    if not isinstance(one, int) or not isinstance(have, int):
        return None
    wanted = one if transposed else one * groups
    if have == wanted:
        out = weight[1] * groups if transposed and isinstance(weight[1], int) else weight[0]
        return _each(call, ("bias",), (out,), "weight", call.case.words("unit-channel"))
    expected = tuple(wanted if i == axis else d for i, d in enumerate(given))
    name = call.named("input")
    changes: tuple[Change, ...] = ()
    if given[-1] == wanted:
        rest = range(axis + 1, len(given) - 1)
        permuted = f"{tight(name)}.permute({', '.join(map(str, [*range(axis), len(given) - 1, axis, *rest]))})"
        new, changes = call.rewritten("input", permuted), call.changes("input", permuted)
    elif not transposed and groups == 1 and weight[0] == have:
        turned = f"{tight(call.named('weight'))}.transpose(0, 1)"
        new, changes = call.rewritten("weight", turned), call.changes("weight", turned)
    else:
        size = (have, *weight[1:]) if transposed else (weight[0], have // groups if have % groups == 0 else have)
        new, changes = _made_in(call, "weight", size if transposed else (*size, *weight[2:]))
    parts = _parts(call, given, weight) | {"have": have, "wanted": wanted, "order": order, "new": new}
    return Fault("functional-channels", parts, expected, given, changes=changes)


def _normalized(call: FunctionCall, given: Shape) -> Fault | None:
    asked = call.op.arguments.get("normalized_shape")
    if isinstance(asked, int):
        asked = [asked]
    if not isinstance(asked, list) or not all(isinstance(size, int) for size in asked):
        return None
    count = len(asked)
    last = given[len(given) - count :] if count <= len(given) else given
    name = call.named("input")
    if tuple(asked) != last:
        right = f"{tight(name)}.shape[-{len(last)}:]"
        parts: dict[str, object] = {
            "call": call.text,
            "asked": shapes.text(tuple(asked)),
            "name": name,
            "given": shapes.text(given),
            "wanted": shapes.text(last),
            "new": call.rewritten("normalized_shape", right),
        }
        expected = (*given[: max(len(given) - count, 0)], *asked)
        return Fault("functional-normalized", parts, expected, given, changes=call.changes("normalized_shape", right))
    return _each(call, ("weight", "bias"), last, "input", call.case.words("unit-entry"))


def _groups(call: FunctionCall, given: Shape) -> Fault | None:
    groups, have = _number(call, "num_groups", 0), given[1]
    if not groups or not isinstance(have, int) or have % groups == 0:
        return None
    fitting = max(d for d in range(1, groups + 1) if have % d == 0)
    parts: dict[str, object] = {
        "call": call.text,
        "have": have,
        "name": call.named("input"),
        "given": shapes.text(given),
        "groups": groups,
        "new": call.rewritten("num_groups", str(fitting)),
    }
    return Fault("functional-groups", parts, f"a multiple of {groups}", given)


def _each(call: FunctionCall, parameters: tuple[str, ...], wanted: Shape, other: str, unit: str) -> Fault | None:
    """The first of these operands that isn't of the shape `wanted`, which `other` asks for."""
    wrong = [p for p in parameters if call.expression(p) is not None and call.shape(p) not in (None, wanted)]
    if not wrong:
        return None
    first = wrong[0]
    given = call.shape(first)
    new, changes = _made_in(call, first, wanted, [p for p in wrong[1:] if call.named(p) != call.named(first)])
    parts: dict[str, object] = {
        "call": call.text,
        "name": call.named(first),
        "given": shapes.text(given),
        "argument": first,
        "other": call.named(other),
        "shape": shapes.text(call.shape(other)),
        "wanted": shapes.text(wanted),
        "unit": unit,
        "count": shapes.count(wanted),
        "new": new,
    }
    return Fault("functional-operand", parts, wanted, given, changes=changes, blamed=call.position(first))


def _parts(call: FunctionCall, given: Shape, weight: Shape) -> dict[str, object]:
    return {
        "call": call.text,
        "name": call.named("input"),
        "given": shapes.text(given),
        "weight": call.named("weight"),
        "size": shapes.text(weight),
    }


def _number(call: FunctionCall, name: str, otherwise: int) -> int:
    value = call.op.arguments.get(name, otherwise)
    return value if isinstance(value, int) else otherwise


def _made_in(
    call: FunctionCall, parameter: str, shape: Shape | None, too: Sequence[str] = ()
) -> tuple[str, tuple[Change, ...]]:
    """The line that makes an operand with the sizes written into it set right, and those `too` that stand there; else a
    sentence.
    """
    case, name = call.case, call.named(parameter)
    if shape is None:
        return case.words("as-call-takes-it", name=name, call=call.text), ()
    line, sizes = _sizes_of(call, parameter, shape)
    if not line:
        return case.words("made-in-shape", name=name, shape=shapes.text(shape)), ()
    for other in too:
        at, more = _sizes_of(call, other, shape)
        sizes += more if at == line else []
    row = call.code.line(line).encode("utf-8", "surrogatepass")
    for node, size in sorted(sizes, key=lambda each: -each[0].col_offset):
        row = row[: node.col_offset] + str(size).encode() + row[node.end_col_offset :]
    text = row.decode("utf-8", "replace").strip()
    return text, new_line(call.code, line, text)


def _sizes_of(call: FunctionCall, parameter: str, shape: Shape) -> tuple[int, list[tuple[ast.Constant, Dim]]]:
    """The line that makes an operand and its sizes there, each with what it should be; line 0 where that isn't told."""
    written = call.expression(parameter)
    bound = last_assignment(call.code, written.id, written) if isinstance(written, ast.Name) else None
    made = value_of(bound, written.id) if isinstance(written, ast.Name) else None
    sizes = _written_sizes(made)
    if bound is None or not sizes or len(sizes) != len(shape) or bound.lineno != bound.end_lineno:
        return 0, []
    return bound.lineno, list(zip(sizes, shape))


def _written_sizes(made: ast.expr | None) -> list[ast.Constant]:
    """The sizes in `torch.randn(5, 3, ...)`, where they are plain numbers; through what is called on its result."""
    while isinstance(made, (ast.Call, ast.BinOp)):
        if isinstance(made, ast.BinOp):
            made = made.left if isinstance(made.left, ast.Call) else made.right
        elif called_name(made) in _TAKE_SIZES:
            found = made.args[0].elts if made.args and isinstance(made.args[0], (ast.Tuple, ast.List)) else made.args
            sizes = [each for each in found if isinstance(each, ast.Constant) and type(each.value) is int]
            return sizes if len(sizes) == len(found) else []
        elif called_name(made) in COPIERS and made.args:
            made = made.args[0]
        else:
            made = made.func.value if isinstance(made.func, ast.Attribute) else None
    return []
