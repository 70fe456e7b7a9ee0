"""The modules of a recording as a forest: who is inside whom, and sums over all that is inside, in columns. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.model import Module
from gradviz.trace.reader import Trace

Longs = NDArray[np.int64]
N = TypeVar("N", np.int64, np.float64)


class ModuleForest:
    """Ids are the modules' own. They come in any order: a child may have been called before its parent."""

    def __init__(self, modules: Sequence[Module]) -> None:
        children: dict[int, list[int]] = {}
        for module in modules:
            children.setdefault(-1 if module.parent is None else module.parent, []).append(module.id)
        self.parent: Longs = np.array([-1 if one.parent is None else one.parent for one in modules], np.int64)
        self.roots: tuple[int, ...] = tuple(children.get(-1, ()))
        self.children: tuple[tuple[int, ...], ...] = tuple(tuple(children.get(one.id, ())) for one in modules)
        self.order: Longs = np.array(self._ordered(), np.int64)  # parents first, what is inside a module in one piece
        self.place: Longs = np.empty(len(modules), np.int64)
        self.place[self.order] = np.arange(len(modules))
        self._depth = self._depths()
        self.end: Longs = self.place + self.summed(np.ones(len(modules), np.int64))

    def __len__(self) -> int:
        return len(self.parent)

    def inside(self, number: int) -> Longs:
        """A module and all below it."""
        return self.order[self.place[number] : self.end[number]]

    def summed(self, own: NDArray[N]) -> NDArray[N]:
        """(modules, ...) what each module has itself -> what it has with all below it. From the bottom up, not by
        differences: norms of gradients lie far apart.
        """
        total: NDArray[N] = own.copy()
        for depth in range(int(self._depth.max(initial=0)), 0, -1):
            level = np.flatnonzero(self._depth == depth)
            np.add.at(total, self.parent[level], total[level])
        return total

    def _ordered(self) -> list[int]:
        order: list[int] = []
        waiting = list(self.roots[::-1])
        while waiting:
            number = waiting.pop()
            order.append(number)
            waiting += self.children[number][::-1]
        return order

    def _depths(self) -> Longs:
        depth = np.zeros(len(self.parent), np.int64)
        level = np.array(self.roots, np.int64)
        at = 0
        while len(level):
            depth[level] = at
            level = np.array([child for number in level.tolist() for child in self.children[number]], np.int64)
            at += 1
        return depth


def forest_of(trace: Trace) -> ModuleForest:
    """Made once for a recording, until it grows."""
    return trace.kept("forest of modules", lambda: ModuleForest(trace.modules()))
