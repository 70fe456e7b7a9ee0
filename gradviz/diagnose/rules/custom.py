"""custom-backward-*: what a person's own autograd.Function returns from backward, against what its inputs need."""

from __future__ import annotations

import re
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.case import Case
from gradviz.diagnose.customs import (
    CustomBackward,
    custom_backward,
    gradient_count,
    input_name,
    name_of,
    return_place,
)
from gradviz.diagnose.dataflow import assigned_names
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.naming import listed
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.custom_silent import wrong_dtype
from gradviz.trace import model

_COUNT = re.compile(r"incorrect number of gradients \(expected (\d+), got (\d+)\)")
_SHAPE = re.compile(
    r"invalid gradient at index (\d+) - got \[([\d, ]*)\] but expected shape compatible with \[([\d, ]*)\]"
)
_DEVICE = re.compile(r"invalid gradient at index (\d+) - expected device (\S+) but got (\S+)")
_DTYPE = re.compile(
    r"invalid gradient at index (\d+) - expected (?:type|dtype) (\S+) but got (\S+)|isFloatingType|is_complex"
)
_TYPE = re.compile(r"expected Variable or None \(got (\w+)\)|expected Tensor or None \(got (\w+)\)")
_NON_TENSOR = re.compile(r"gradient different than None at position (\d+)")
_ONCE = re.compile(r"once_differentiable")
_SIZE = re.compile(r"shape '?\[([\d, -]*)\]'? is invalid for input of size (\d+)")
_SHAPE_WORDS = re.compile(r"shape|size|must match|broadcast|dimension|mat1 and mat2|expand", re.I)


def _sizes(text: str) -> shapes.Shape:
    return tuple(int(d) for d in text.split(",") if d.strip())


def raised_in(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo
) -> Finding | None:
    """The finding for an error that arose at a custom node."""
    found = custom_backward(exam.case, node)
    message = error.message
    if (match := _COUNT.search(message)) is not None:
        return _count(exam, backward, node, found, int(match.group(1)), int(match.group(2)), error)
    if (match := _SHAPE.search(message)) is not None:
        return _shape(
            exam, backward, node, found, int(match.group(1)), _sizes(match.group(2)), _sizes(match.group(3)), error
        )
    if (match := _DEVICE.search(message)) is not None:
        return _device(exam, backward, node, found, match, error)
    if (match := _TYPE.search(message)) is not None:
        return _type(exam, backward, node, found, match.group(1) or match.group(2), error)
    if (match := _NON_TENSOR.search(message)) is not None:
        return _non_tensor(exam, backward, node, found, int(match.group(1)) - 1, error)
    if _ONCE.search(message):
        return _once(exam, backward, node, found, error)
    if (match := _DTYPE.search(message)) is not None:
        return _wrong_dtype_raised(exam, backward, node, found, error)
    inside = found is not None and any(found.covers(frame) for frame in error.stack)
    if inside and found is not None and _SHAPE_WORDS.search(message) and error.type in ("RuntimeError", "ValueError"):
        return _shape_inside(exam, backward, node, found, error)
    return None


def _count(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    expected: int,
    got: int,
    error: model.ExceptionInfo,
) -> Finding:
    names = found.inputs() if found is not None else ()
    wanted = (
        [f"grad_{name}" for name in names] if len(names) == expected else [f"grad_{i}" for i in range(1, expected + 1)]
    )
    written = found.returned(0) if found is not None else None
    if found is not None and written is not None:
        given = [found.code.text(found.returned(i)) for i in range(got)]
        local = {n for s in found.method.body for n in assigned_names(s)}
        for i, name in enumerate(names[: len(wanted)]):
            if i < len(given) and given[i]:
                wanted[i] = given[i]
            else:
                wanted[i] = next(
                    (n for n in (f"g{name}", f"grad_{name}", f"g_{name}", f"d{name}") if n in local), "None"
                )
    counted, returned = gradient_count(exam.case, expected), gradient_count(exam.case, got)
    return exam.writer.write(
        "custom-backward-wrong-count",
        "error",
        return_place(exam.case, node, found),
        "custom-count",
        {
            "name": name_of(node, found),
            "expected": expected,
            "got": returned,
            "inputs": ", ".join(names) or exam.case.words("number-of-inputs", count=expected),
            "new": f"return {', '.join(wanted)}",
        },
        expected_shape=counted,
        received_shape=returned,
        marks=(Mark("node", node.index, expected=counted, received=returned),),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _shape(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    index: int,
    got: shapes.Shape,
    expected: shapes.Shape,
    error: model.ExceptionInfo,
) -> Finding:
    place = found.source(found.returned(index)) if found is not None else return_place(exam.case, node, found)
    written = found.code.short(found.returned(index)) if found is not None else ""
    grad = written or exam.case.words("gradient-number", number=index + 1)
    new = _reshaped(exam.case, grad, got, expected)
    return exam.writer.write(
        "custom-backward-wrong-shape",
        "error",
        place,
        "custom-shape",
        {
            "name": name_of(node, found),
            "input": input_name(exam.case, found, index),
            "grad": grad,
            "expected": shapes.text(expected),
            "got": shapes.text(got),
            "new": new,
        },
        expected_shape=expected,
        received_shape=got,
        marks=edge_mark(exam, backward, node, index, expected, got),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _reshaped(case: Case, grad: str, got: shapes.Shape, expected: shapes.Shape) -> str:
    """What to write so that the gradient has the shape of its input."""
    if len(got) == 2 and tuple(reversed(got)) == expected:
        return f"{tight(grad)}.t()"
    reduced = re.search(r"\.(?:sum|mean)\(([^()]*)\)$", grad)
    if reduced is not None and len(got) < len(expected):
        return case.words("without-part", text=grad[: reduced.start()], part=reduced.group(0))
    if shapes.count(got) == shapes.count(expected):
        return f"{tight(grad)}.reshape({', '.join(map(str, expected))})"
    return case.words("summed-or-expanded", grad=grad, shape=shapes.text(expected))


def _shape_inside(
    exam: Examination, backward: model.Backward, node: model.Node, found: CustomBackward, error: model.ExceptionInfo
) -> Finding:
    """A shape error raised by a line of the custom backward itself."""
    case = exam.case
    frame = next(frame for frame in error.stack if found.covers(frame))
    op = case.op_by_number.get(error.op) if error.op is not None else None
    written = found.code.expression(frame)
    place = case.place((frame,))
    operand = getattr(getattr(written, "func", None), "value", None)
    if operand is not None:
        source = found.source(operand)
        place = source if source.line < frame.line else place
    wants = [case.expected_of(backward.id, node.index, i) for i in range(8)]
    match = _SIZE.search(error.message)
    expected: Any = (
        _sizes(match.group(1)) if match is not None else next((w.shape for w in wants if w is not None), None)
    )
    got: Any = (int(match.group(2)),) if match is not None else None
    if op is not None and op.operands:
        got = op.operands[0].spec.shape
    received = case.node(backward.id, node.index).expected
    return exam.writer.write(
        "custom-backward-wrong-shape",
        "error",
        place,
        "custom-shape-inside",
        {
            "name": name_of(node, found),
            "reason": error.message.strip().splitlines()[0].rstrip("."),
            "line": frame.line,
            "received": listed(exam.case, [shapes.text(spec.shape) for spec in received]) or "?",
            "wanted": ", ".join(
                f"{input_name(exam.case, found, i)} {shapes.text(w.shape)}"
                for i, w in enumerate(wants)
                if w is not None
            ),
        },
        expected_shape=expected,
        received_shape=got,
        marks=(Mark("node", node.index, expected=expected, received=got),),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _device(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    match: re.Match[str],
    error: model.ExceptionInfo,
) -> Finding:
    index, expected, got = int(match.group(1)), match.group(2), match.group(3)
    place = found.source(found.returned(index)) if found is not None else return_place(exam.case, node, found)
    expected_words, got_words = f"device {expected}", f"device {got}"
    return exam.writer.write(
        "custom-backward-wrong-device",
        "error",
        place,
        "custom-device",
        {"name": name_of(node, found), "input": input_name(exam.case, found, index), "expected": expected, "got": got},
        expected_shape=expected_words,
        received_shape=got_words,
        marks=edge_mark(exam, backward, node, index, expected_words, got_words),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _type(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    kind: str,
    error: model.ExceptionInfo,
) -> Finding:
    returned = [r for r in exam.case.trace.returned(backward.id) if r.type]
    index = returned[-1].index if returned else 0
    expected = exam.case.expected_of(backward.id, node.index, index)
    shape = expected.shape if expected is not None else None
    grad = found.code.short(found.returned(index)) if found is not None else ""
    return exam.writer.write(
        "custom-backward-wrong-type",
        "error",
        return_place(exam.case, node, found),
        "custom-type",
        {
            "name": name_of(node, found),
            "input": input_name(exam.case, found, index),
            "type": kind,
            "expected": shapes.text(shape),
            "new": f"return torch.full({shape}, {grad or 'value'})"
            if shape is not None
            else exam.case.words("return-tensor"),
        },
        expected_shape=shape,
        received_shape=kind,
        marks=edge_mark(exam, backward, node, index, shape, kind),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _non_tensor(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    index: int,
    error: model.ExceptionInfo,
) -> Finding:
    given = [r for r in exam.case.trace.returned(backward.id) if r.index == index and r.spec is not None]
    shape = given[-1].spec.shape if given and given[-1].spec is not None else None
    parts = []
    if found is not None:
        for i in range(len(found.inputs()) or index + 1):
            parts.append("None" if i == index else found.code.text(found.returned(i)) or "None")
    return exam.writer.write(
        "custom-backward-grad-for-non-tensor",
        "error",
        return_place(exam.case, node, found),
        "custom-non-tensor",
        {
            "name": name_of(node, found),
            "input": input_name(exam.case, found, index),
            "position": index + 1,
            "new": f"return {', '.join(parts) or 'None'}",
        },
        expected_shape="None",
        received_shape=shape,
        marks=(Mark("node", node.index, index, -1, "None", shape),),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _once(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    error: model.ExceptionInfo,
) -> Finding:
    return exam.writer.write(
        "once-differentiable",
        "error",
        found.head if found is not None else return_place(exam.case, node, found),
        "custom-once",
        {"name": name_of(node, found)},
        marks=(Mark("node", node.index),),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _wrong_dtype_raised(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    error: model.ExceptionInfo,
) -> Finding | None:
    returned = [r for r in exam.case.trace.returned(backward.id) if r.spec is not None]
    for one in reversed(returned):
        expected = exam.case.expected_of(backward.id, node.index, one.index)
        if one.spec is not None and expected is not None and one.spec.dtype != expected.dtype:
            return wrong_dtype(exam, backward, node, found, one, expected, "error", error)
    return None
