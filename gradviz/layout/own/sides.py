"""Leaves beside what they belong to: in a group, `addmm → t → weight` and `addmm → bias` are rows at its right.

The engine arranges their host with all of this as one broad box, whose edges enter and leave at the host's own middle;
afterwards the box is taken apart again. So a chain of layers stays one straight line, and takes a third of the height.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gradviz.layout.model import FloatArray, IntArray, Request, Result
from gradviz.layout.own.flat import AUTO

MOST_BOXES = 4000  # more can't be read one by one, and broad boxes would only make the drawing broader
LONGEST, MOST_ROWS = 2, 3  # boxes in a row, rows of a host
LARGEST_LABEL = (140.0, 20.0)  # a label with a frame round it is a finding's: it stays where findings are looked for
ROW_GAP = 12.0
SHORTEST = 32.0  # edge within a row
AIR = 24.0  # of an edge's length beside its label: an arrow, and some room
ELBOW = 14.0  # from the host to where the lower rows' edges turn down
LABEL_ABOVE = 3.0  # px between a label and the line under it

Point = tuple[float, float]


@dataclass
class Side:
    """One host with its rows; sizes and places are from the top left corner of the broad box."""

    host: int
    rows: list[list[int]]  # boxes from left to right, the longest row first
    edges: list[list[int]]  # the edge that leads to each of them
    width: float = 0.0
    height: float = 0.0
    middle: float = 0.0  # of the host
    places: dict[int, Point] = field(default_factory=dict)  # centres, the host's too
    tops: list[float] = field(default_factory=list)  # middle of each row


@dataclass(frozen=True)
class Folded:
    """The smaller request, and what is needed to take it apart."""

    request: Request
    port: list[float]  # (k,) offset from the box's middle where all its edges touch; AUTO where they may touch anywhere
    sides: tuple[Side, ...]
    kept: IntArray  # (k,) boxes of the whole request
    edges: IntArray  # kept edges of the whole request


def fold(request: Request) -> Folded | None:
    """None where nothing stands aside."""
    options = request.options
    if not options.aside or options.direction == "right" or len(request.widths) > MOST_BOXES:
        return None
    sides = _find(request)
    if not sides:
        return None
    count, edges = len(request.widths), len(request.tail)
    keep, keep_edge = np.ones(count, bool), np.ones(edges, bool)
    widths, heights = request.widths.copy(), request.heights.copy()
    port = np.full(count, AUTO)
    for side in sides:
        _measure(side, request)
        for row, ways in zip(side.rows, side.edges, strict=True):
            keep[row] = False
            keep_edge[ways] = False
        widths[side.host], heights[side.host] = side.width, side.height
        port[side.host] = side.middle - side.width / 2
    kept, kept_edges = np.flatnonzero(keep).astype(np.int32), np.flatnonzero(keep_edge).astype(np.int32)
    number = np.full(count, -1, np.int32)
    number[kept] = np.arange(len(kept))
    smaller = replace(
        request,
        widths=np.ascontiguousarray(widths[kept]),
        heights=np.ascontiguousarray(heights[kept]),
        tail=np.ascontiguousarray(number[request.tail[kept_edges]]),
        head=np.ascontiguousarray(number[request.head[kept_edges]]),
        label_sizes=np.ascontiguousarray(request.label_sizes[kept_edges]),
        group=np.ascontiguousarray(request.group[kept]) if len(request.group) else request.group,
        rank_hint=np.ascontiguousarray(request.rank_hint[kept]) if request.rank_hint is not None else None,
    )
    return Folded(smaller, port[kept].tolist(), tuple(sides), kept, kept_edges)


def unfold(request: Request, folded: Folded, result: Result) -> Result:
    """Places, routes and labels of the whole request."""
    count, edges = len(request.widths), len(request.tail)
    x, y = np.zeros(count, np.float32), np.zeros(count, np.float32)
    x[folded.kept], y[folded.kept] = result.x, result.y
    labels = np.full((edges, 2), np.nan, np.float32)
    labels[folded.edges] = result.labels
    routes: list[FloatArray] = [np.empty((0, 2), np.float32)] * edges
    for at, edge in enumerate(folded.edges.tolist()):
        routes[edge] = result.points[result.offsets[at] : result.offsets[at + 1]].copy()
    hosts = {side.host for side in folded.sides}
    for side in folded.sides:
        left, top = float(x[side.host]) - side.width / 2, float(y[side.host]) - side.height / 2
        for box, (at_x, at_y) in side.places.items():
            x[box], y[box] = left + at_x, top + at_y
        _lead(side, request, left, top, routes, labels)
    for edge in folded.edges.tolist():  # up to the host's own border
        tail, head = int(request.tail[edge]), int(request.head[edge])
        if tail in hosts:
            routes[edge][0, 1] = y[tail] + request.heights[tail] / 2
        if head in hosts:
            routes[edge][-1, 1] = y[head] - request.heights[head] / 2
    lengths = np.array([len(route) for route in routes], np.int32)
    return replace(
        result,
        x=x,
        y=y,
        points=np.ascontiguousarray(np.concatenate(routes), np.float32),
        offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
        labels=labels,
    )


def _find(request: Request) -> list[Side]:
    count = len(request.widths)
    tail, head = request.tail.tolist(), request.head.tolist()
    group = request.group.tolist() if len(request.group) else [-1] * count
    leaving: list[list[int]] = [[] for _ in range(count)]
    into: list[list[int]] = [[] for _ in range(count)]
    for edge, (a, b) in enumerate(zip(tail, head, strict=True)):
        leaving[a].append(edge)
        into[b].append(edge)
    if _has_cycle(head, leaving):  # an edge back up would enter its host from where the rows are
        return []
    rows: dict[int, list[tuple[list[int], list[int]]]] = {}
    for leaf in range(count):
        if leaving[leaf] or len(into[leaf]) != 1:
            continue
        row, ways = [leaf], [into[leaf][0]]
        at = tail[ways[0]]
        while len(row) < LONGEST and len(into[at]) == 1 and len(leaving[at]) == 1:
            row.append(at)
            ways.append(into[at][0])
            at = tail[ways[-1]]
        same = group[at] >= 0 and all(group[box] == group[at] for box in row)
        plain = all((request.label_sizes[edge] <= LARGEST_LABEL).all() for edge in ways)
        if same and plain and at not in row:
            rows.setdefault(at, []).append((row[::-1], ways[::-1]))
    found = []
    for host, its in rows.items():
        rest = len(leaving[host]) - len(its)
        # What goes on below goes straight on; a host at the end of its line has its last leaf below it, unless it has
        # several. More than one edge at the host's upper or lower border would need ports of their own.
        if len(its) > MOST_ROWS or len(into[host]) > 1 or rest > 1 or (rest == 0 and len(its) < 2):
            continue
        its.sort(key=lambda each: (-len(each[0]), each[1][0]))
        found.append(Side(host, [row for row, _ in its], [ways for _, ways in its]))
    hosts = {side.host for side in found}
    return [side for side in found if not any(box in hosts for row in side.rows for box in row)]


def _has_cycle(head: list[int], leaving: list[list[int]]) -> bool:
    """Kahn: what can't be taken from the top down lies on a cycle, or behind one. An edge of a box to itself is one."""
    waiting = [0] * len(leaving)
    for box in head:
        waiting[box] += 1
    free = [box for box, count in enumerate(waiting) if not count]
    for box in free:
        for edge in leaving[box]:
            waiting[head[edge]] -= 1
            if not waiting[head[edge]]:
                free.append(head[edge])
    return len(free) < len(leaving)


def _measure(side: Side, request: Request) -> None:
    """Sizes and places within the broad box: leaves in one column, what leads to them in another."""
    width = float(request.widths[side.host])
    length = max(len(row) for row in side.rows)
    columns = [
        [row[at - length + len(row)] for row in side.rows if at - length + len(row) >= 0] for at in range(length)
    ]
    gaps = [
        max(_room(request, ways[at - length + len(ways)]) for ways in side.edges if at - length + len(ways) >= 0)
        for at in range(length)
    ]
    x, lefts = width, []
    for at, column in enumerate(columns):
        x += gaps[at] + (ELBOW if at == 0 and len(side.rows) > 1 else 0.0)
        lefts.append(x)
        x += max(float(request.widths[box]) for box in column)
    side.width, side.middle = x, width / 2
    y = 0.0
    for number, row in enumerate(side.rows):
        tall = max(float(request.heights[box]) for box in (*row, *((side.host,) if not number else ())))
        middle = y + tall / 2
        side.tops.append(middle)
        for at, box in enumerate(row, length - len(row)):
            side.places[box] = (lefts[at] + float(request.widths[box]) / 2, middle)
        y += tall + ROW_GAP
    side.places[side.host] = (width / 2, side.tops[0])
    side.height = y - ROW_GAP


def _room(request: Request, edge: int) -> float:
    label = float(request.label_sizes[edge, 0])
    return max(SHORTEST, label + AIR) if label else SHORTEST


def _lead(side: Side, request: Request, left: float, top: float, routes: list[FloatArray], labels: FloatArray) -> None:
    """Routes and labels of the edges in the rows."""
    border = left + float(request.widths[side.host])
    half = float(request.heights[side.host]) / 2
    for number, (row, ways) in enumerate(zip(side.rows, side.edges, strict=True)):
        y = top + side.tops[number]
        begin = border
        for at, (box, edge) in enumerate(zip(row, ways, strict=True)):
            end = left + side.places[box][0] - float(request.widths[box]) / 2
            route = [(begin, y), (end, y)]
            if number and not at:
                start = top + side.tops[0] + half * number / len(side.rows)
                turn = border + ELBOW - 4.0 * (number - 1)
                route = [(border, start), (turn, start), (turn, y), (end, y)]
            routes[edge] = np.array(route, np.float32)
            wide, high = (float(part) for part in request.label_sizes[edge])
            if wide:
                labels[edge] = (end - AIR / 2 - wide / 2, y - LABEL_ABOVE - high / 2)
            begin = end + float(request.widths[box])
