"""The own engine: layered, iterative, near-linear. Knows groups, wrapping and both directions."""

from __future__ import annotations

import numpy as np

from gradviz.layout.model import Request, Result
from gradviz.layout.own.flat import FlatGraph, FlatPlaces, Style
from gradviz.layout.own.level import arrange_level
from gradviz.layout.own.ranking import upward_edges
from gradviz.layout.simple import frames_round

_VIEWPORT = (1280.0, 800.0)


class OwnEngine:
    name = "own"
    limit = 1_000_000

    def available(self) -> bool:
        return True

    def arrange(self, request: Request) -> Result:
        style = style_of(request)
        across = request.options.direction == "right"
        wide, high = (request.heights, request.widths) if across else (request.widths, request.heights)
        labels = request.label_sizes[:, ::-1] if across else request.label_sizes
        hint = request.rank_hint.tolist() if request.rank_hint is not None else list(range(len(wide)))
        tail, head = request.tail.tolist(), request.head.tolist()
        turned = upward_edges(len(wide), tail, head, hint)
        graph = FlatGraph(
            widths=wide.tolist(),
            heights=high.tolist(),
            tail=[b if up else a for a, b, up in zip(tail, head, turned, strict=True)],
            head=[a if up else b for a, b, up in zip(tail, head, turned, strict=True)],
            label_w=labels[:, 0].tolist(),
            label_h=labels[:, 1].tolist(),
            hint=hint,
            pin=[0] * len(wide),
        )
        places = arrange_level(graph, style)
        routes = [route[::-1] if up else route for route, up in zip(places.routes, turned, strict=True)]
        return _result(request, places, routes, across)


def style_of(request: Request) -> Style:
    options = request.options
    across = options.direction == "right"
    view_w, view_h = options.viewport or _VIEWPORT
    return Style(
        layer_gap=options.layer_gap,
        node_gap=options.node_gap,
        lane=options.lane,
        wrap=options.wrap,
        viewport=(view_h, view_w) if across else (view_w, view_h),
        label_side=-1 if across else 1,
    )


def _result(request: Request, places: FlatPlaces, routes: list[list[tuple[float, float]]], across: bool) -> Result:
    lengths = np.fromiter((len(route) for route in routes), np.int64, len(routes))
    points = np.asarray([point for route in routes for point in route], np.float32).reshape(-1, 2)
    labels = np.asarray([label or (np.nan, np.nan) for label in places.labels], np.float32).reshape(-1, 2)
    x, y = np.asarray(places.x, np.float32), np.asarray(places.y, np.float32)
    width, height = places.width, places.height
    if across:
        x, y, points, labels, width, height = y, x, points[:, ::-1], labels[:, ::-1], height, width
    return Result(
        x=x,
        y=y,
        points=np.ascontiguousarray(points),
        offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
        labels=np.ascontiguousarray(labels),
        group_rects=frames_round(request, x, y),
        width=width,
        height=height,
        engine=OwnEngine.name,
    )
