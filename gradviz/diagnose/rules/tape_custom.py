"""custom-backward-wrong-shape of tf.custom_gradient: TensorFlow accepts any shape without a word."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.case import Case
from gradviz.diagnose.customs import is_custom
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.source import Code, Place
from gradviz.diagnose.tape_calls import ENTRY
from gradviz.trace import model


def find(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """The first gradient of the wrong shape: what comes after is its consequence."""
    if backward.entry != ENTRY:
        return
    case = exam.case
    nodes = case.trace.steps(backward.id).node
    for one in case.trace.returned(backward.id):
        if one.spec is None or not 0 <= one.step < len(nodes):
            continue
        node = case.node(backward.id, int(nodes[one.step]))
        expected = case.expected_of(backward.id, node.index, one.index)
        if is_custom(node) and expected is not None and one.spec.shape != expected.shape:
            yield _finding(exam, backward, node, one.index, one.spec.shape, expected.shape)
            return


def _finding(
    exam: Examination, backward: model.Backward, node: model.Node, index: int, got: shapes.Shape, want: shapes.Shape
) -> Finding:
    case = exam.case
    code, function, returned = _text(case, node.name)
    op = case.node_op(node)
    place = case.place(op.stack if op is not None else backward.stack)
    name, written = f"input {index + 1}", ""
    if code is not None and function is not None:
        arguments = function.args.args
        name = arguments[index].arg if index < len(arguments) else name
        place = code.place(returned) if returned is not None else Place(code.path, function.lineno)
        value = returned.value if returned is not None else None
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        written = code.short(parts[index]) if index < len(parts) else ""
    grad = written or "the gradient"
    error = case.exception(backward.exception)
    return exam.writer.write(
        "custom-backward-wrong-shape",
        "error",
        place,
        "tape-custom-shape",
        {
            "name": node.name,
            "input": name,
            "got": shapes.text(got),
            "expected": shapes.text(want),
            "new": _mended(grad, got, want),
        },
        expected_shape=want,
        received_shape=got,
        marks=edge_mark(exam, backward, node, index, want, got),
        **at_node(exam, backward, node),
        **(raised_at_call(error, backward.stack) if error is not None else {}),
    )


def _mended(grad: str, got: shapes.Shape, want: shapes.Shape) -> str:
    if len(got) == 2 and tuple(reversed(got)) == want:
        return f"return tf.transpose({grad})"
    if shapes.count(got) == shapes.count(want):
        return f"return tf.reshape({grad}, {list(want)})"
    if shapes.reduces_to(got, want):
        return f"return {grad}, summed over what was stretched: tf.reduce_sum(..., axis=...)"
    return f"return {grad}, in the shape {shapes.text(want)}"


def _text(case: Case, name: str) -> tuple[Code | None, ast.FunctionDef | None, ast.Return | None]:
    """The function with the custom gradient, and the last return of the gradient function inside it."""
    for code in user_codes(case):
        function = code.function_named(name)
        if function is None:
            continue
        inner = [n for n in function.body if isinstance(n, ast.FunctionDef)]
        returns = [n for each in inner for n in ast.walk(each) if isinstance(n, ast.Return)]
        return code, function, returns[-1] if returns else None
    return None, None, None
