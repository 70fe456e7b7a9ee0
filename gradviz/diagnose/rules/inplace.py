"""inplace-modified, -on-leaf, -on-view, -via-data: values that were overwritten although backward still needs them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from gradviz.diagnose.build import new_line, raised, raised_at_call
from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.naming import made_name, operand_name, value_name
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Place, called_name
from gradviz.diagnose.vocabulary import VIEWS, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE, OP_NO_GRAD, VALUE_REQUIRES_GRAD, VALUE_VIEW

MODIFIED = re.compile(r"modified by an inplace operation")
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_SHAPE = re.compile(r"\[torch\.\w+ \[([\d, ]*)\]\]")
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
# nodes that read their own result when they run
SAVES_RESULT = frozenset(
    [
        "exp",
        "sigmoid",
        "tanh",
        "relu",
        "softmax",
        "log_softmax",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "elu",
        "celu",
        "selu",
        "expm1",
        "tan",
        "norm",
        "cumprod",
    ]
)


def base_of(case: Case, value: int, before: int) -> set[int]:
    """The value and those whose memory it shares as a view."""
    found, waiting = {value}, [value]
    while waiting:
        one = waiting.pop()
        maker = case.origin(one)
        if maker is None or not maker.operands or maker.flags & OP_IN_PLACE or maker.number > before:
            continue
        result = next((r for r in maker.results if r.number == one), None)
        if result is not None and (result.flags & VALUE_VIEW or plain(maker.name) in VIEWS):
            source = maker.operands[0].number
            if source >= 0 and source not in found and not _copies(maker, result):
                found.add(source)
                waiting.append(source)
    return found


def _copies(maker: model.Op, result: model.Value) -> bool:
    """Indexing by a list or a mask copies; such a result carries no view flag."""
    return plain(maker.name) == "getitem" and not result.flags & VALUE_VIEW


def written(op: model.Op) -> list[model.Value]:
    """The operands that an in-place call writes into."""
    if not op.flags & OP_IN_PLACE or not op.operands:
        # relu(x, inplace=True): the same tensor comes back, a version newer
        before = {v.number: v.version for v in op.operands if v.number >= 0 and v.version >= 0}
        return [r for r in op.results if r.number in before and r.version > before[r.number]]
    if is_step(op):  # an optimiser's whole step: its results are what it changed
        return list(op.results)
    if op.name.lstrip("_").startswith("foreach"):
        shape_count = len(op.results) or len(op.operands)
        return list(op.operands[:shape_count])
    return [op.operands[0]]


def modified(exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo) -> Finding:
    """The finding for a node whose saved tensor was overwritten between forward and backward."""
    case = exam.case
    op = case.node_op(node)
    writer, target, how = _culprit(case, backward, node, op, error)
    versions = _VERSIONS.search(error.message)
    place = (
        case.place(writer.stack)
        if writer is not None and writer.stack
        else case.place(op.stack if op is not None else ())
    )
    code = case.code(place.file)
    line = code.line(place.line).strip() if code is not None else ""
    expected = f"version {versions.group(2)}" if versions is not None else None
    received = f"version {versions.group(1)}" if versions is not None else None
    name = _target_name(case, writer, target) or case.words("a-tensor")
    optimiser = writer is not None and bool(writer.flags & OP_NO_GRAD) and "step" in line
    new = _out_of_place(case, writer, name, line)
    phrase = "inplace-optimizer" if optimiser else "inplace-modified" if writer is not None else "inplace-unknown"
    return exam.writer.write(
        "inplace-modified",
        "error",
        place,
        phrase,
        {
            "name": name,
            "how": how,
            "node": node.name,
            "op": plain(op.name) if op is not None else node.name,
            "made": op.stack[0].line if op is not None and op.stack else "?",
            "line": place.line,
            "text": line,
            "call": backward.stack[0].line if backward.stack else "?",
            "new": new,
        },
        changes=new_line(code, place.line, new) if writer is not None and "  # before" not in new else (),
        pass_id=backward.id,
        step=case.steps_of(backward.id).get(node.index),
        node=node.name,
        op=plain(op.name) if op is not None else "",
        symptom_line=backward.stack[0].line if backward.stack else None,
        expected_shape=expected,
        received_shape=received,
        marks=(Mark("node", node.index, expected=expected, received=received),),
        **raised_at_call(error, backward.stack),
    )


def _culprit(
    case: Case, backward: model.Backward, node: model.Node, op: model.Op | None, error: model.ExceptionInfo
) -> tuple[model.Op | None, int, str]:
    """The first call after the node's own that wrote into what the node saved; the value; 'result' or 'operand'."""
    if op is None:
        return None, -1, ""
    shape = _SHAPE.search(error.message)
    wanted = tuple(int(d) for d in shape.group(1).split(",") if d.strip()) if shape is not None else None
    saved = [(v, "operand") for v in op.operands] + [(v, "result") for v in op.results]
    saved = [(v, how) for v, how in saved if v.number >= 0]
    if any(how == "result" for _, how in saved) and plain(op.name) in SAVES_RESULT:
        saved.sort(key=lambda one: one[1] != "result")
    chosen: tuple[model.Op, int, str] | None = None
    for value, how in saved:
        family = base_of(case, value.number, op.number)
        for later in case.ops:
            if later.number <= op.number:
                continue
            for target in written(later):
                hit = base_of(case, target.number, later.number) & family
                if hit and (wanted is None or value.spec.shape == wanted or _transposed(value.spec.shape, wanted)):
                    if chosen is None:
                        chosen = (later, value.number, how)
                    break
            if chosen is not None:
                return chosen
    return None, -1, ""


def _transposed(shape: tuple[Any, ...], wanted: tuple[int, ...]) -> bool:
    return len(shape) == 2 and tuple(reversed(shape)) == wanted


def _target_name(case: Case, writer: model.Op | None, value: int) -> str:
    if writer is None:
        return ""
    many = writer.name.lstrip("_").startswith("foreach") or is_step(writer)
    name = "" if many else operand_name(case, writer, 0)
    return name or value_name(case, value, writer.number)


def _out_of_place(case: Case, writer: model.Op | None, name: str, line: str) -> str:
    """The writing line, with the operation that makes a new tensor instead."""
    if writer is None:
        return case.words("not-in-place")
    operators = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
    short = plain(writer.name)
    match = re.match(r"(?P<left>.+?)\s*(?P<op>[-+*/]|\*\*)=\s*(?P<right>.+)$", line)
    if match is not None and short in operators:
        left, right = match["left"], match["right"].partition("  #")[0]
        return f"{left} = {left} {match['op']} {right}"
    if short == "setitem":
        holder = name.partition("[")[0]
        return case.words("clone-before", name=holder, line=line)
    called = re.match(r"(?P<left>[\w.\[\]]+)\.(?P<name>\w+)_\((?P<arguments>.*)\)$", line)
    if called is not None:
        return f"{called['left']} = {called['left']}.{called['name']}({called['arguments']})"
    return case.words(
        "clone-before", name=name, line=case.words("line-number", line=writer.stack[0].line if writer.stack else "?")
    )


def on_leaf(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    place = case.place(op.stack if op is not None and op.stack else error.stack)
    code = case.code(place.file)
    line = code.line(place.line).strip() if code is not None else ""
    name = (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("the-leaf")
    view = "view of a leaf" in error.message
    return exam.writer.write(
        "inplace-on-leaf",
        "error",
        place,
        "inplace-on-leaf-view" if view else "inplace-on-leaf",
        {"name": name, "line": line, "new": f"with torch.no_grad(): {line}"},
        changes=new_line(code, place.line, f"with torch.no_grad(): {line}"),
        node="AccumulateGrad",
        op=plain(op.name) if op is not None else "",
        marks=(),
        **raised(error),
    )


def on_view(exam: Examination, op: model.Op | None, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    place = case.place(op.stack if op is not None and op.stack else error.stack)
    code = case.code(place.file)
    line = code.line(place.line).strip() if code is not None else ""
    name = (operand_name(case, op, 0) if op is not None and op.operands else "") or case.words("the-view")
    match = re.search(r"Output \d+ of (\w+)", error.message)
    maker = match.group(1) if match is not None else ""
    kind = maker.removesuffix("Backward0")
    return exam.writer.write(
        "inplace-on-view",
        "error",
        place,
        "inplace-on-view",
        {
            "name": name,
            "maker": kind.lower() or case.words("several-views"),
            "new": _out_of_place(case, op, name, line),
        },
        node=f"{kind}Backward0" if kind else "",
        op=plain(op.name) if op is not None else "",
        **raised(error),
    )


def via_data(exam: Examination) -> Iterator[Finding]:
    """Writes through .data into a value that a node of a pass had saved: no error, a wrong gradient."""
    case = exam.case
    reported: set[tuple[str, int]] = set()
    for op in case.ops:
        for target in written(op):
            source = case.producer(target.number, op.number)
            if source is None or plain(source.name) not in ("data", "detach") or not source.operands:
                continue
            origin = source.operands[0]
            maker = case.producer(origin.number, source.number)
            if not origin.flags & VALUE_REQUIRES_GRAD or maker is None or plain(maker.name) not in SAVES_RESULT:
                continue
            if plain(source.name) == "detach":  # shares the version counter: backward itself notices
                continue
            node = _node_run_after(case, maker, op)
            place = case.place(op.stack)
            if node is None or (place.file, place.line) in reported:
                continue
            reported.add((place.file, place.line))
            yield _data_finding(exam, op, maker, node, place, origin)


def _node_run_after(case: Case, maker: model.Op, write: model.Op) -> tuple[model.Backward, model.Node] | None:
    """The node of `maker` in a pass that was started after the write."""
    for backward in case.passes:
        graph = case.trace.graph(backward.id)
        last = int(graph.op.max(initial=-1))
        if last < write.number:
            continue
        for index in (graph.op == maker.number).nonzero()[0].tolist():
            if index in case.steps_of(backward.id):
                return backward, case.node(backward.id, index)
    return None


def _data_finding(
    exam: Examination,
    op: model.Op,
    maker: model.Op,
    found: tuple[model.Backward, model.Node],
    place: Place,
    origin: model.Value,
) -> Finding:
    backward, node = found
    name = made_name(exam.case, maker, origin.number) or exam.case.words("the-value")
    return exam.writer.write(
        "inplace-via-data",
        "error",
        place,
        "inplace-via-data",
        {
            "name": name,
            "made": maker.stack[0].line if maker.stack else "?",
            "maker": plain(maker.name),
            "node": node.name,
            "writer": plain(op.name),
            "new": _made_anew(exam.case, op, name),
        },
        pass_id=backward.id,
        step=exam.case.steps_of(backward.id).get(node.index),
        node=node.name,
        op=plain(maker.name),
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("node", node.index),),
    )


def _made_anew(case: Case, op: model.Op, name: str) -> str:
    """The write as a call that makes a new tensor: `y = y.clamp(0, 1)` for `y.data.clamp_(0, 1)`."""
    code, written_as = case.code(op.stack[0].file) if op.stack else None, case.op_expression(op)
    if code is not None and isinstance(written_as, ast.Call) and called_name(written_as).endswith("_"):
        given = [code.text(each) for each in written_as.args]
        given += [f"{each.arg}={code.text(each.value)}" for each in written_as.keywords if each.arg is not None]
        return f"{name} = {name}.{called_name(written_as).rstrip('_')}({', '.join(given)})"
    if code is not None and isinstance(written_as, ast.AugAssign) and type(written_as.op) in _SIGNS:
        return f"{name} = {name} {_SIGNS[type(written_as.op)]} {tight(code.text(written_as.value))}"
    return case.words("new-tensor", name=name, op=plain(op.name))
