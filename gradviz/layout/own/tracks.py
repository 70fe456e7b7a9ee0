"""Parallel tracks for the lines in a channel, so that lines don't lie on each other and cross as little as can be.

A net is a stretch [low, high] along the channel with stubs that leave it to the near side (towards track 0) and to the
far one. The same serves gaps between layers (stretches along x, near = up) and lanes between columns (stretches along
y, near = left).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from heapq import heappop, heappush

_CAREFUL = 28  # nets up to which every pair is weighed
_MARGIN = 6.0  # between two stretches on the same track
_MOVES = 40  # of single nets in one channel
_MOST = 24  # tracks in one gap; beyond, lines share


@dataclass
class Net:
    near: list[float] = field(default_factory=list)
    far: list[float] = field(default_factory=list)
    track: int = 0  # once that is known

    @property
    def low(self) -> float:
        return min(self.near + self.far)

    @property
    def high(self) -> float:
        return max(self.near + self.far)


@dataclass(frozen=True)
class _Stretch:
    low: float
    high: float
    near: list[float]
    far: list[float]
    index: int


def assign(nets: list[Net], careful_only: bool = False) -> list[int]:
    """The track of each net, from the near side; empty where `careful_only` and there are too many to be careful."""
    if len(nets) == 1:
        return [0]
    stretches = [_Stretch(net.low, net.high, sorted(net.near), sorted(net.far), i) for i, net in enumerate(nets)]
    tracks = [0] * len(nets)
    if len(nets) > _CAREFUL:
        if careful_only:
            return []
        for i, track in _many(stretches):
            tracks[i] = track
        return tracks
    placed: list[tuple[_Stretch, int]] = []
    for one in _sorted(stretches):
        track = max([t + 1 for other, t in placed if _overlap(one, other)], default=0)
        placed.append((one, track))
        tracks[one.index] = track
    return tracks


def _overlap(a: _Stretch, b: _Stretch) -> bool:
    return a.low < b.high + _MARGIN and b.low < a.high + _MARGIN


def _cost(a: _Stretch, b: _Stretch) -> int:
    """Crossings where a lies nearer than b; stubs that would lie on each other count several."""
    cost = 0
    for x in a.far:
        if b.low < x < b.high:
            cost += 1
        for y in b.near:
            if abs(x - y) < _MARGIN / 2:
                cost += 4
    for y in b.near:
        if a.low < y < a.high:
            cost += 1
    return cost


def _sorted(stretches: list[_Stretch]) -> list[_Stretch]:
    """Exchanges of neighbours while that costs less; then, where it could cost still less, moves by any distance."""
    order = sorted(stretches, key=lambda s: (s.low, s.high, s.index))
    cost = {(a.index, b.index): _cost(a, b) for a in order for b in order if a.index != b.index and _overlap(a, b)}
    for _ in range(len(order)):
        changed = False
        for i in range(len(order) - 1):
            pair = (order[i].index, order[i + 1].index)
            if pair in cost and cost[pair[::-1]] < cost[pair]:
                order[i], order[i + 1] = order[i + 1], order[i]
                changed = True
        if not changed:
            break
    least = sum(min(value, cost[b, a]) for (a, b), value in cost.items() if a < b)
    for _ in range(_MOVES):
        now = sum(cost.get((a.index, b.index), 0) for i, a in enumerate(order) for b in order[i + 1 :])
        if now <= least or not _move_one(order, cost):
            break
    return order


def _move_one(order: list[_Stretch], cost: dict[tuple[int, int], int]) -> bool:
    """Take one stretch to where it costs less; False where none gains."""
    for i, one in enumerate(order):
        best, where = 0, i
        for step in (-1, 1):
            gain, j = 0, i + step
            while 0 <= j < len(order):
                pair = (one.index, order[j].index) if step > 0 else (order[j].index, one.index)
                gain += cost.get(pair, 0) - cost.get(pair[::-1], 0)
                if gain > best:
                    best, where = gain, j
                j += step
        if where != i:
            order.insert(where, order.pop(i))
            return True
    return False


def _many(stretches: list[_Stretch]) -> list[tuple[int, int]]:
    """A crowd: those that lead right from the right, those that lead left from the left, on tracks of their own."""
    rightward = [s for s in stretches if _leads_right(s)]
    leftward = [s for s in stretches if not _leads_right(s)]
    result: list[tuple[int, int]] = []
    base = 0
    for group, mirror in ((rightward, False), (leftward, True)):
        ends: list[float] = []  # per track, where its last stretch begins, seen from the right (or left)
        for s in sorted(group, key=lambda s: (s.high, -s.index) if mirror else (-s.low, s.index)):
            begin, end = (-s.high, -s.low) if mirror else (s.low, s.high)
            track = 0
            for t in range(len(ends) - 1, -1, -1):
                if ends[t] < end + _MARGIN:
                    track = t + 1
                    break
            if track == len(ends) and len(ends) < _MOST // 2:
                ends.append(begin)
            track = min(track, len(ends) - 1)
            ends[track] = min(ends[track], begin)
            result.append((s.index, base + track))
        base += len(ends)
    return result


def _leads_right(s: _Stretch) -> bool:
    return bool(s.near) and (not s.far or s.near[0] - s.low < s.high - s.near[-1])


def pack(spans: list[tuple[float, float]]) -> list[int]:
    """Tracks for many stretches without regard to crossings: as few as can be."""
    order = sorted(range(len(spans)), key=lambda i: (spans[i], i))
    free: list[int] = []
    running: list[tuple[float, int]] = []
    tracks = [0] * len(spans)
    count = 0
    for i in order:
        low, high = spans[i]
        while running and running[0][0] + _MARGIN < low:
            heappush(free, heappop(running)[1])
        if free:
            tracks[i] = heappop(free)
        else:
            tracks[i] = count
            count += 1
        heappush(running, (high, tracks[i]))
    return tracks


def between(sorted_values: list[float], low: float, high: float) -> int:
    """How many of the values lie strictly between."""
    return max(0, bisect_left(sorted_values, high) - bisect_right(sorted_values, low))
