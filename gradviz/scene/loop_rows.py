"""What stands side by side in the forward pass, group by group, and which stretches of it a loop made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.groups import Tree
from gradviz.scene.loop_lines import LoopFinder
from gradviz.scene.model import Ints
from gradviz.scene.repeats import SHORTEST, Stretch, stretches
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Stack
from gradviz.trace.reader import Trace

DEEPEST = 8  # loops in loops


@dataclass(frozen=True)
class Loop:
    """A stretch of equal rounds."""

    token: int
    rounds: tuple[tuple[Thing, ...], ...]
    size: int  # nodes in it


Thing = int | Loop  # what stands side by side: a node, ~a group of the tree as it was, a loop found earlier


class Rows:
    """Per group (-1: the whole) its loose nodes and child groups, `of[group]`, in the order of the forward pass."""

    def __init__(self, trace: Trace, graph: PassGraph, tree: Tree, order: Ints, finder: LoopFinder) -> None:
        self._finder = finder
        self.trace, self.graph, self.tree = trace, graph, tree
        self.of: dict[int, list[Thing]] = {}
        self._inside: dict[int, list[int]] = {}  # group -> its nodes, children's included
        stack, token = self._of_nodes(order)
        self._stack: list[int] = stack.tolist()
        self._token: list[int] = token.tolist()
        self._group_token: dict[int, int] = {}
        self._frames: dict[int, Stack] = {}
        parents = [group.parent for group in tree.groups]
        for node, group in zip(order.tolist(), tree.of_atom[order].tolist()):
            self.of.setdefault(group, []).append(node)
            while group >= 0:
                members = self._inside.get(group)
                if members is None:
                    members = self._inside[group] = []
                    self.of.setdefault(parents[group], []).append(~group)
                members.append(node)
                group = parents[group]

    def _of_nodes(self, order: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per node the number of its op's stack, and a number that the same line's like nodes share.

        A node of which no line is known is like none: nothing says that a loop made it.
        """
        graph = self.graph
        numbers, stacks = self.trace.op_stacks()
        at = np.clip(np.searchsorted(numbers, graph.op[order]), 0, max(len(numbers) - 1, 0))
        stack = np.full(len(graph), -1, np.int64)
        if len(numbers):
            stack[order] = np.where(numbers[at] == graph.op[order], stacks[at], -1)
        first = np.minimum(graph.expected_start[order], len(graph.expected_spec))
        spec = np.append(graph.expected_spec, -1)[first]
        token: NDArray[np.int64] = stack[order]
        for column in (graph.name[order], spec):
            token = np.unique(token * (int(column.max(initial=0)) + 2) + column + 1, return_inverse=True)[1].reshape(-1)
        found = np.zeros(len(graph), np.int64)
        found[order] = np.where(stack[order] < 0, len(order) + order, token)
        return stack, found

    def token(self, thing: Thing) -> int:
        """Equal for what the same lines made alike."""
        if isinstance(thing, Loop):
            return thing.token
        if thing >= 0:
            return self._token[thing]
        group = ~thing
        found = self._group_token.get(group)
        if found is None:
            # A stack of equal modules is what it is: a loop of its own.
            alone = group if self.tree.groups[group].copies else -1
            members = self._inside[group]
            found = hash((*(self._token[node] for node in members), self.stack(thing), alone))
            self._group_token[group] = found
        return found

    def stack(self, thing: Thing) -> Stack:
        """The user's frames that made it, or its first node."""
        if isinstance(thing, Loop):
            return self.stack(thing.rounds[0][0])
        if thing < 0:
            call = self.tree.groups[~thing].call
            return call.stack if call is not None else ()
        number = self._stack[thing]
        found = self._frames.get(number)
        if found is None:
            found = self._frames[number] = self.trace.stack(number)
        return found

    def stack_number(self, node: int) -> int:
        """Of the user's frames that made the node, -1 unknown."""
        return self._stack[node]

    def size(self, thing: Thing) -> int:
        if isinstance(thing, Loop):
            return thing.size
        return 1 if thing >= 0 else len(self._inside[~thing])

    def nodes(self, things: Sequence[Thing]) -> Iterator[int]:
        """All nodes in these, in order."""
        for thing in things:
            if isinstance(thing, Loop):
                for one in thing.rounds:
                    yield from self.nodes(one)
            elif thing >= 0:
                yield thing
            else:
                yield from self._inside[~thing]

    def folded(self, things: list[Thing]) -> list[Thing]:
        """The row with each loop in it as one thing, and again, until there is none."""
        for _ in range(DEEPEST):
            if len(things) < SHORTEST:
                break
            tokens = np.array([self.token(thing) for thing in things], np.int64)
            found = stretches(tokens, fits=partial(self._holds_rounds, things))
            if not found:
                break
            things = self._fold(things, found)
        return things

    def _fold(self, things: list[Thing], found: list[Stretch]) -> list[Thing]:
        row: list[Thing] = []
        at = 0
        for stretch in sorted(found, key=lambda each: each.start):
            start = self._beginning(things, stretch)
            row += things[at:start]
            at = start + (stretch.end - start) // stretch.period * stretch.period
            rounds = tuple(tuple(things[low : low + stretch.period]) for low in range(start, at, stretch.period))
            token = hash(("loop", *(self.token(thing) for thing in rounds[0])))
            row.append(Loop(token, rounds, sum(map(self.size, things[start:at]))))
        return row + things[at:]

    def _holds_rounds(self, things: list[Thing], stretch: Stretch) -> bool:
        """Whether there are enough whole rounds in it."""
        return stretch.end - self._beginning(things, stretch) >= SHORTEST * stretch.period

    def _beginning(self, things: list[Thing], stretch: Stretch) -> int:
        """Where the first whole round begins: at what the code comes to first. What stands before that, and what is
        left behind the last, belongs to rounds that aren't whole, or are others.
        """
        places = [
            self._finder.reached(self.stack(thing)) for thing in things[stretch.start : stretch.start + stretch.period]
        ]
        return stretch.start + places.index(min(places))
