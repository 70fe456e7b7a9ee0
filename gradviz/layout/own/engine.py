"""The own engine: layered, iterative, near-linear. Knows groups, wrapping and both directions."""

from __future__ import annotations

import gc
import math
from dataclasses import replace

import numpy as np

from gradviz.layout.model import Options, Request, Result
from gradviz.layout.own.flat import FREE, FlatGraph, Style
from gradviz.layout.own.groups import Boxes, Frame, Hierarchy, Whole
from gradviz.layout.own.labels import GapLabels
from gradviz.layout.own.ranking import upward_edges
from gradviz.layout.own.repair import repair
from gradviz.layout.own.rows import arrange_rows
from gradviz.layout.own.sides import fold, unfold

_VIEWPORT = (1280.0, 800.0)
_LEAST_VIEW = 50.0  # px; a window that is being folded away has none
_FEW = 400  # nodes up to which all heights of columns are tried
_SMALL, _MIDDLE = 1500, 4000  # nodes of the whole graph up to which much, or some, effort is made
_FACTORS = (1.0, 1.5, 0.7, 2.2, 3.0)  # of the height guessed for folded columns
_FILLED = 0.33  # of a drawing with frames is boxes and the gaps beside them
_HEADER_GAP = 4.0  # between a frame's header and its content


class OwnEngine:
    name = "own"
    limit = 1_000_000

    def available(self) -> bool:
        return True

    def arrange(self, request: Request) -> Result:
        # The passes make millions of small lists and no cycles among them; looking for some takes a fifth of the time.
        collecting = gc.isenabled()
        gc.disable()
        try:
            folded = fold(request)
            if folded is None:
                return _arrange(request, [])
            return unfold(request, folded, _arrange(folded.request, folded.port))
        finally:
            if collecting:
                gc.enable()


def _arrange(request: Request, port: list[float]) -> Result:
    """`port`: see Boxes."""
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
        port=port,
    )
    style = style_of(request)
    if boxes.parent:
        done = _with_groups(boxes, style, frame_of(request.options))
    else:
        done = _without_groups(boxes, style)
    if 0 < np.count_nonzero(~np.isnan(done.labels[:, 0])) <= GapLabels.CAREFUL:
        _repair(done, boxes)
    return _result(done, boxes, across)


def _repair(done: Whole, boxes: Boxes) -> None:
    sides = zip(done.x.tolist(), done.y.tolist(), boxes.widths, boxes.heights, strict=True)
    rects = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, w, h in sides]
    labels = [None if math.isnan(x) else (x, y) for x, y in done.labels.tolist()]
    repair(rects, labels, list(zip(boxes.label_w, boxes.label_h, strict=True)), done.routes.lists())
    for e, label in enumerate(labels):
        if label is not None:
            done.labels[e] = label


def _with_groups(boxes: Boxes, style: Style, frame: Frame) -> Whole:
    """Of several heights of the columns, the drawing that can be shown largest: each level folds by itself."""
    if not style.wrap:
        return Hierarchy(boxes, style, frame).whole
    view_w, view_h = style.viewport
    best, chosen = -1.0, None
    for factor in _FACTORS if len(boxes.widths) <= _FEW else _FACTORS[: 1 + style.effort]:
        larger = max(1.0, factor * _larger(boxes, style))
        done = Hierarchy(boxes, replace(style, viewport=(larger * view_w, larger * view_h)), frame).whole
        scale = min(1.0, view_w / max(done.width, 1.0), view_h / max(done.height, 1.0))
        if chosen is None or scale > best:
            best, chosen = scale, done
        if scale == 1.0:
            break
    assert chosen is not None
    return chosen


def _larger(boxes: Boxes, style: Style) -> float:
    """How much larger than the viewport the whole will be, at the viewport's shape."""
    gaps = style.node_gap, style.layer_gap
    area = sum([(w + gaps[0]) * (h + gaps[1]) for w, h in zip(boxes.widths, boxes.heights, strict=True)]) / _FILLED
    return float((area / (style.viewport[0] * style.viewport[1])) ** 0.5)


def _without_groups(boxes: Boxes, style: Style) -> Whole:
    """The same as a hierarchy of one level, without its book-keeping: it counts at 50,000 boxes."""
    tail, head = boxes.tail, boxes.head
    turned, ported = upward_edges(len(boxes.widths), tail, head, boxes.hint), bool(boxes.port)
    if True in turned:
        ends = [(b, a) if up else (a, b) for a, b, up in zip(tail, head, turned, strict=True)]
        tail, head = [a for a, _ in ends], [b for _, b in ends]
    graph = FlatGraph(
        widths=boxes.widths,
        heights=boxes.heights,
        tail=tail,
        head=head,
        label_w=boxes.label_w,
        label_h=boxes.label_h,
        hint=boxes.hint,
        pin=[FREE] * len(boxes.widths),
        tail_port=[boxes.port[a] for a in tail] if ported else [],
        head_port=[boxes.port[b] for b in head] if ported else [],
    )
    places = arrange_rows(graph, style)
    routes = places.routes.turned(np.asarray(turned, np.bool_)) if True in turned else places.routes
    return Whole(places.x, places.y, routes, places.labels, [], places.width, places.height)


def style_of(request: Request) -> Style:
    options = request.options
    across = options.direction == "right"
    view_w, view_h = (max(side, _LEAST_VIEW) for side in options.viewport or _VIEWPORT)
    return Style(
        layer_gap=options.layer_gap,
        node_gap=options.node_gap,
        lane=options.lane,
        wrap=options.wrap,
        viewport=(view_h, view_w) if across else (view_w, view_h),
        label_side=-1 if across else 1,
        effort=2 if len(request.widths) <= _SMALL else 1 if len(request.widths) <= _MIDDLE else 0,
    )


def frame_of(options: Options) -> Frame:
    """The header is above the content in both directions."""
    pad, header, least = options.group_padding, options.group_header + _HEADER_GAP, options.group_min_width
    if options.direction == "right":
        return Frame(left=header, top=pad, right=pad, bottom=pad, least_height=least)
    return Frame(left=pad, top=header, right=pad, bottom=pad, least_width=least)


def _result(done: Whole, boxes: Boxes, across: bool) -> Result:
    x, y, points, labels = done.x, done.y, done.routes.points, done.labels
    rects = np.asarray(done.rects, np.float64).reshape(-1, 4)
    half = np.stack([boxes.label_w, boxes.label_h], axis=1).reshape(-1, 2) / 2
    named = ~np.isnan(labels[:, 0])
    # a label that had to move may stand out at the left or at the top
    low = np.minimum(0.0, (labels - half)[named].min(axis=0, initial=0.0))
    high = np.maximum((done.width, done.height), (labels + half)[named].max(axis=0, initial=0.0)) - low
    x, y, points, labels = x - low[0], y - low[1], points - low, labels - low
    rects[:, :2] -= low
    width, height = high
    if across:
        x, y, points, labels, width, height = y, x, points[:, ::-1], labels[:, ::-1], height, width
        rects = rects[:, [1, 0, 3, 2]]
    return Result(
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        points=np.ascontiguousarray(points, np.float32),
        offsets=done.routes.offsets.astype(np.int32),
        labels=np.ascontiguousarray(labels, np.float32),
        group_rects=np.ascontiguousarray(rects, np.float32),
        width=float(width),
        height=float(height),
        engine=OwnEngine.name,
    )
