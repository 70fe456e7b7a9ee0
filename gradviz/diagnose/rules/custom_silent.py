"""custom-backward-reduced and -wrong-dtype: what the engine changed in a custom gradient without a word."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.customs import CustomBackward, custom_backward, input_name, is_custom, name_of, return_place
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.modules import leaf_label
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules import hips_vjp
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD


def wrong_dtype(
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
    place = return_place(exam.case, node, found)
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
            "name": name_of(node, found),
            "input": input_name(exam.case, found, one.index),
            "expected": expected.dtype,
            "got": got,
            "new": f"{tight(grad or 'gradient')}.to({input_name(exam.case, found, one.index)}.dtype)",
        },
        expected_shape=expected.dtype,
        received_shape=got,
        marks=edge_mark(exam, backward, node, one.index, expected.dtype, got),
        **at_node(exam, backward, node),
        **more,
    )


def silent(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """What custom backwards returned that the engine changed without a word."""
    case = exam.case
    returned = case.trace.returned(backward.id)
    if not returned or backward.entry == hips_vjp.ENTRY:  # there nothing is changed, and hips_vjp.py has its say
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
        if one.spec is None and not one.type:
            leaf = _starved_leaf(exam, backward, node, one.index)
            if leaf is not None:
                yield _missing(exam, backward, node, found, one, expected, leaf)
            continue
        if (
            one.spec is not None
            and one.spec.shape != expected.shape
            and "functorch" not in (one.spec.layout, expected.layout)
        ):
            if shapes.reduces_to(one.spec.shape, expected.shape):
                yield _reduced(exam, backward, node, found, one, expected)
        elif one.spec is not None and one.spec.dtype != expected.dtype:
            lower = one.spec.dtype in ("float16", "bfloat16")  # as autocast makes it: a choice, not a slip
            yield wrong_dtype(exam, backward, node, found, one, expected, "note" if lower else "warning", None)


def _starved_leaf(exam: Examination, backward: model.Backward, node: model.Node, index: int) -> model.Leaf | None:
    """The leaf that a None goes to, if it got no gradient from anywhere in the whole run."""
    case = exam.case
    for edge in case.links(backward.id).out(node.index):
        if edge.index == index:
            number = case.node(backward.id, edge.head).leaf
            leaf = case.leaves[number] if 0 <= number < len(case.leaves) else None
            if leaf is not None and leaf.requires_grad and leaf.grad_spec is None and not _was_cleared(exam, leaf):
                return leaf
    return None


def _was_cleared(exam: Examination, leaf: model.Leaf) -> bool:
    """Whether a gradient did arrive in some pass, and only isn't there at the end."""
    case = exam.case
    for backward in case.passes:
        steps = case.trace.steps(backward.id)
        leaves = case.trace.graph(backward.id).leaf
        for number in range(len(steps)):
            if int(leaves[int(steps.node[number])]) == leaf.id:
                low, high = int(steps.received_start[number]), int(steps.received_end[number])
                if any(int(spec) >= 0 for spec in steps.spec[low:high]):
                    return True
    return False


def _missing(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    found: CustomBackward | None,
    one: model.Returned,
    expected: model.Spec,
    leaf: model.Leaf,
) -> Finding:
    name = input_name(exam.case, found, one.index)
    return exam.writer.write(
        "custom-backward-missing-grad",
        "warning",
        return_place(exam.case, node, found),
        "custom-missing",
        {
            "name": name_of(node, found),
            "input": name,
            "leaf": leaf_label(exam.case, leaf) or name,
            "expected": shapes.text(expected.shape),
        },
        expected_shape=expected.shape,
        received_shape="None",
        marks=edge_mark(exam, backward, node, one.index, expected.shape, "None"),
        confidence=0.8,
        **at_node(exam, backward, node),
    )


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
    dims = tuple(d for d in range(-len(got), 0) if shapes.at(want, d) in (None, 1) and got[d] != 1)
    harmless = not dims or _sum_is_right(exam, node, got, want)
    phrase = "custom-reduced-right" if harmless else "custom-reduced"
    grad = found.code.short(found.returned(one.index)) if found is not None else ""
    return exam.writer.write(
        "custom-backward-reduced",
        "note" if harmless else "warning",
        found.source(found.returned(one.index)) if found is not None else return_place(exam.case, node, found),
        phrase if dims else "custom-dropped",
        {
            "name": name_of(node, found),
            "input": input_name(exam.case, found, one.index),
            "grad": grad or "a gradient",
            "expected": shapes.text(want),
            "got": shapes.text(got),
            "dims": ", ".join(map(str, dims)),
            "new": f"{tight(grad or 'gradient')}.{_to_shape(got, want, dims)}",
        },
        expected_shape=want,
        received_shape=got,
        marks=edge_mark(exam, backward, node, one.index, want, got),
        **at_node(exam, backward, node),
    )


def _to_shape(got: shapes.Shape, want: shapes.Shape, dims: tuple[int, ...]) -> str:
    """The call that does what the engine did: `dims` are those of more than one entry that it summed over."""
    leading = len(got) - len(want)
    sizes = ", ".join(map(str, want)) or "()"
    if not dims:
        return "squeeze(0)" if leading == 1 else f"reshape({sizes})"
    summed = [d % len(got) for d in dims]
    axes = str(summed[0]) if len(summed) == 1 else str(tuple(summed))
    if summed == list(range(leading)):
        return f"sum({axes})"
    return f"sum({axes}, keepdim=True)" if not leading else f"sum_to_size({sizes})"


def _sum_is_right(exam: Examination, node: model.Node, got: shapes.Shape, want: shapes.Shape) -> bool:
    """Whether forward itself stretched the input to the shape that came back: then summing is that stretch undone."""
    op = exam.case.node_op(node)
    if op is None:
        return False
    results = [r.spec.shape for r in op.results] or [spec.shape for spec in node.expected]
    others = [v.spec.shape for v in op.operands if v.spec.shape != want or v.flags & VALUE_REQUIRES_GRAD]
    return got in results or any(shapes.broadcast(other, want) is not None and other == got for other in others)
