"""hips-vjp-shape-error: the first gradient whose shape isn't that of its argument. autograd itself compares nothing."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised, raised_at_call
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark, Operand, ShapeOrWords
from gradviz.diagnose.frameworks import numpy_at
from gradviz.diagnose.marking import at_node, edge_mark
from gradviz.diagnose.naming import line_made, operand_expressions, operand_name
from gradviz.diagnose.rules.forward import first_sentence
from gradviz.diagnose.rules.seeds import option_finding
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Place
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import NODE_CUSTOM, VALUE_REQUIRES_GRAD

ENTRY = "vjp"  # of autograd's passes
MOST_BYSTANDERS = 4


def raised_in(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding | None:
    """A pass raised: the first wrong gradient in it, else what its node received."""
    seed = _seed(exam, backward, error)
    if seed is not None:
        return seed
    wrong = _first_wrong(exam, backward)
    if wrong is not None:
        return _wrong_shape(exam, backward, wrong, error)
    index = backward.failed_node
    if index is None or not 0 <= index < backward.nodes:
        return None
    node = exam.case.node(backward.id, index)
    return _vjp_raised(exam, backward, node, error)


def silent(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    """A pass ran through with a gradient of the wrong shape in it."""
    if backward.entry != ENTRY or backward.outcome != "completed":
        return
    seed = _seed(exam, backward, None)
    wrong = _first_wrong(exam, backward)
    if seed is not None:
        yield seed
    elif wrong is not None:
        yield _wrong_shape(exam, backward, wrong, None)


def _seed(exam: Examination, backward: model.Backward, error: model.ExceptionInfo | None) -> Finding | None:
    """A vjp was called with a seed of another shape than its function's result. One that has as many entries, and with
    which the pass ran through, was only arranged otherwise.
    """
    given = backward.seeds[0] if backward.seeds else None
    if given is None or not backward.roots:
        return None
    port = backward.roots[0]
    expected, received = port.spec.shape, given.spec.shape
    known = shapes.known(expected) and shapes.known(received)
    if expected == received or not known or (error is None and shapes.count(expected) == shapes.count(received)):
        return None
    if backward.phase == "offered":
        return option_finding(exam, backward, port, received)
    node = exam.case.node(backward.id, port.node)
    return exam.writer.write(
        "seed-shape-mismatch",
        "error" if error is not None else "warning",
        exam.case.place(backward.stack),
        "hips-seed",
        {
            "expected": shapes.text(expected),
            "received": shapes.text(received),
            "np": numpy_at(exam.case, exam.case.node_op(node)),
            "expected_size": f"({', '.join(map(str, expected))}{',' if len(expected) == 1 else ''})",
        },
        expected_shape=expected,
        received_shape=received,
        marks=(Mark("seed", port.node, port.slot, -1, expected, received, shapes.differing(expected, received)),),
        **at_node(exam, backward, node),
        **(raised_at_call(error, backward.stack) if error is not None else {}),
    )


def _first_wrong(exam: Examination, backward: model.Backward) -> model.Returned | None:
    """The recorder keeps those gradients alone whose shape isn't that of their argument."""
    steps = exam.case.trace.steps(backward.id)
    found = [one for one in exam.case.trace.returned(backward.id) if 0 <= one.step < len(steps)]
    return min(found, key=lambda one: (one.step, one.index)) if found else None


def _wrong_shape(
    exam: Examination, backward: model.Backward, one: model.Returned, error: model.ExceptionInfo | None
) -> Finding:
    case = exam.case
    node = case.node(backward.id, int(case.trace.steps(backward.id).node[one.step]))
    op = case.node_op(node)
    wanted = case.expected_of(backward.id, node.index, one.index)
    expected: Shape = wanted.shape if wanted is not None else ()
    received: ShapeOrWords = one.spec.shape if one.spec is not None else one.type
    shown = shapes.text(one.spec.shape) if one.spec is not None else case.words("of-type", type=one.type)
    operand = _operand_of(op, one.index)
    argument = (operand_name(case, op, operand) if op is not None and operand >= 0 else "") or case.words(
        "argument-number", number=one.index
    )
    custom = bool(node.flags & NODE_CUSTOM)
    place = (_vjp_place(op, one.index) if custom and op is not None else None) or case.place(
        op.stack if op is not None else backward.stack
    )
    constants = () if custom else _bystanders(exam, backward, one.step)
    names = ", ".join(dict.fromkeys(each.name for each in constants if each.name))
    alone, beside = "hips-vjp-shape", "hips-vjp-shape-beside"
    if node.name == "outer":
        alone, beside = "hips-vjp-outer", "hips-vjp-outer-beside"
    phrase = "hips-custom-shape" if custom else beside if names else alone
    fields = at_node(exam, backward, node) | {"op": plain(op.name) if op is not None else node.name}
    return exam.writer.write(
        "custom-backward-wrong-shape" if custom else "hips-vjp-shape-error",
        "error",
        place,
        phrase,
        {
            "op": node.name,
            "line": op.stack[0].line if op is not None and op.stack else place.line,
            "argument": argument,
            "expected": shapes.text(expected),
            "received": shown,
            "constants": names,
            "new": _mend(exam, op, operand),
            "np": numpy_at(case, op),
        },
        expected_shape=expected,
        received_shape=received,
        marks=edge_mark(exam, backward, node, one.index, expected, received),
        bystanders=constants,
        **fields,
        **(raised_at_call(error, backward.stack) if error is not None else {}),
    )


def _operand_of(op: model.Op | None, index: int) -> int:
    """Which operand the gradient `index` belongs to: the traced ones have gradients, in their order."""
    traced = [at for at, value in enumerate(op.operands) if value.flags & VALUE_REQUIRES_GRAD] if op is not None else []
    return traced[index] if index < len(traced) else -1


def _vjp_place(op: model.Op, index: int) -> Place | None:
    """Where the person wrote the vjp of this argument."""
    vjps = op.arguments.get("vjps")
    if not isinstance(vjps, dict) or not vjps:
        return None
    found = vjps.get(str(index)) or next(iter(vjps.values()))
    return Place(str(found.get("file")), int(found.get("line") or 1))


def _mend(exam: Examination, op: model.Op | None, operand: int) -> str:
    """The call with the argument flattened, for np.outer; a general word else."""
    if op is None or op.name != "outer" or operand < 0 or not op.stack:
        return exam.case.words("another-way-with", numpy=numpy_at(exam.case, op))
    boxes = numpy_at(exam.case, op)
    code = exam.case.code(op.stack[0].file)
    written = operand_expressions(exam.case, op)
    texts = [code.short(each) if code is not None else "" for each in written]
    if len(texts) < 2 or not all(texts[:2]):
        return exam.case.words("flatten-for-outer", numpy=boxes)
    texts[operand] = f"{boxes}.ravel({texts[operand]})"
    return f"{boxes}.outer({texts[0]}, {texts[1]})"


def _bystanders(exam: Examination, backward: model.Backward, last: int) -> tuple[Operand, ...]:
    """Constants of the calls that the gradient passed before: drawn, so that they are seen to be innocent."""
    case = exam.case
    found: list[Operand] = []
    for number in range(last + 1):
        node = case.node(backward.id, int(case.trace.steps(backward.id).node[number]))
        op = case.node_op(node)
        for at, value in enumerate(op.operands if op is not None else ()):
            if op is None or value.flags & VALUE_REQUIRES_GRAD or not value.spec.shape:
                continue
            line = line_made(case, value.number, op.number)
            found.append(Operand(operand_name(case, op, at), value.spec.shape, -1, line, user=node.index))
    return tuple(found[:MOST_BYSTANDERS])


def _vjp_raised(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo
) -> Finding | None:
    """The vjp of a node raised though all shapes were right: the seed's, or its own fault."""
    case, op = exam.case, exam.case.node_op(node)
    steps = case.trace.steps(backward.id)
    number = case.steps_of(backward.id).get(node.index)
    spec = case.trace.step(backward.id, number).received[0].spec if number is not None else None
    if op is None or len(steps) == 0:
        return None
    custom = bool(node.flags & NODE_CUSTOM)
    place = (_vjp_place(op, 0) if custom else None) or case.place(op.stack)
    if custom and error.stack:
        place = case.place(error.stack)
    expected = node.expected[0].shape if node.expected else ()
    received = spec.shape if spec is not None else ()
    fields = at_node(exam, backward, node) | {"op": plain(op.name)}
    if received != expected:
        fields |= {"expected_shape": expected, "received_shape": received}
    return exam.writer.write(
        "hips-vjp-shape-error",
        "error",
        place,
        "hips-vjp-raised",
        {
            "op": node.name,
            "line": op.stack[0].line if op.stack else place.line,
            "type": error.type.rpartition(".")[2],
            "reason": first_sentence(exam.case, error.message),
            "received": shapes.text(received),
        },
        **fields,
        **raised_at_call(error, backward.stack),
    )


def made(exam: Examination, error: model.ExceptionInfo) -> Finding | None:
    """autograd could not even prepare the gradient of a call."""
    case = exam.case
    op = case.op_by_number.get(error.op) if error.op is not None else None
    if op is None or not op.operands or not op.stack:
        return None
    operand = max(_operand_of(op, 0), 0)
    result = error.detail.get("result")
    expected = op.operands[operand].spec.shape
    received: Shape = tuple(result) if isinstance(result, list) else ()
    place = case.place(op.stack)
    name = operand_name(case, op, operand) or case.words("its-argument")
    stood = next((p for p in case.passes if p.exception == error.id and p.phase == "forward"), None)
    code = case.code(place.file)
    whole = code.short(case.op_expression(op)) if code is not None else ""
    stretch = op.name == "broadcast_to" and len(received) > len(expected)
    ones = ", ".join([*map(str, received[: len(received) - len(expected)]), *["1"] * len(expected)])
    new = (
        f"{numpy_at(case, op)}.ones(({ones})) * {name}" if stretch else case.words("another-way", call=whole or op.name)
    )
    return exam.writer.write(
        "hips-vjp-shape-error",
        "error",
        place,
        "hips-vjp-made",
        {
            "op": op.name,
            "line": place.line,
            "argument": name,
            "expected": shapes.text(expected),
            "received": shapes.text(received),
            "reason": first_sentence(exam.case, error.message) or error.type,
            "new": new,
        },
        node=op.name,
        op=plain(op.name),
        expected_shape=expected,
        received_shape=received,
        pass_id=stood.id if stood is not None else None,
        **raised(error),
    )
