"""A forward call that raised: the call on top, below it the graph of each operand, and the constants among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradviz.diagnose.finding import Finding, Mark
from gradviz.scene.extras import MOST_SEEDS, Extras, NewBox, NewEdge, constant_box, grown, new_edge
from gradviz.scene.model import NO_EDGE, Draft, EdgeLabel, Kind
from gradviz.scene.sizes import NODE_HEIGHT, NODE_MAX_WIDTH, NODE_MIN_WIDTH, TEXT_RIGHT, TEXT_X
from gradviz.scene.words import said, shape_text
from gradviz.trace.model import Op, Port

MOST_OPERANDS = 12


@dataclass
class _Parts:
    """What is added to the draft."""

    boxes: list[NewBox] = field(default_factory=list)
    edges: list[NewEdge] = field(default_factory=list)
    framed: list[EdgeLabel] = field(default_factory=list)
    seconds: dict[int, str] = field(default_factory=dict)


def add_failed_call(draft: Draft, extras: Extras) -> Draft:
    """The roots of such a pass are the operands that need a gradient."""
    op = _raised_op(extras)
    finding = next((one for one in extras.findings if any(mark.kind == "operand" for mark in one.marks)), None)
    blamed = {mark.slot: mark for mark in finding.marks if mark.kind == "operand"} if finding is not None else {}
    parts = _Parts()
    call = len(draft)
    _add_call(parts, call, op, extras)
    roots = {root.value: root for root in extras.backward.roots if 0 <= root.node < len(draft.box_of)}
    operands = op.operands[:MOST_OPERANDS] if op is not None else ()
    for at, value in enumerate(operands):
        root = roots.pop(value.number, None)
        edge = draft.edges + len(parts.edges)
        text = shape_text(value.spec.shape)
        if root is not None:
            _add_root(parts, draft, extras, call, root, at, text)
        elif extras.constants:
            name, line = _told(finding, at, len(operands))
            box = call + len(parts.boxes)
            made, parts.seconds[box] = constant_box(extras, name or value.name, line)
            parts.boxes.append(made)
            parts.edges.append(new_edge(extras, call, box, NO_EDGE, text))
        else:
            continue
        if at in blamed:
            parts.framed.append(_blame(edge, text, blamed[at]))
    for root in list(roots.values())[:MOST_SEEDS]:  # operands whose identity isn't known
        _add_root(parts, draft, extras, call, root, 0, shape_text(root.spec.shape))
    return replace(
        grown(draft, parts.boxes, parts.edges),
        seconds={**draft.seconds, **parts.seconds},
        framed=(*draft.framed, *parts.framed),
    )


def _add_call(parts: _Parts, call: int, op: Op | None, extras: Extras) -> None:
    words, measure = extras.wording, extras.measure
    name = op.name if op is not None else words.call
    line = op.stack[0].line if op is not None and op.stack else 0
    parts.seconds[call] = f"{words.at_line(line)} · {words.raised}" if line else words.raised
    need = max(measure(name, "name"), measure(parts.seconds[call], "second")) + TEXT_X + TEXT_RIGHT
    parts.boxes.append(NewBox(Kind.BUILTIN, name, min(max(need, NODE_MIN_WIDTH), NODE_MAX_WIDTH), NODE_HEIGHT))


def _add_root(parts: _Parts, draft: Draft, extras: Extras, call: int, root: Port, at: int, text: str) -> None:
    parts.edges.append(new_edge(extras, call, int(draft.box_of[root.node]), -1 - at, text))


def _told(finding: Finding | None, at: int, count: int) -> tuple[str, int]:
    """What the finding calls this operand, and where it was made."""
    if finding is None or len(finding.operands) < count:
        return "", 0
    return finding.operands[at].name, finding.operands[at].line


def _blame(edge: int, text: str, mark: Mark) -> EdgeLabel:
    expected = said(mark.expected)
    different = bool(expected) and expected != text
    return EdgeLabel(edge, text, expected if different else "", icon="" if different else "error")


def _raised_op(extras: Extras) -> Op | None:
    at = extras.backward.exception
    error = next((one for one in extras.trace.exceptions() if one.id == at), None)
    return extras.trace.op(error.op) if error is not None and error.op is not None else None
