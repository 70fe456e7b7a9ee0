"""The own engine: layered, iterative, near-linear. Knows groups, wrapping and both directions."""

from __future__ import annotations

import numpy as np

from gradviz.layout.model import Options, Request, Result
from gradviz.layout.own.flat import Style
from gradviz.layout.own.groups import ROOT, Boxes, Frame, Hierarchy

_VIEWPORT = (1280.0, 800.0)
_HEADER_GAP = 4.0  # between a frame's header and its content


class OwnEngine:
    name = "own"
    limit = 1_000_000

    def available(self) -> bool:
        return True

    def arrange(self, request: Request) -> Result:
        across = request.options.direction == "right"
        wide, high = (request.heights, request.widths) if across else (request.widths, request.heights)
        labels = request.label_sizes[:, ::-1] if across else request.label_sizes
        boxes = Boxes(
            widths=wide.tolist(),
            heights=high.tolist(),
            tail=request.tail.tolist(),
            head=request.head.tolist(),
            label_w=labels[:, 0].tolist(),
            label_h=labels[:, 1].tolist(),
            hint=request.rank_hint.tolist() if request.rank_hint is not None else list(range(len(wide))),
            group=request.group.tolist(),
            parent=request.group_parent.tolist(),
        )
        return _result(Hierarchy(boxes, style_of(request), frame_of(request.options)), across)


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


def frame_of(options: Options) -> Frame:
    """The header is above the content in both directions."""
    pad, header, least = options.group_padding, options.group_header + _HEADER_GAP, options.group_min_width
    if options.direction == "right":
        return Frame(left=header, top=pad, right=pad, bottom=pad, least_height=least)
    return Frame(left=pad, top=header, right=pad, bottom=pad, least_width=least)


def _result(done: Hierarchy, across: bool) -> Result:
    lengths = np.fromiter((len(route) for route in done.routes), np.int64, len(done.routes))
    points = np.asarray([point for route in done.routes for point in route], np.float32).reshape(-1, 2)
    labels = np.asarray([label or (np.nan, np.nan) for label in done.labels], np.float32).reshape(-1, 2)
    x, y = np.asarray(done.x, np.float32), np.asarray(done.y, np.float32)
    rects = np.asarray(done.rects, np.float32).reshape(-1, 4)
    width, height = done.levels[ROOT].size
    if across:
        x, y, points, labels, width, height = y, x, points[:, ::-1], labels[:, ::-1], height, width
        rects = rects[:, [1, 0, 3, 2]]
    return Result(
        x=x,
        y=y,
        points=np.ascontiguousarray(points),
        offsets=np.concatenate(([0], np.cumsum(lengths))).astype(np.int32),
        labels=np.ascontiguousarray(labels),
        group_rects=np.ascontiguousarray(rects),
        width=width,
        height=height,
        engine=OwnEngine.name,
    )
