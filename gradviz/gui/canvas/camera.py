"""Where one looks from: pure arithmetic on `View`, without widgets."""

from __future__ import annotations

from dataclasses import replace

from gradviz.draw.nearby import Area
from gradviz.draw.view import View

CLOSEST = 4.0
READABLE = 0.55  # a graph that fits at this zoom opens fitted
NEAR = 0.8  # else it opens at this one
FIT_MARGIN = 24.0
STEP = 1.25


def fitted(area: Area, width: float, height: float, closest: float = 1.0) -> View:
    """All of `area` in the middle of a window of this size, enlarged to `closest` at most."""
    across, down = max(area[2] - area[0], 1.0), max(area[3] - area[1], 1.0)
    room_x, room_y = max(width - 2 * FIT_MARGIN, 40.0), max(height - 2 * FIT_MARGIN, 40.0)
    zoom = min(room_x / across, room_y / down, closest)
    return centred(View(0, 0, zoom, width, height), (area[0] + area[2]) / 2, (area[1] + area[3]) / 2)


def fitted_below(area: Area, width: float, height: float, room: float) -> View:
    """All of `area` below a strip of `room` px at the window's top."""
    below = fitted(area, width, height - room)
    return replace(below, y=below.y - room / below.zoom, height=height)


def centred(view: View, x: float, y: float) -> View:
    """The same zoom with the scene's (x, y) in the middle."""
    return replace(view, x=x - view.width / view.zoom / 2, y=y - view.height / view.zoom / 2)


def zoomed(view: View, factor: float, x: float, y: float, area: Area) -> View:
    """Zoom by a factor, with what is under the screen's (x, y) staying there."""
    smallest = min(fitted(area, view.width, view.height).zoom * 0.5, 0.5)
    zoom = min(max(view.zoom * factor, smallest), CLOSEST)
    scene_x, scene_y = view.x + x / view.zoom, view.y + y / view.zoom
    return kept_near(replace(view, zoom=zoom, x=scene_x - x / zoom, y=scene_y - y / zoom), area)


def panned(view: View, dx: float, dy: float, area: Area) -> View:
    """Moved by screen px."""
    return kept_near(replace(view, x=view.x - dx / view.zoom, y=view.y - dy / view.zoom), area)


def resized(view: View, width: float, height: float) -> View:
    """A window of another size on the same middle."""
    x, y = view.x + view.width / view.zoom / 2, view.y + view.height / view.zoom / 2
    return centred(replace(view, width=width, height=height), x, y)


def kept_near(view: View, area: Area) -> View:
    """Never so far away that nothing of the graph is in sight."""
    edge = 40.0 / view.zoom
    x = min(max(view.x, area[0] - view.width / view.zoom + edge), area[2] - edge)
    y = min(max(view.y, area[1] - view.height / view.zoom + edge), area[3] - edge)
    return replace(view, x=x, y=y)


def filled(view: View, area: Area) -> View:
    """Moved so that no room is wasted beyond the graph's borders, where the graph is larger than the window."""
    edge = FIT_MARGIN / view.zoom

    def inside(at: float, low: float, high: float, room: float) -> float:
        if high - low + 2 * edge <= room:
            return at
        return min(max(at, low - edge), high + edge - room)

    x = inside(view.x, area[0], area[2], view.width / view.zoom)
    y = inside(view.y, area[1], area[3], view.height / view.zoom)
    return kept_near(replace(view, x=x, y=y), area)


def opening(area: Area, width: float, height: float, focus: tuple[float, float] | None) -> View:
    """How a fresh graph is shown: all of it where it can be read, else at 80 % round what matters (or its top)."""
    whole = fitted(area, width, height)
    if whole.zoom >= READABLE:
        return whole
    near = View(0, 0, NEAR, width, height)
    if focus is not None:
        return filled(centred(near, *focus), area)
    top = centred(near, (area[0] + area[2]) / 2, area[1])
    return kept_near(replace(top, y=area[1] - FIT_MARGIN / near.zoom), area)


def on_group(view: View, area: Area, hidden: float = 0.0) -> View:
    """A group in the middle, at the same zoom if that does; where it can't be read as a whole, its upper left.

    `hidden`: so many px at the window's right something else lies over; left of it, if there is room.
    """
    if hidden:
        beside = on_group(replace(view, width=view.width - hidden), area)
        if fits(beside, area):
            return replace(beside, width=view.width)
    same = centred(view, (area[0] + area[2]) / 2, (area[1] + area[3]) / 2)
    if fits(same, area) and view.zoom >= READABLE:
        return same
    whole = fitted(area, view.width, view.height)
    if whole.zoom >= READABLE:
        return whole
    edge = FIT_MARGIN / READABLE
    near = centred(replace(view, zoom=READABLE), (area[0] + area[2]) / 2, (area[1] + area[3]) / 2)
    across, down = view.width / READABLE, view.height / READABLE
    x = near.x if area[2] - area[0] + 2 * edge <= across else area[0] - edge
    y = near.y if area[3] - area[1] + 2 * edge <= down else area[1] - edge
    return replace(near, x=x, y=y)


def in_middle(view: View, x: float, y: float, part: float = 0.6) -> bool:
    """Whether the scene's point is within the middle part of the window."""
    across, down = (x - view.x) * view.zoom / view.width, (y - view.y) * view.zoom / view.height
    low, high = (1 - part) / 2, (1 + part) / 2
    return low <= across <= high and low <= down <= high


def between(one: View, other: View, part: float) -> View:
    """On the way from one place to another."""
    return replace(other, x=one.x + (other.x - one.x) * part, y=one.y + (other.y - one.y) * part)


def has_room(view: View, area: Area) -> bool:
    """Whether a part of the graph could be seen as a whole at this zoom, with some room round it."""
    across, down = (area[2] - area[0]) * view.zoom, (area[3] - area[1]) * view.zoom
    return across + 2 * FIT_MARGIN <= view.width and down + 2 * FIT_MARGIN <= view.height


def fits(view: View, area: Area) -> bool:
    """Whether all of the graph is in sight."""
    left, top, right, bottom = view.area()
    return left <= area[0] and top <= area[1] and right >= area[2] and bottom >= area[3]
