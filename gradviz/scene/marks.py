"""Where the findings show: framed labels on edges, badges on boxes; and what the engine did to a gradient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.diagnose.finding import Finding, Mark
from gradviz.scene.extras import Extras
from gradviz.scene.model import NO_EDGE, Badge, Bytes, Draft, EdgeLabel, Kind, Look, Panel
from gradviz.scene.sizes import LABEL_HEIGHT, LABEL_PAD, MISMATCH_HEIGHT, Measure
from gradviz.scene.wording import Wording
from gradviz.scene.words import change_text, said, shape_text
from gradviz.trace.graph import PassGraph, PassSteps
from gradviz.trace.model import Spec
from gradviz.trace.reader import Trace

MOST_FRAMED = 200
MOST_PANELS = 8
_RANK = {"error": 3, "warning": 2, "note": 1, "": 0}
MISMATCH_GAP = 8.0


def label_size(label: EdgeLabel, measure: Measure, wording: Wording) -> tuple[float, float]:
    """Width and height in px of a framed label."""
    if label.expected:
        left = measure(wording.expected, "second") + measure(label.expected, "shape") + measure("≠", "shape")
        right = measure(wording.received, "second") + measure(label.text, "shape")
        return left + right + 7 * MISMATCH_GAP, MISMATCH_HEIGHT
    icon = 16.0 if label.icon else 0.0
    return measure(label.text, "shape") + 2 * LABEL_PAD + icon, LABEL_HEIGHT


def framed_with(draft: Draft, special: Bytes, new: list[EdgeLabel], extras: Extras) -> tuple[Draft, Bytes]:
    """Add framed labels; a later one takes an edge over from an earlier one."""
    by_edge = {label.edge: label for label in (*draft.framed, *new)}
    width, height, special = draft.label_width.copy(), draft.label_height.copy(), special.copy()
    for label in by_edge.values():
        width[label.edge], height[label.edge] = label_size(label, extras.measure, extras.wording)
        if draft.edge[label.edge] != NO_EDGE:
            special[label.edge] = label.look
    return replace(draft, framed=tuple(by_edge.values()), label_width=width, label_height=height), special


def mark_engine_changes(
    draft: Draft, special: Bytes, trace: Trace, graph: PassGraph, steps: PassSteps, extras: Extras
) -> tuple[Draft, Bytes]:
    """Gradients that arrived with NaN or Inf, as None, or were summed or cast to fit."""
    special = special.copy()
    edge_at = {int(edge): at for at, edge in enumerate(draft.edge.tolist()) if edge >= 0}
    labels: list[EdgeLabel] = []
    row = _received_rows(draft, graph, steps)
    arrived = row >= 0
    safe = np.where(arrived, row, 0)
    if len(steps.spec):
        broken = arrived & ((steps.nans[safe] > 0) | (steps.infs[safe] > 0))
        missing = arrived & (steps.spec[safe] < 0)
        special[broken], special[missing] = Look.NAN, Look.NEVER
        for at in np.flatnonzero(broken)[:MOST_FRAMED].tolist():
            labels.append(EdgeLabel(at, _broken_text(trace, steps, int(row[at]), extras), look=Look.NAN, icon="nan"))
        for at in np.flatnonzero(missing)[:MOST_FRAMED].tolist():
            labels.append(EdgeLabel(at, extras.wording.none, look=Look.NEVER))
    for returned in trace.returned(extras.backward.id):
        if returned.spec is None or not 0 <= returned.step < len(steps):
            continue
        node = int(steps.node[returned.step])
        for edge in np.flatnonzero((graph.tail == node) & (graph.index == returned.index)).tolist():
            text = _changed(trace, graph, edge, returned.spec)
            if text and edge in edge_at:
                labels.append(EdgeLabel(edge_at[edge], text, look=Look.CHANGED))
    return framed_with(draft, special, labels, extras)


def _received_rows(draft: Draft, graph: PassGraph, steps: PassSteps) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(m,) row of the received gradient that an edge brought, -1 none."""
    row = np.full(draft.edges, -1, np.int64)
    if not len(steps) or not len(graph.tail):
        return row
    step_of = np.full(len(graph), -1, np.int64)
    step_of[steps.node] = np.arange(len(steps))
    real = np.flatnonzero(draft.edge >= 0)
    edge = draft.edge[real]
    step = step_of[graph.head[edge]]
    at = np.where(step >= 0, steps.received_start[step] + graph.slot[edge], -1)
    row[real] = np.where((step >= 0) & (at < steps.received_end[step]), at, -1)
    return row


def _broken_text(trace: Trace, steps: PassSteps, row: int, extras: Extras) -> str:
    spec = trace.spec(int(steps.spec[row]))
    size = 1
    for dim in spec.shape if spec is not None else ():
        size *= dim if isinstance(dim, int) else 1
    count, form = int(steps.nans[row]), extras.wording.nan_of
    if count <= 0:
        count, form = int(steps.infs[row]), extras.wording.inf_of
    return form.format(count=count, all=max(size, count))


def _changed(trace: Trace, graph: PassGraph, edge: int, given: Spec) -> str:
    head = int(graph.head[edge])
    at = int(graph.expected_start[head]) + int(graph.slot[edge])
    expected = trace.spec(int(graph.expected_spec[at])) if at < graph.expected_end[head] else None
    return change_text(given, expected) if expected is not None else ""


def mark_edges(draft: Draft, special: Bytes, extras: Extras) -> tuple[Draft, Bytes]:
    """The edges that findings name, and those to the operands that they speak of."""
    labels: list[EdgeLabel] = []
    for finding in reversed(extras.findings):  # the most likely cause comes first, and its label stays
        if finding.severity == "note":
            continue
        look = Look.WARNED if finding.severity == "warning" else Look.FAILED
        for mark in finding.marks:
            labels += _edge_labels(draft, mark, look, finding, extras)
        labels += _operand_labels(draft, extras.graph, look, finding)
    return framed_with(draft, special, labels, extras)


def _edge_labels(draft: Draft, mark: Mark, look: Look, finding: Finding, extras: Extras) -> list[EdgeLabel]:
    expected, received = said(mark.expected), said(mark.received)
    if not received or mark.kind not in ("edge", "seed"):
        return []
    different = bool(expected) and expected != received
    icon = "" if different else finding.severity
    return [
        EdgeLabel(at, received, expected if different else "", look, icon) for at in edges_of(draft, extras.graph, mark)
    ]


def edges_of(draft: Draft, graph: PassGraph, mark: Mark) -> list[int]:
    """The draft's edges that a mark of kind "edge" or "seed" names."""
    if not 0 <= mark.node < len(draft.box_of):
        return []
    into = np.flatnonzero(draft.head == draft.box_of[mark.node])
    edge = draft.edge[into]
    if mark.kind == "seed" or mark.tail < 0:
        return [int(at) for at in into[(edge < 0) & (edge != NO_EDGE)][:1]]
    real = into[edge >= 0]
    edge = draft.edge[real]
    fits = (graph.tail[edge] == mark.tail) & (graph.head[edge] == mark.node) & (graph.slot[edge] == mark.slot)
    return [int(at) for at in real[fits]]


def _operand_labels(draft: Draft, graph: PassGraph, look: Look, finding: Finding) -> list[EdgeLabel]:
    """Silent broadcast: what came in (the result's shape) and what goes on to each operand."""
    node = next((mark.node for mark in finding.marks if 0 <= mark.node < len(draft.box_of)), -1)
    if node < 0 or not any(operand.stretched or operand.added for operand in finding.operands):
        return []
    host = int(draft.box_of[node])
    if draft.kind[host] == Kind.GROUP:
        return []
    labels = [
        EdgeLabel(int(at), said(finding.result_shape), look=look, icon=finding.severity)
        for at in np.flatnonzero((draft.head == host) & (draft.edge != NO_EDGE))
        # A loss gives one number, whatever it compared: then what comes in has another shape.
        if said(finding.result_shape) == draft.labels[int(draft.label[at])]
    ]
    for operand in finding.operands:
        if 0 <= operand.node < len(draft.box_of):
            out = np.flatnonzero((draft.tail == host) & (draft.edge >= 0))
            head = graph.head[draft.edge[out]]
            # A call may have made several nodes (Linear: Addmm and the transpose); any of them stands for the operand.
            same_call = (graph.op[head] == graph.op[operand.node]) & (graph.op[head] >= 0)
            for at in out[(head == operand.node) | same_call]:
                labels.append(EdgeLabel(int(at), shape_text(operand.shape), look=look))
    return labels


def mark_findings(draft: Draft, extras: Extras) -> Draft:
    """Badges, one per box, and the panels of stretched operands."""
    worst: dict[int, Badge] = {}
    panels: list[Panel] = []
    for finding in extras.findings:
        at = extras.position(finding)
        nodes = {mark.node for mark in finding.marks if mark.kind in ("node", "operand", "edge")}
        for box in {int(draft.box_of[node]) for node in nodes if 0 <= node < len(draft.box_of)}:
            old = worst.get(box)
            count = 1 if old is None else old.count + 1
            if old is None or _RANK[finding.severity] > _RANK[old.severity]:
                worst[box] = Badge(box, finding.severity, at, count)
            else:
                worst[box] = replace(old, count=count)
        stretched = any(operand.stretched or operand.added for operand in finding.operands)
        node = next((mark.node for mark in finding.marks if 0 <= mark.node < len(draft.box_of)), -1)
        if stretched and node >= 0 and draft.kind[draft.box_of[node]] != Kind.GROUP:
            panels.append(Panel(int(draft.box_of[node]), finding, at))
    # A node that has failed says so with its whole look; a badge on top would say it twice.
    spoken = draft.failed & (draft.kind != Kind.GROUP)
    badges = tuple(badge for badge in worst.values() if not spoken[badge.box])
    return replace(draft, badges=badges, panels=tuple(panels[:MOST_PANELS]))


def mark_cards(draft: Draft, extras: Extras) -> Draft:
    """A finding inside marks every folded group round it."""
    cards = list(draft.cards)
    for badge in draft.badges:
        card = int(draft.card[badge.box])
        while card >= 0:
            old = cards[card]
            worst = max(old.severity, badge.severity, key=lambda severity: _RANK[severity])
            cards[card] = replace(old, severity=worst, findings=old.findings + badge.count)
            card = old.parent
    return replace(draft, cards=tuple(cards))
