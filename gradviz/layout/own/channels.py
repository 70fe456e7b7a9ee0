"""The gaps between layers: which lines bend in them, on which tracks, and how high each gap gets.

Most gaps hold no line that bends, or a few with ends of their own: those are dealt with all at once, and gaps that
look alike only once. Where lines share a port or turn into a lane, the nets of a gap are put together one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.own.flat import FlatGraph, Style, beginnings
from gradviz.layout.own.lanes import Lanes, Trunk, gap_above, gap_below
from gradviz.layout.own.naming import Naming
from gradviz.layout.own.ports import Ports
from gradviz.layout.own.proper import Proper
from gradviz.layout.own.tracks import Net, assign

_STRAIGHT = 0.5  # px; less is no bend
_FIRST = 6.0  # from a gap's upper end to its first track where labels stand below the tracks
_PAD = 8.0  # above and below the tracks otherwise
_ALIKE = 1024  # parts of a px that two gaps may differ by and still be alike
_ALONE, _FROM_PORT, _TO_PORT, _INTO_LANE, _FROM_LANE, _BAND = range(6)  # kinds of nets


class Channels:
    """Tracks of all bent segments and of both ends of each lane edge, and the labels that stand in gaps.

    `x` holds all vertices' places in the whole drawing. Arrays by gap hold the gaps below the layers, the band above
    all columns and the gaps above the columns: as gaps above count down from -1, they and the band are found from the
    arrays' end.
    """

    def __init__(
        self, graph: FlatGraph, proper: Proper, ports: Ports, x: NDArray[np.float64], lanes: Lanes, style: Style
    ) -> None:
        self._graph, self._proper, self._ports, self._x, self._lanes = graph, proper, ports, x, lanes
        self._style = style
        arrays, columns = proper.arrays, proper.column[-1] + 1
        self.band = -1 - columns
        self.gaps = len(proper.column) + columns + 1
        self.top = x[arrays.upper] + ports.upper
        self.bottom = x[arrays.lower] + ports.lower
        self.bent = np.flatnonzero(np.abs(self.top - self.bottom) > _STRAIGHT)
        self.track = np.zeros(len(arrays.upper), np.int64)  # of each bent segment
        self.tracks = np.zeros(self.gaps, np.int64)  # number of tracks
        self.of_tail: dict[int, Net] = {}
        self.of_head: dict[int, Net] = {}
        self.of_band: dict[int, Net] = {}
        self._nets: dict[int, list[Net]] = {}
        self._shared: dict[tuple[int, int, int], Net] = {}
        self._depth = _depths(proper.column)
        self.names = Naming(graph, proper, ports, self.top, self.bottom, lanes, self.gaps)
        gap = arrays.layer[arrays.upper[self.bent]]
        special = self._special(gap)
        shared = special[gap]
        self._bend_alone(self.bent[~shared], gap[~shared])
        self._bend_shared(self.bent[shared].tolist())
        for e in proper.lanes:
            self._lane_edge(e)
        self._assign_shared()
        self.names.arrange(style.label_side)

    def _special(self, gap: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Gaps in which lines share a port or lead into lanes."""
        proper, arrays = self._proper, self._proper.arrays
        special = np.zeros(self.gaps, np.bool_)
        if not proper.lanes and not self._ports.bus_out and not self._ports.bus_in:
            return special
        bus_out, bus_in = np.zeros((2, len(arrays.layer)), np.bool_)
        bus_out[list(self._ports.bus_out)] = True
        bus_in[list(self._ports.bus_in)] = True
        special[gap[bus_out[arrays.upper[self.bent]] | bus_in[arrays.lower[self.bent]]]] = True
        for e in proper.lanes:
            special[gap_below(proper.layer[self._graph.tail[e]])] = True
            special[gap_above(proper.layer[self._graph.head[e]], proper.column)] = True
        return special

    def _bend_alone(self, bent: NDArray[np.int64], gap: NDArray[np.int64]) -> None:
        """Lines with ends of their own."""
        if not len(bent):
            return
        order = np.argsort(gap, kind="stable")
        bent, gap = bent[order], gap[order]
        begin = beginnings(gap)
        size = np.diff(np.append(begin, len(gap)))
        self.tracks[gap[begin]] = 1
        top, bottom = self.top[bent], self.bottom[bent]
        base = np.repeat(top[begin], size)
        looks = np.rint(np.stack([top - base, bottom - base], axis=1) * _ALIKE).astype(np.int64)
        shape, row = looks.tobytes(), looks.itemsize * 2
        known: dict[bytes, tuple[list[int], int]] = {}
        tracks: list[int] = []
        numbers: list[int] = []
        several = size > 1
        for first, count in zip(begin[several].tolist(), size[several].tolist(), strict=True):
            key = shape[row * first : row * (first + count)]
            found = known.get(key)
            if found is None:
                ends = zip(top[first : first + count].tolist(), bottom[first : first + count].tolist(), strict=True)
                its = assign([Net([near], [far]) for near, far in ends])
                found = known[key] = its, max(its) + 1
            tracks += found[0]
            numbers.append(found[1])
        self.track[bent[np.repeat(several, size)]] = tracks
        self.tracks[gap[begin[several]]] = numbers

    def _net(self, gap: int, kind: int, which: int) -> Net:
        """The net of one line, or of all that share a port."""
        key = (gap, kind, which)
        net = self._shared.get(key)
        if net is None:
            net = self._shared[key] = Net()
            self._nets.setdefault(gap, []).append(net)
        return net

    def _bend_shared(self, bent: list[int]) -> None:
        proper, ports = self._proper, self._ports
        self._of_segment: dict[int, Net] = {}
        for s in bent:
            a, b = proper.upper[s], proper.lower[s]
            gap = proper.layer[a]
            if a in ports.bus_out:
                net = self._net(gap, _FROM_PORT, a)
            elif b in ports.bus_in:
                net = self._net(gap, _TO_PORT, b)
            else:
                net = self._net(gap, _ALONE, s)
            net.near.append(float(self.top[s]))
            net.far.append(float(self.bottom[s]))
            self._of_segment[s] = net

    def _lane_edge(self, e: int) -> None:
        graph, proper, ports = self._graph, self._proper, self._ports
        a, b = graph.tail[e], graph.head[e]
        legs = self._lanes.legs[e]
        below, above = gap_below(proper.layer[a]), gap_above(proper.layer[b], proper.column)
        out, into = float(self._x[a]) + ports.lane_tail[e], float(self._x[b]) + ports.lane_head[e]
        # within a column an edge runs down its lane; to the band or to the head of the next column it mostly runs up
        same = proper.column[proper.layer[a]] == proper.column[proper.layer[b]]
        higher = above < 0 or self._depth[below] > self._depth[above]
        upward = len(legs) > 1 or (not same and higher)
        net = self._net(below, _FROM_PORT, a) if a in ports.bus_out else self._net(below, _INTO_LANE, e)
        net.near.append(out)
        (net.near if upward else net.far).append(legs[0].x)
        self.of_tail[e] = net
        net = self._net(above, _TO_PORT, b) if b in ports.bus_in else self._net(above, _FROM_LANE, e)
        net.far.append(into)
        (net.far if len(legs) == 1 and upward else net.near).append(legs[-1].x)
        self.of_head[e] = net
        if len(legs) > 1:
            net = self._net(self.band, _BAND, self._band_number(legs))
            net.far.extend((legs[0].x, legs[1].x))
            self.of_band[e] = net
        self.names.lane_edge(e, below, above, out, into)

    @staticmethod
    def _band_number(legs: list[Trunk]) -> int:
        """Edges that share a trunk share the band."""
        return legs[0].edges[0]

    def _assign_shared(self) -> None:
        for gap, nets in self._nets.items():
            tracks = assign(nets)
            self.tracks[gap] = max(tracks) + 1
            for net, track in zip(nets, tracks, strict=True):
                net.track = track
        for s, net in self._of_segment.items():
            self.track[s] = net.track

    def heights(self, least: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of all gaps; sets where in each the first track is, and the first row of labels."""
        count, rows = self.tracks, self.names.rows
        lines = (count - 1) * self._style.track
        named = rows > 0
        height = np.maximum(least, np.where(count > 0, 2 * _PAD + lines, 0.0))
        first = (height - lines) / 2
        bare = named & (count == 0)
        height[bare] = np.maximum(least, rows + 4)[bare]
        start = (height - rows) / 2
        both = named & (count > 0)
        after = _FIRST + lines + 1
        height[both] = np.maximum(least, after + rows)[both]
        start[both] = np.where(height > after + rows + 1, np.maximum(after, height - rows - 1), after)[both]
        first[both] = _FIRST
        self.first, self.start = first, start
        return height


def _depths(column: list[int]) -> list[int]:
    """How far down its column each layer is."""
    depths: list[int] = []
    for layer, of in enumerate(column):
        depths.append(depths[-1] + 1 if layer and column[layer - 1] == of else 0)
    return depths
