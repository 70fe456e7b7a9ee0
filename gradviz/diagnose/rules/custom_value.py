"""custom-backward-wrong-value: a gradient of the right shape that differs from the slope of its own forward.

Both are worked out on paper from their text, at random points (see paper.py). A backward that is meant to be another
one stays unspoken of: straight-through estimators, reversed, scaled or clipped gradients.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.diagnose import shapes
from gradviz.diagnose.customs import CustomBackward, custom_backward, input_name, is_custom
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.naming import imported
from gradviz.diagnose.paper import Context, Paper
from gradviz.diagnose.paper_functions import NotOnPaper
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import method_of
from gradviz.trace import model
from gradviz.trace.packing import NODE_LEAF, VALUE_REQUIRES_GRAD

LARGEST = 1024  # entries of an input that is still worked out
DIRECTIONS = 4
STEP = 1e-6


@dataclass(frozen=True)
class Verdict:
    """What was calculated of one input's gradient. `turned`: its transpose is right; `factor`: it is off by this."""

    index: int
    given: float
    right: float
    turned: bool
    factor: float | None


def find(exam: Examination) -> Iterator[Finding]:
    case = exam.case
    seen: set[str] = set()
    for backward in case.passes:
        flags = case.trace.graph(backward.id).flags
        if backward.outcome != "completed":
            continue
        for index in np.flatnonzero((flags & ~NODE_LEAF) != 0).tolist():
            node = case.node(backward.id, index)
            if not is_custom(node) or node.name in seen:
                continue
            seen.add(node.name)
            found, op = custom_backward(case, node), case.node_op(node)
            verdict = check(found, op) if found is not None and op is not None else None
            if found is not None and verdict is not None:
                yield _finding(exam, backward, node, found, verdict)


def check(found: CustomBackward, op: model.Op) -> Verdict | None:
    """The first input whose gradient is wrong; None when all are right, meant otherwise, or can't be told."""
    forward = method_of(found.owner, "forward")
    names = found.inputs()
    tensors = {v.name: v for v in op.operands}
    if forward is None or not names or set(tensors) - set(names) or len(tensors) != len(op.operands):
        return None
    if any(not shapes.known(v.spec.shape) or shapes.count(v.spec.shape) > LARGEST for v in op.operands):
        return None
    if any(not v.spec.dtype.startswith("float") for v in op.operands):
        return None
    calculation = _Calculation(found, forward, names, dict(op.arguments))
    wanted = [i for i, name in enumerate(names) if name in tensors and tensors[name].flags & VALUE_REQUIRES_GRAD]
    shape_of = {name: tuple(int(d) for d in v.spec.shape) for name, v in tensors.items()}
    with np.errstate(all="ignore"):
        try:
            return _first_wrong(calculation, wanted, shape_of)
        except (NotOnPaper, ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError):
            return None  # what numpy says of a calculation that we misread; nothing is said then


class _Calculation:
    """Forward and backward of one Function as functions of arrays."""

    def __init__(
        self, found: CustomBackward, forward: ast.FunctionDef, names: tuple[str, ...], others: dict[str, Any]
    ) -> None:
        self._found, self._forward, self._names, self._others = found, forward, names, others
        self._modules = imported(found.code)
        self.smooth = True

    def value(self, inputs: dict[str, Any]) -> tuple[Any, Context]:
        context = Context()
        arguments = self._forward.args.args
        paper = Paper(context, {**self._others, **inputs}, arguments[0].arg, self._modules)
        result = paper.run(self._forward)
        self.smooth = self.smooth and paper.smooth
        if not isinstance(result, (np.ndarray, np.generic)):
            raise NotOnPaper("several results")
        return np.asarray(result), context

    def gradients(self, context: Context, grad: Any) -> tuple[Any, ...]:
        arguments = [a.arg for a in self._found.method.args.args]
        if len(arguments) != 2:
            raise NotOnPaper("several gradients")
        result = Paper(context, {arguments[1]: grad}, arguments[0], self._modules).run(self._found.method)
        return result if isinstance(result, tuple) else (result,)


def _first_wrong(calculation: _Calculation, wanted: list[int], shape_of: dict[str, tuple[int, ...]]) -> Verdict | None:
    chance = np.random.default_rng(0)
    inputs = {name: chance.uniform(0.2, 1.4, shape) for name, shape in shape_of.items()}
    value, context = calculation.value(inputs)
    grad = chance.normal(size=value.shape)
    given = calculation.gradients(context, grad)
    if not calculation.smooth or not _linear(calculation, context, grad, given):
        return None
    names = list(calculation._names)
    for index in wanted:
        name = names[index]
        one = given[index] if index < len(given) else None
        if not isinstance(one, np.ndarray) or one.shape != inputs[name].shape or not np.isfinite(one).all():
            continue
        if one.shape == grad.shape and _proportional(one, grad):
            continue  # reversed, scaled or passed straight through: meant
        verdict = _compare(calculation, inputs, name, index, one, grad, chance)
        if verdict is not None:
            return verdict
    return None


def _linear(calculation: _Calculation, context: Context, grad: Any, given: tuple[Any, ...]) -> bool:
    """A backward is linear in what it receives; one that isn't clips or gates the gradient on purpose."""
    doubled = calculation.gradients(context, -2 * grad)
    pairs = [(a, b) for a, b in zip(given, doubled) if isinstance(a, np.ndarray)]
    return bool(pairs) and all(np.allclose(-2 * a, b, rtol=1e-6, atol=1e-9) for a, b in pairs)


def _proportional(one: Any, grad: Any) -> bool:
    ratio = float((one * grad).sum() / max(float((grad * grad).sum()), 1e-30))
    return bool(np.allclose(one, ratio * grad, rtol=1e-6, atol=1e-9))


def _compare(
    calculation: _Calculation, inputs: dict[str, Any], name: str, index: int, one: Any, grad: Any, chance: Any
) -> Verdict | None:
    """The gradient against differences of forward along random directions."""
    square = one.ndim == 2 and one.shape[0] == one.shape[1]
    figures = []
    for _ in range(DIRECTIONS):
        direction = chance.normal(size=one.shape)
        ahead, _ = calculation.value({**inputs, name: inputs[name] + STEP * direction})
        behind, _ = calculation.value({**inputs, name: inputs[name] - STEP * direction})
        slope = float(((ahead - behind) * grad).sum() / (2 * STEP))
        turned = float((one.T * direction).sum()) if square else float("nan")
        figures.append((float((one * direction).sum()), slope, turned))
    scale = max(max(abs(a), abs(b)) for a, b, _ in figures)
    off = [abs(a - b) > 1e-3 * scale for a, b, _ in figures]
    if scale < 1e-9 or sum(off) < DIRECTIONS - 1 or not np.isfinite([b for _, b, _ in figures]).all():
        return None
    turned_right = square and all(abs(t - b) < 1e-4 * scale for _, b, t in figures)
    ratios = [b / a for a, b, _ in figures if abs(a) > 1e-9]
    same = len(ratios) == DIRECTIONS and max(ratios) - min(ratios) < 1e-3 * max(abs(r) for r in ratios)
    return Verdict(index, figures[0][0], figures[0][1], turned_right, round(ratios[0], 4) if same else None)


def _finding(
    exam: Examination, backward: model.Backward, node: model.Node, found: CustomBackward, verdict: Verdict
) -> Finding:
    written = found.returned(verdict.index)
    text = found.code.short(written) or exam.case.words("the-gradient")
    expected = exam.case.expected_of(backward.id, node.index, verdict.index)
    shape = expected.shape if expected is not None else None
    new = exam.case.words("check-formula", text=text)
    if verdict.turned:
        new = f"{tight(text)}.t()"
    elif verdict.factor is not None:
        new = f"{verdict.factor:g} * {tight(text)}"
    return exam.writer.write(
        "custom-backward-wrong-value",
        "warning",
        found.source(written),
        "custom-value-turned" if verdict.turned else "custom-value",
        {
            "name": found.owner.name,
            "input": input_name(exam.case, found, verdict.index),
            "grad": text,
            "given": f"{verdict.given:.4g}",
            "right": f"{verdict.right:.4g}",
            "new": new,
        },
        expected_shape=shape,
        received_shape=shape,
        marks=edge_mark(exam, backward, node, verdict.index, shape, shape),
        confidence=0.7,
        **at_node(exam, backward, node),
    )
