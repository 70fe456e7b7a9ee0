"""custom-backward-* of tf.custom_gradient: TensorFlow accepts any shape without a word, and counts only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.case import Case
from gradviz.diagnose.customs import gradient_count, is_custom
from gradviz.diagnose.dataflow import assigned_names
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.rules.forward import first_sentence
from gradviz.diagnose.source import Code, Place
from gradviz.diagnose.tape_calls import ENTRY
from gradviz.trace import model

_COUNT = re.compile(r"expected to return (\d+) gradients, but returned (\d+) instead")
_DECORATOR = "custom_gradient"


@dataclass(frozen=True)
class _Written:
    """The function with the custom gradient, and the last return of the gradient function inside it."""

    code: Code
    function: ast.FunctionDef
    inner: ast.FunctionDef
    returned: ast.Return | None

    @property
    def place(self) -> Place:
        return self.code.place(self.returned if self.returned is not None else self.inner)

    @property
    def inputs(self) -> list[str]:
        arguments = self.function.args
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args)]

    def gradient(self, index: int) -> str:
        """What the return gives for this input; "" where that can't be told."""
        value = self.returned.value if self.returned is not None else None
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        return self.code.short(parts[index]) if index < len(parts) else ""


def find(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """The first gradient of the wrong shape in a pass that ran through all the same."""
    if backward.entry == ENTRY and (backward.outcome == "completed" or exam.case.exception(backward.exception) is None):
        found = _first_wrong(exam, backward, None)
        if found is not None:
            yield found


def raised_in(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding | None:
    """A pass raised: the wrong shape that came before is the cause, whichever call it was that refused it."""
    index = backward.failed_node
    node = exam.case.node(backward.id, index) if index is not None and 0 <= index < backward.nodes else None
    counted = _COUNT.search(error.message)
    if counted is not None and node is not None and is_custom(node):
        return _count(exam, backward, node, int(counted.group(1)), int(counted.group(2)), error)
    return _first_wrong(exam, backward, error)


def _first_wrong(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None) -> Finding | None:
    """What comes after the first one is its consequence."""
    case = exam.case
    nodes = case.trace.steps(backward.id).node
    for one in case.trace.returned(backward.id):
        if one.spec is None or not 0 <= one.step < len(nodes):
            continue
        node = case.node(backward.id, int(nodes[one.step]))
        expected = case.expected_of(backward.id, node.index, one.index)
        if is_custom(node) and expected is not None and one.spec.shape != expected.shape:
            return _shape(exam, backward, node, one.index, one.spec.shape, expected.shape, error)
    return None


def _shape(
    exam: Examination, backward: model.Backward, node: model.Node, index: int, got: shapes.Shape, want: shapes.Shape,
    error: model.ExceptionInfo | None,
) -> Finding:  # fmt: skip
    written = _written(exam.case, node.name)
    inputs = written.inputs if written is not None else []
    name = inputs[index] if index < len(inputs) else exam.case.words("input-number", number=index + 1)
    grad = (written.gradient(index) if written is not None else "") or exam.case.words("the-gradient")
    effects = (
        (f"{error.type.rpartition('.')[2]}: {first_sentence(exam.case, error.message)}",) if error is not None else ()
    )
    return exam.writer.write(
        "custom-backward-wrong-shape",
        "error",
        _place(exam, backward, node, written),
        "tape-custom-shape",
        {
            "name": node.name,
            "input": name,
            "got": shapes.text(got),
            "expected": shapes.text(want),
            "new": _mended(exam.case, grad, got, want),
        },
        expected_shape=want,
        received_shape=got,
        marks=edge_mark(exam, backward, node, index, want, got),
        effects=effects,
        **at_node(exam, backward, node),
        **(raised_at_call(error, backward.stack) if error is not None else {}),
    )


def _count(
    exam: Examination, backward: model.Backward, node: model.Node, expected: int, got: int, error: model.ExceptionInfo
) -> Finding:
    written = _written(exam.case, node.name)
    names = written.inputs if written is not None else []
    wanted, received = gradient_count(exam.case, expected), gradient_count(exam.case, got)
    return exam.writer.write(
        "custom-backward-wrong-count",
        "error",
        _place(exam, backward, node, written),
        "tape-custom-count",
        {
            "name": node.name,
            "expected": f"{expected} input{'' if expected == 1 else 's'}",
            "got": received,
            "inputs": f": {', '.join(names)}" if len(names) == expected else "",
            "new": f"return {', '.join(_gradients(written, expected, got))}",
        },
        expected_shape=wanted,
        received_shape=received,
        marks=(Mark("node", node.index, expected=wanted, received=received),),
        **at_node(exam, backward, node),
        **raised_at_call(error, backward.stack),
    )


def _gradients(written: _Written | None, expected: int, got: int) -> list[str]:
    """What to return: the gradients that are there, then local names that look like those that are missing."""
    names = written.inputs if written is not None else []
    local = {name for part in written.inner.body for name in assigned_names(part)} if written is not None else set()
    gradients = []
    for at in range(expected):
        text = written.gradient(at) if written is not None and at < got else ""
        name = names[at] if at < len(names) else str(at + 1)
        likely = (f"g{name}", f"grad_{name}", f"g_{name}", f"d{name}", f"d_{name}")
        gradients.append(text or next((each for each in likely if each in local), "None" if at >= got else likely[1]))
    return gradients


def _mended(case: Case, grad: str, got: shapes.Shape, want: shapes.Shape) -> str:
    if len(got) == 2 and tuple(reversed(got)) == want:
        return f"return tf.transpose({grad})"
    if shapes.count(got) == shapes.count(want):
        return f"return tf.reshape({grad}, {list(want)})"
    if "reduce_" in grad and len(got) < len(want):
        return case.words("return-unreduced", shape=shapes.text(want), grad=grad)
    if shapes.reduces_to(got, want):
        return case.words("return-summed", grad=grad)
    return case.words("return-in-shape", grad=grad, shape=shapes.text(want))


def _place(exam: Examination, backward: model.Backward, node: model.Node, written: _Written | None) -> Place:
    if written is not None:
        return written.place
    op = exam.case.node_op(node)
    return exam.case.place(op.stack if op is not None else backward.stack)


def _written(case: Case, name: str) -> _Written | None:
    """The text behind a node, found by the function's name: of several the one that says it has a custom gradient."""
    found: list[tuple[bool, Code, ast.FunctionDef, ast.FunctionDef]] = []
    for code in user_codes(case):
        for function in code.statements():
            if not isinstance(function, ast.FunctionDef) or function.name != name:
                continue
            inner = [each for each in function.body if isinstance(each, ast.FunctionDef)]
            if inner:
                says = any(_DECORATOR in code.text(each) for each in function.decorator_list)
                found.append((says, code, function, inner[-1]))
    found = [each for each in found if each[0]] or found
    if len(found) != 1:
        return None
    _, code, function, last = found[0]
    returns = [each for each in ast.walk(last) if isinstance(each, ast.Return)]
    return _Written(code, function, last, returns[-1] if returns else None)
