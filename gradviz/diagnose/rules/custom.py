"""custom-backward-*: what a person's own autograd.Function returns from backward, against what its inputs need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.customs import CustomBackward, custom_backward
from gradviz.diagnose.dataflow import assigned_names
from gradviz.diagnose.examination import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.source import Place
from gradviz.trace import model
from gradviz.trace.packing import NODE_CPP, NODE_CUSTOM, VALUE_REQUIRES_GRAD

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


def is_custom(node: model.Node) -> bool:
    return bool(node.flags & (NODE_CUSTOM | NODE_CPP))


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


def common(exam: Examination, backward: model.Backward, node: model.Node, index: int | None = None) -> dict[str, Any]:
    """Fields that every finding at a node of a pass carries."""
    steps = exam.case.steps_of(backward.id)
    op = exam.case.node_op(node)
    return {
        "pass_id": backward.id,
        "step": steps.get(node.index),
        "node": node.name,
        "op": op.name if op is not None else "",
        "symptom_line": backward.stack[0].line if backward.stack else None,
    }


def edge_mark(
    exam: Examination, backward: model.Backward, node: model.Node, index: int, expected: Any, received: Any
) -> tuple[Mark, ...]:
    """Marks the gradient `index` that a node hands on."""
    dims = shapes.differing(expected, received) if isinstance(expected, tuple) and isinstance(received, tuple) else ()
    for edge in exam.case.links(backward.id).out(node.index):
        if edge.index == index:
            return (Mark("edge", edge.head, edge.slot, node.index, expected, received, dims),)
    return (Mark("node", node.index, index, -1, expected, received, dims),)


def _name(node: model.Node, found: CustomBackward | None) -> str:
    return found.owner.name if found is not None else node.name


def _input(found: CustomBackward | None, index: int) -> str:
    names = found.inputs() if found is not None else ()
    return names[index] if index < len(names) else f"input {index + 1}"


def _place(exam: Examination, node: model.Node, found: CustomBackward | None) -> Place:
    if found is not None:
        return found.place
    op = exam.case.node_op(node)
    return exam.case.place(op.stack if op is not None else ())


def _plural(count: int) -> str:
    return f"{count} gradient{'' if count == 1 else 's'}"


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
    return exam.writer.write(
        "custom-backward-wrong-count",
        "error",
        _place(exam, node, found),
        "custom-count",
        {
            "name": _name(node, found),
            "expected": expected,
            "got": _plural(got),
            "inputs": ", ".join(names) or f"{expected} inputs",
            "new": f"return {', '.join(wanted)}",
        },
        expected_shape=_plural(expected),
        received_shape=_plural(got),
        marks=(Mark("node", node.index, expected=_plural(expected), received=_plural(got)),),
        **common(exam, backward, node),
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
    place = found.source(found.returned(index)) if found is not None else _place(exam, node, found)
    written = found.code.short(found.returned(index)) if found is not None else ""
    grad = written or f"gradient {index + 1}"
    transposed = len(got) == 2 and tuple(reversed(got)) == expected
    new = f"{grad}.t()" if transposed else f"{grad}, summed or reshaped to {shapes.text(expected)}"
    return exam.writer.write(
        "custom-backward-wrong-shape",
        "error",
        place,
        "custom-shape",
        {
            "name": _name(node, found),
            "input": _input(found, index),
            "grad": grad,
            "expected": shapes.text(expected),
            "got": shapes.text(got),
            "new": new,
        },
        expected_shape=expected,
        received_shape=got,
        marks=edge_mark(exam, backward, node, index, expected, got),
        **common(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


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
            "name": _name(node, found),
            "reason": error.message.strip().splitlines()[0].rstrip("."),
            "line": frame.line,
            "received": " and ".join(shapes.text(spec.shape) for spec in received) or "?",
            "wanted": ", ".join(
                f"{_input(found, i)} {shapes.text(w.shape)}" for i, w in enumerate(wants) if w is not None
            ),
        },
        expected_shape=expected,
        received_shape=got,
        marks=(Mark("node", node.index, expected=expected, received=got),),
        **common(exam, backward, node),
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
    place = found.source(found.returned(index)) if found is not None else _place(exam, node, found)
    expected_words, got_words = f"device {expected}", f"device {got}"
    return exam.writer.write(
        "custom-backward-wrong-device",
        "error",
        place,
        "custom-device",
        {"name": _name(node, found), "input": _input(found, index), "expected": expected, "got": got},
        expected_shape=expected_words,
        received_shape=got_words,
        marks=edge_mark(exam, backward, node, index, expected_words, got_words),
        **common(exam, backward, node),
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
        _place(exam, node, found),
        "custom-type",
        {
            "name": _name(node, found),
            "input": _input(found, index),
            "type": kind,
            "expected": shapes.text(shape),
            "new": f"return torch.full({shape}, {grad or 'value'})" if shape is not None else "return a tensor or None",
        },
        expected_shape=shape,
        received_shape=kind,
        marks=edge_mark(exam, backward, node, index, shape, kind),
        **common(exam, backward, node),
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
        _place(exam, node, found),
        "custom-non-tensor",
        {
            "name": _name(node, found),
            "input": _input(found, index),
            "position": index + 1,
            "new": f"return {', '.join(parts) or 'None'}",
        },
        expected_shape="None",
        received_shape=shape,
        marks=(Mark("node", node.index, index, -1, "None", shape),),
        **common(exam, backward, node),
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
        found.head if found is not None else _place(exam, node, found),
        "custom-once",
        {"name": _name(node, found)},
        marks=(Mark("node", node.index),),
        **common(exam, backward, node),
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
            return _dtype(exam, backward, node, found, one, expected, "error", error)
    return None


def _dtype(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    one: model.Returned,
    expected: model.Spec,
    severity: str,
    error: model.ExceptionInfo | None,
) -> Finding:
    assert one.spec is not None
    got = one.spec.dtype
    words = {"float64": ("float64", "double"), "float32": ("float32", ".float()"), "float16": ("float16", ".half()")}
    place = _place(exam, node, found)
    if found is not None:
        place = found.line_with(words.get(got, (got,))) or place
    grad = found.code.short(found.returned(one.index)) if found is not None else ""
    more = raised_at_call(error, backward.stack) if error is not None else {}
    return exam.writer.write(
        "custom-backward-wrong-dtype",
        severity,
        place,
        "custom-dtype" if error is None else "custom-dtype-raised",
        {
            "name": _name(node, found),
            "input": _input(found, one.index),
            "expected": expected.dtype,
            "got": got,
            "new": f"{grad or 'gradient'}.to({_input(found, one.index)}.dtype)",
        },
        expected_shape=expected.dtype,
        received_shape=got,
        marks=edge_mark(exam, backward, node, one.index, expected.dtype, got),
        **common(exam, backward, node),
        **more,
    )


def silent(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """What custom backwards returned that the engine changed without a word."""
    case = exam.case
    returned = case.trace.returned(backward.id)
    if not returned:
        return
    step_nodes = case.trace.steps(backward.id).node
    for one in returned:
        if one.step < 0 or one.step >= len(step_nodes):
            continue
        node = case.node(backward.id, int(step_nodes[one.step]))
        expected = case.expected_of(backward.id, node.index, one.index)
        if expected is None or not is_custom(node):
            continue
        found = custom_backward(case, node)
        if (
            one.spec is not None
            and one.spec.shape != expected.shape
            and "functorch" not in (one.spec.layout, expected.layout)
        ):
            if shapes.reduces_to(one.spec.shape, expected.shape):
                yield _reduced(exam, backward, node, found, one, expected)
        elif one.spec is not None and one.spec.dtype != expected.dtype:
            yield _dtype(exam, backward, node, found, one, expected, "warning", None)


def _reduced(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    one: model.Returned,
    expected: model.Spec,
) -> Finding:
    assert one.spec is not None
    got, want = one.spec.shape, expected.shape
    harmless = _sum_is_right(exam, node, got, want)
    dims = tuple(d for d in range(-len(got), 0) if shapes.at(want, d) in (None, 1) and got[d] != 1)
    grad = found.code.short(found.returned(one.index)) if found is not None else ""
    leading = all(d < -len(want) for d in dims)
    positive = [d % len(got) for d in dims]
    axes = str(positive[0]) if len(positive) == 1 else str(tuple(positive))
    new = f"{grad or 'gradient'}.sum({axes}{'' if leading else ', keepdim=True'})"
    return exam.writer.write(
        "custom-backward-reduced",
        "note" if harmless else "warning",
        found.source(found.returned(one.index)) if found is not None else _place(exam, node, found),
        "custom-reduced-right" if harmless else "custom-reduced",
        {
            "name": _name(node, found),
            "input": _input(found, one.index),
            "grad": grad or "a gradient",
            "expected": shapes.text(want),
            "got": shapes.text(got),
            "dims": ", ".join(map(str, dims)),
            "new": new,
        },
        expected_shape=want,
        received_shape=got,
        marks=edge_mark(exam, backward, node, one.index, want, got),
        **common(exam, backward, node),
    )


def _sum_is_right(exam: Examination, node: model.Node, got: shapes.Shape, want: shapes.Shape) -> bool:
    """Whether forward itself stretched the input to the shape that came back: then summing is that stretch undone."""
    op = exam.case.node_op(node)
    if op is None:
        return False
    results = [r.spec.shape for r in op.results] or [spec.shape for spec in node.expected]
    others = [v.spec.shape for v in op.operands if v.spec.shape != want or v.flags & VALUE_REQUIRES_GRAD]
    return got in results or any(shapes.broadcast(other, want) is not None and other == got for other in others)
