"""A request as Graphviz source, and Graphviz's answer (-Tjson) as a result. One point is one pixel at 100 %."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gradviz.layout.model import Request, Result

_INCH = 72.0
Point = tuple[float, float]


def source(request: Request) -> str:
    """Boxes of fixed size, labels of fixed size, a cluster per open group. Never splines=curved: it takes minutes."""
    options = request.options
    rank = "LR" if options.direction == "right" else "TB"
    lines = [
        "digraph {",
        f'graph [rankdir={rank}, splines=polyline, nodesep="{options.node_gap / _INCH:.4f}", '
        f'ranksep="{options.layer_gap / _INCH:.4f}", outputorder=nodesfirst]',
        'node [shape=box, fixedsize=true, label="", margin=0]',
        "edge [arrowhead=none]",
    ]
    members: dict[int, list[int]] = {}
    group = request.group.tolist() or [-1] * len(request.widths)
    for v, owner in enumerate(group):
        members.setdefault(owner, []).append(v)
    inner: dict[int, list[int]] = {}
    for g, parent in enumerate(request.group_parent.tolist()):
        inner.setdefault(parent, []).append(g)
    lines += _body(request, -1, members, inner)
    for e, (a, b) in enumerate(zip(request.tail.tolist(), request.head.tolist(), strict=True)):
        width, height = request.label_sizes[e].tolist()
        label = f", label={_sized(width, height)}" if width else ""
        lines.append(f'n{a} -> n{b} [id="e{e}"{label}]')
    lines.append("}")
    return "\n".join(lines)


def _body(request: Request, owner: int, members: dict[int, list[int]], inner: dict[int, list[int]]) -> list[str]:
    lines = []
    for v in members.get(owner, []):
        width, height = float(request.widths[v]) / _INCH, float(request.heights[v]) / _INCH
        lines.append(f'n{v} [id="n{v}", width="{width:.4f}", height="{height:.4f}"]')
    for g in inner.get(owner, []):
        options = request.options
        header = _sized(options.group_min_width - 2 * options.group_padding, options.group_header)
        lines.append(f'subgraph cluster_{g} {{ graph [id="g{g}", margin="{options.group_padding}", label={header}]')
        if not members.get(g) and not inner.get(g):
            lines.append(f'e{g} [width="0.1", height="0.1"]')  # a cluster without nodes isn't placed
        lines += [*_body(request, g, members, inner), "}"]
    return lines


def _sized(width: float, height: float) -> str:
    """A label of exactly this size, whatever fonts there are."""
    size = f'FIXEDSIZE="TRUE" WIDTH="{max(1, round(width))}" HEIGHT="{max(1, round(height))}"'
    return f'<<TABLE BORDER="0" CELLPADDING="0" CELLSPACING="0" {size}><TR><TD></TD></TR></TABLE>>'


def result(request: Request, answer: str | bytes, engine: str) -> Result:
    """Raises ValueError or KeyError where the answer is none."""
    drawn: dict[str, Any] = json.loads(answer)
    _, _, right, top = _numbers(drawn["bb"])
    x, y = np.zeros(len(request.widths), np.float32), np.zeros(len(request.widths), np.float32)
    rects = np.zeros((len(request.group_parent), 4), np.float32)
    for item in drawn.get("objects", ()):
        name = item.get("id", "")
        if name.startswith("n"):
            x[int(name[1:])], up = _numbers(item["pos"])
            y[int(name[1:])] = top - up
        elif name.startswith("g"):
            low_x, low_y, high_x, high_y = _numbers(item["bb"])
            rects[int(name[1:])] = (low_x, top - high_y, high_x - low_x, high_y - low_y)
    routes: list[list[Point]] = [[] for _ in request.tail]
    labels = np.full((len(routes), 2), np.nan, np.float32)
    for edge in drawn.get("edges", ()):
        e = int(edge["id"][1:])
        routes[e] = [(px, top - py) for px, py in _bends(edge["pos"], bool(request.tail[e] == request.head[e]))]
        if "lp" in edge:
            label_x, label_y = _numbers(edge["lp"])
            labels[e] = (label_x, top - label_y)
    lengths = [len(route) for route in routes]
    return Result(
        x=x,
        y=y,
        points=np.asarray([point for route in routes for point in route], np.float32).reshape(-1, 2),
        offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
        labels=labels,
        group_rects=rects,
        width=right,
        height=top,
        engine=engine,
    )


def _numbers(text: str) -> list[float]:
    return [float(value) for value in text.split(",")]


def _bends(pos: str, loop: bool) -> list[Point]:
    """The corners of a polyline that is written as cubic splines; of a loop, all control points."""
    points = [_point(part) for part in pos.split(" ") if part[0] not in "es"]
    corners = points if loop else points[::3]
    return corners if len(corners) > 1 else corners * 2


def _point(text: str) -> Point:
    x, y = _numbers(text)
    return (x, y)
