"""Groups for unrolled loops: a stretch of the forward pass that the same lines made again and again is one stack ×n.

An iteration is, as a module call is, an unbroken stretch of the forward pass, so that folding it can't make a cycle.
Loops in loops are found from the inside outwards: what an inner loop made counts as one thing in the outer one, however
often it ran.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import READABLE, Group, Tree
from gradviz.scene.loop_lines import LoopFinder, LoopLines
from gradviz.scene.model import Ints
from gradviz.scene.repeats import SHORTEST, Stretch, stretches
from gradviz.scene.wording import Wording
from gradviz.scene.words import shape_text
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Spec, Stack
from gradviz.trace.reader import Trace

DEEPEST = 8  # loops in loops


@dataclass(frozen=True)
class Loop:
    """A stretch of equal rounds."""

    token: int
    rounds: tuple[tuple[Thing, ...], ...]
    size: int  # nodes in it


Thing = int | Loop  # what stands side by side: a node, ~a group of the tree as it was, a loop found earlier


def with_loops(trace: Trace, graph: PassGraph, atoms: Atoms, tree: Tree, wording: Wording) -> Tree:
    """The tree with the loops in it. A graph that can be read as it is, or of several threads, is left alone."""
    inner = np.flatnonzero(~atoms.leaf[: len(graph)])
    if len(atoms) <= READABLE or not len(inner) or len(np.unique(graph.thread[inner])) > 1:
        return tree
    order = inner[np.argsort(graph.seq[inner], kind="stable")].astype(np.int32)
    row = _Rows(trace, graph, tree, order)
    forest = _Forest(row, wording)
    for parent, things in row.of.items():
        if parent >= 0 and tree.groups[parent].children:  # a stack of equal modules stands for its loop already
            continue
        for thing in row.folded(things):
            if isinstance(thing, Loop):
                forest.plant(thing, parent)
    if len(forest.groups) == len(tree.groups):
        return tree
    return _sorted(forest.groups, _with_leaves(forest.of_node, atoms, tree))


class _Rows:
    """Per group (-1: the whole) its loose nodes and child groups, `of[group]`, in the order of the forward pass."""

    def __init__(self, trace: Trace, graph: PassGraph, tree: Tree, order: Ints) -> None:
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
            alone = group if self.tree.groups[group].children else -1
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
            found = stretches(np.array([self.token(thing) for thing in things], np.int64))
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

    def _beginning(self, things: list[Thing], stretch: Stretch) -> int:
        """Where the first whole round begins. Where rounds don't fill the stretch, one at its beginning or end is not
        whole: the first thing of a round is the one that the code comes to first.
        """
        left = (stretch.end - stretch.start) % stretch.period
        ends_whole = stretch.start + left
        if not left or _reached(self.stack(things[stretch.start])) <= _reached(self.stack(things[ends_whole])):
            return stretch.start
        return ends_whole


def _reached(stack: Stack) -> tuple[tuple[int, int, int, int], ...]:
    """Rises in the order in which the calls of a program are made: what ends first comes first, of those that end
    together the innermost.
    """
    return tuple((frame.end_line, frame.end_column, -frame.line, -frame.column) for frame in reversed(stack))


class _Forest:
    """The groups that are being made: the tree's own first, then the loops'."""

    def __init__(self, row: _Rows, wording: Wording) -> None:
        graph = row.graph
        self.groups = list(row.tree.groups)
        self.of_node: Ints = row.tree.of_atom[: len(graph)].copy()
        self._row, self._graph, self._wording = row, graph, wording
        self._finder = LoopFinder(row.trace)
        self._count: dict[str, int] = {}
        self._down, self._down_start = _by(graph.tail, len(graph))
        self._up, self._up_start = _by(graph.head, len(graph))

    def plant(self, loop: Loop, parent: int) -> None:
        """The groups of a loop and of its iterations, with what is in them.

        None where an iteration is one box, nor where one line may hold equal calls side by side: before Python 3.11
        nothing tells them apart.
        """
        stacks = [self._row.stack(thing) for thing in loop.rounds[0]]
        lines = self._finder.enclosing(stacks)
        if loop.size < 2 * len(loop.rounds) or (lines is None and not _exact(stacks)):
            for one in loop.rounds:
                self._place(one, parent)
            return
        first, last = _span(stacks)
        where = self._wording.lines.format(first=first, last=last) if last > first else self._wording.at_line(first)
        each = self._rounds_in(loop.rounds[0], lines)
        if each > 1:
            where = self._wording.rounds_each.format(where=where, count=each)
        key = f"loop {first}-{last}"
        occurrence = self._count[key] = self._count.get(key, -1) + 1
        key = f"{key}#{occurrence}"
        at = len(self.groups)
        title, more = (lines.text, where) if lines is not None else (where, "")
        self.groups.append(Group(key, key, title, more, parent, None, None, is_loop=True))
        children: list[int] = []
        # Equal rounds have equal ends, those excepted that have another before or behind them.
        shapes = [self._shapes(loop.rounds[at_end]) for at_end in (0, 1, -1)]
        for number, one in enumerate(loop.rounds, 1):
            children.append(len(self.groups))
            name, inner = self._name(number, each), f"{key}/{number}"
            ends = shapes[0 if number == 1 else 2 if number == len(loop.rounds) else 1]
            self.groups.append(Group(inner, inner, name, "", at, None, None, (), ends, is_loop=True))
            self._place(one, children[-1])
        self.groups[at] = replace(self.groups[at], children=tuple(children))

    def _rounds_in(self, things: Sequence[Thing], lines: LoopLines | None) -> int:
        """How many rounds of the script's loop these are: several where they alternate, and a call is met again that
        stands in no loop further inside.
        """
        tokens = [self._row.token(thing) for thing in things]
        most = 1
        for thing, count in {token: (thing, tokens.count(token)) for thing, token in zip(things, tokens)}.values():
            if count > most and lines is not None and self._finder.enclosing([self._row.stack(thing)]) == lines:
                most = count
        return most

    def _name(self, number: int, each: int) -> str:
        if each == 1:
            return self._wording.iteration.format(number=number)
        return self._wording.iterations.format(first=(number - 1) * each + 1, last=number * each)

    def _place(self, things: tuple[Thing, ...], parent: int) -> None:
        for thing in things:
            if isinstance(thing, Loop):
                self.plant(thing, parent)
            elif thing >= 0:
                self.of_node[thing] = parent
            else:
                self.groups[~thing] = replace(self.groups[~thing], parent=parent)

    def _shapes(self, things: tuple[Thing, ...]) -> str:
        """What an iteration takes over from before it and hands on: of several tensors the largest, as in forward."""
        graph = self._graph
        nodes = np.fromiter(self._row.nodes(things), np.int64)
        low, high = int(graph.seq[nodes].min()), int(graph.seq[nodes].max())
        heads = graph.head[_around(nodes, self._down, self._down_start)]
        tails = _around(nodes, self._up, self._up_start)
        before = heads[(graph.seq[heads] >= 0) & (graph.seq[heads] < low)]
        handed = graph.head[tails[graph.seq[graph.tail[tails]] > high]]
        last = nodes[graph.seq[nodes] == high]
        ends = [self._largest(before), self._largest(handed if len(handed) else last)]
        return " → ".join(end for end in ends if end)

    def _largest(self, nodes: NDArray[np.signedinteger]) -> str:
        best: Spec | None = None
        for node in np.unique(nodes).tolist():
            spec = self._spec(node)
            if spec is not None and (best is None or _entries(spec) >= _entries(best)):
                best = spec
        return shape_text(best.shape) if best is not None else ""

    def _spec(self, node: int) -> Spec | None:
        graph = self._graph
        start = int(graph.expected_start[node])
        inside = start < int(graph.expected_end[node])
        return self._row.trace.spec(int(graph.expected_spec[start])) if inside else None


def _by(ends: Ints, count: int) -> tuple[Ints, Ints]:
    """Edges in the order of the node at one end of them, and where each node's begin."""
    edges = np.argsort(ends, kind="stable").astype(np.int32)
    return edges, np.searchsorted(ends[edges], np.arange(count + 1)).astype(np.int32)


def _around(nodes: NDArray[np.int64], edges: Ints, start: Ints) -> Ints:
    """The edges that these nodes have on one side."""
    return np.concatenate([edges[start[node] : start[node + 1]] for node in nodes.tolist()])


def _entries(spec: Spec) -> int:
    return math.prod(size for size in spec.shape if isinstance(size, int))


def _exact(stacks: Sequence[Stack]) -> bool:
    """Whether columns tell the calls of one line apart."""
    return all(frame.column >= 0 for stack in stacks for frame in stack)


def _span(stacks: Sequence[Stack]) -> tuple[int, int]:
    """First and last line of an iteration, in the outermost frame in which its places differ."""
    outside_in = [stack[::-1] for stack in stacks if stack]
    if not outside_in:
        return 0, 0
    depth = 0
    shortest = min(map(len, outside_in))
    while depth < shortest - 1 and len({stack[depth] for stack in outside_in}) == 1:
        depth += 1
    return min(stack[depth].line for stack in outside_in), max(stack[depth].end_line for stack in outside_in)


def _with_leaves(of_node: Ints, atoms: Atoms, tree: Tree) -> Ints:
    """Leaves stand where their consumers do, as before."""
    of_atom: Ints = tree.of_atom.copy()
    inner = ~atoms.leaf[: len(of_node)]
    of_atom[: len(of_node)][inner] = of_node[inner]
    into = np.flatnonzero(atoms.leaf[atoms.head])
    leaf, consumer = atoms.head[into], atoms.tail[into]
    together = tree.of_atom[leaf] == tree.of_atom[consumer]
    of_atom[leaf[together]] = of_atom[consumer[together]]
    return of_atom


def _sorted(groups: list[Group], of_atom: Ints) -> Tree:
    """Parents before children again."""
    below: dict[int, list[int]] = {}
    for at, group in enumerate(groups):
        below.setdefault(group.parent, []).append(at)
    order: list[int] = []
    waiting = below.get(-1, [])[::-1]
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += below.get(at, [])[::-1]
    rank = np.full(len(groups) + 1, -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    moved = tuple(
        replace(
            groups[at],
            parent=int(rank[groups[at].parent]),
            children=tuple(int(rank[child]) for child in groups[at].children),
        )
        for at in order
    )
    return Tree(moved, rank[of_atom])
