"""freed-graph and hidden-not-detached: a pass that runs into nodes whose saved tensors an earlier one let go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.calls import pass_call, rewritten, root_text
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.naming import listed, made_name, operand_name, value_name
from gradviz.diagnose.rules.carried_state import carried_state
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import NODE_LEAF

FREED = re.compile(
    r"backward through the graph a second time|saved tensors after they have already been freed|already been freed",
    re.I,
)


@dataclass(frozen=True)
class Crossing:
    """Where this pass's own calls take up a value of the graph that was freed."""

    value: int
    maker: model.Op | None  # the old call that made the value
    taker: model.Op | None  # the new call that used it, None when the old value is the output itself
    name: str


def freed(exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo | None) -> Finding:
    """The finding for a pass that failed at a node that was freed before."""
    case = exam.case
    earlier = _freed_by(case, backward, node)
    crossing = _crossing(case, backward, earlier)
    if earlier is not None and _same_call(earlier, backward):
        if crossing is not None and _made_again(case, backward, earlier, crossing):
            return _hidden(exam, backward, node, error, earlier, crossing)
        if crossing is not None and crossing.maker is not None and crossing.maker.stack:
            return _before_loop(exam, backward, node, error, crossing)
    return _shared(exam, backward, node, error, earlier, crossing)


def _keys(case: Case, pass_id: int) -> set[tuple[int, int]]:
    """Nodes of a pass by what stays the same from pass to pass: thread and sequence number."""
    graph = case.trace.graph(pass_id)
    own = (graph.flags & NODE_LEAF) == 0
    return set(zip(graph.thread[own].tolist(), graph.seq[own].tolist()))


def _freed_by(case: Case, backward: model.Backward, node: model.Node) -> model.Backward | None:
    """The newest earlier pass that went through this very node and did not keep it."""
    for other in reversed(case.passes):
        if other.id >= backward.id or other.retain_graph or other.outcome == "refused":
            continue
        graph = case.trace.graph(other.id)
        if np.any((graph.seq == node.seq) & (graph.thread == node.thread) & (graph.op == node.op)):
            return other
    return None


def _same_call(one: model.Backward, other: model.Backward) -> bool:
    return one.stack[:1] == other.stack[:1]


def _crossing(case: Case, backward: model.Backward, earlier: model.Backward | None) -> Crossing | None:
    """The first value on the way down from the output that an old node made and a new call took up."""
    if earlier is None:
        return None
    old = _keys(case, earlier.id)
    # A call that makes several nodes may hand on a value by one of them that the earlier pass had no need of.
    old_calls = set(case.trace.graph(earlier.id).op.tolist()) - {-1}
    links = case.links(backward.id)
    roots = [port.node for port in backward.roots if port.node >= 0]
    waiting, seen = list(roots), set(roots)
    while waiting:
        index = waiting.pop(0)
        node = case.node(backward.id, index)
        if (node.thread, node.seq) in old and not node.flags & NODE_LEAF:
            port = next((p for p in backward.roots if p.node == index), None)
            maker = case.node_op(node)
            return Crossing(port.value if port else -1, maker, None, value_name(case, port.value) if port else "")
        taker = case.node_op(node)
        for edge in links.out(index):
            head = case.node(backward.id, edge.head)
            if head.flags & NODE_LEAF or edge.head in seen:
                continue
            if (head.thread, head.seq) in old or head.op in old_calls:
                maker = case.node_op(head)
                value, name = _passed(case, maker, taker)
                return Crossing(value, maker, taker, name)
            seen.add(edge.head)
            waiting.append(edge.head)
    return None


def _passed(case: Case, maker: model.Op | None, taker: model.Op | None) -> tuple[int, str]:
    """The value that one call made and another took, and what the person calls it."""
    if taker is None:
        return -1, ""
    made = {r.number for r in maker.results} if maker is not None else set()
    for i, value in enumerate(taker.operands):
        origin = case.producer(value.number, taker.number)
        if value.number in made or (maker is not None and origin is not None and origin.number == maker.number):
            name = made_name(case, maker, value.number) if maker is not None else ""
            return value.number, name or operand_name(case, taker, i)
    return -1, ""


def _made_again(case: Case, backward: model.Backward, earlier: model.Backward, crossing: Crossing) -> bool:
    """Whether the old value's line ran again after the earlier pass: then it is carried from turn to turn of a loop."""
    maker = crossing.maker
    if maker is None or not maker.stack or crossing.taker is None:
        return False
    last = int(case.trace.graph(earlier.id).op.max(initial=-1))
    return any(op.number > last and op.stack[:1] == maker.stack[:1] and op.name == maker.name for op in case.ops)


def _fields(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo | None
) -> dict[str, Any]:
    op = exam.case.node_op(node)
    return {
        "pass_id": backward.id,
        "step": exam.case.steps_of(backward.id).get(node.index),
        "node": node.name,
        "op": plain(op.name) if op is not None else "",
        "symptom_line": backward.stack[0].line if backward.stack else None,
        "marks": (Mark("node", node.index),),
        **raised_at_call(error, backward.stack),
    }


def _hidden(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    error: model.ExceptionInfo | None,
    earlier: model.Backward,
    crossing: Crossing,
) -> Finding:
    case = exam.case
    taker = crossing.taker
    assert taker is not None
    last = int(case.trace.graph(earlier.id).op.max(initial=-1))
    state = carried_state(case, backward, last, crossing.maker, taker, crossing.name)
    place = case.place(taker.stack)
    return exam.writer.write(
        "hidden-not-detached",
        "error",
        place,
        "hidden-not-detached" if len(state.names) < 2 else "hiddens-not-detached",
        {
            "name": listed(case, state.names) or case.words("last-turn"),
            "line": place.line,
            "call": backward.stack[0].line if backward.stack else "?",
            "node": node.name,
            "new": state.new or "state = tuple(s.detach() for s in state)",
        },
        **_fields(exam, backward, node, error),
    )


def _before_loop(
    exam: Examination, backward: model.Backward, node: model.Node, error: model.ExceptionInfo | None, crossing: Crossing
) -> Finding:
    case, maker = exam.case, crossing.maker
    assert maker is not None
    place = case.place(maker.stack)
    code = case.code(place.file)
    name = crossing.name or made_name(case, maker, crossing.value) or case.words("its-result")
    line = code.line(place.line).strip() if code is not None else ""
    return exam.writer.write(
        "freed-graph",
        "error",
        place,
        "freed-before-loop",
        {
            "name": name,
            "line": place.line,
            "call": backward.stack[0].line if backward.stack else "?",
            "node": node.name,
            "new": line or case.words("anew-each-turn", name=name),
        },
        **_fields(exam, backward, node, error),
    )


def _shared(
    exam: Examination,
    backward: model.Backward,
    node: model.Node,
    error: model.ExceptionInfo | None,
    earlier: model.Backward | None,
    crossing: Crossing | None,
) -> Finding:
    case = exam.case
    place = case.place(earlier.stack if earlier is not None else backward.stack)
    op = case.node_op(node)
    called = pass_call(case, earlier) if earlier is not None else None
    new = rewritten(called, add="retain_graph=True") if called is not None else ""
    parts = {
        "root": root_text(case, pass_call(case, backward), backward, 0) if backward.roots else case.words("the-output"),
        "line": place.line,
        "call": backward.stack[0].line if backward.stack else "?",
        "node": node.name,
        "shared": (crossing.name if crossing is not None else "") or (plain(op.name) if op is not None else node.name),
        "made": op.stack[0].line if op is not None and op.stack else "?",
        "new": new or "loss.backward(retain_graph=True)",
    }
    if earlier is not None and called is not None:
        place = called.place if called.call is not None else place
    phrase = "freed-shared" if earlier is not None else "freed-unknown"
    more = _fields(exam, backward, node, error)
    if called is not None and new:
        more["changes"] = replacement(called.code, called.place, new)
    return exam.writer.write("freed-graph", "error", place, phrase, parts, **more)
