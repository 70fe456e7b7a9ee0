"""Groups for unrolled loops: a stretch of the forward pass that the same lines made again and again is one stack ×n.

An iteration is, as a module call is, an unbroken stretch of the forward pass, so that folding it can't make a cycle.
Loops in loops are found from the inside outwards: what an inner loop made counts as one thing in the outer one, however
often it ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradviz.scene.atoms import Atoms
from gradviz.scene.groups import Group, Tree
from gradviz.scene.loop_lines import LoopFinder, LoopLines
from gradviz.scene.loop_rounds import Rounds, Span
from gradviz.scene.loop_rows import Loop, Rows, Thing
from gradviz.scene.model import Ints
from gradviz.scene.tree_order import forward_order, line_span, sorted_tree, with_leaves
from gradviz.scene.wording import Wording
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Stack
from gradviz.trace.reader import Trace

MANY = 8  # rounds of one node each that are a stack; fewer can be looked at


def with_loops(trace: Trace, graph: PassGraph, atoms: Atoms, tree: Tree, wording: Wording) -> Tree:
    """The tree with the loops in it. A graph that can be read as it is, or of several threads, is left alone."""
    order = forward_order(graph, atoms)
    if order is None:
        return tree
    finder = LoopFinder(trace)
    row = Rows(trace, graph, tree, order, finder)
    forest = _Forest(row, finder, wording)
    for parent, things in row.of.items():
        if parent >= 0 and tree.groups[parent].copies:  # a stack of equal modules stands for its loop already
            continue
        forest.plant_all(row.folded(things), parent)
    if len(forest.groups) == len(tree.groups):
        return tree
    return sorted_tree(forest.groups, with_leaves(forest.of_node, atoms, tree))


class _Forest:
    """The groups that are being made: the tree's own first, then the loops'."""

    def __init__(self, row: Rows, finder: LoopFinder, wording: Wording) -> None:
        graph = row.graph
        self.groups = list(row.tree.groups)
        self.of_node: Ints = row.tree.of_atom[: len(graph)].copy()
        self._row, self._graph, self._wording = row, graph, wording
        self._finder, self._rounds = finder, Rounds(row, finder)
        self._count: dict[str, int] = {}

    def plant_all(self, things: Sequence[Thing], parent: int) -> None:
        """The loops among things that stand side by side."""
        loops = [thing for thing in things if isinstance(thing, Loop)]
        spans = self._rounds.spans(things) if loops else {}
        for at, thing in enumerate(things):
            if isinstance(thing, Loop):
                self.plant(thing, parent, spans.get(at))

    def plant(self, loop: Loop, parent: int, span: Span | None) -> None:
        """The groups of a loop and of its iterations, with what is in them.

        None where few iterations are one box each, or one call made them that no loop of the script's is in; nor where
        one line may hold equal calls side by side: before Python 3.11 nothing tells them apart.
        """
        stacks = [self._row.stack(thing) for thing in loop.rounds[0]]
        lines = self._finder.enclosing(stacks)
        single = loop.size < 2 * len(loop.rounds)
        branches = lines is not None and self._finder.enclosing(self._within_call(loop, parent)) is None
        if branches:
            lines, span = None, None
        if ((single or branches) and len(loop.rounds) < MANY) or (lines is None and not _exact(stacks)):
            for one in loop.rounds:
                self._place(one, parent)
            return
        first, last = line_span(stacks)
        where = self._wording.lines.format(first=first, last=last) if last > first else self._wording.at_line(first)
        each = self._rounds_in(loop.rounds[0], lines)
        if each > 1:
            where = self._wording.rounds_each.format(where=where, count=each)
        key = f"loop {first}-{last}"
        occurrence = self._count[key] = self._count.get(key, -1) + 1
        key = f"{key}#{occurrence}"
        at = len(self.groups)
        title, more = (lines.text, where) if lines is not None else (where, "")
        if span is not None and span.partial:
            title = self._wording.rounds_of.format(first=span.first, last=span.last, loop=title)
        self.groups.append(Group(key, key, title, more, parent, None, None, is_code=True))
        if single:
            self._plant_single(loop, at)
            return
        begin = span.first if span is not None else 1
        children: list[int] = []
        for number, one in enumerate(loop.rounds, 1):
            children.append(len(self.groups))
            name, inner = self._name(number, each, begin), f"{key}/{number}"
            self.groups.append(Group(inner, inner, name, "", at, None, None, is_code=True))
            self._place(one, children[-1])
        self.groups[at] = replace(self.groups[at], children=tuple(children))

    def _within_call(self, loop: Loop, parent: int) -> list[Stack]:
        """The first round's frames inside the module call that all rounds stand in: that call is one round of a loop
        around it.
        """
        stacks = [self._row.stack(thing) for thing in loop.rounds[0]]
        calls = {int(self._graph.call[node]) for node in self._row.nodes((*loop.rounds[0], *loop.rounds[-1]))}
        call = self._row.trace.call(calls.pop()) if len(calls) == 1 and min(calls) >= 0 else None
        while call is None and parent >= 0:  # of several calls that are further in
            call, parent = self.groups[parent].call, self.groups[parent].parent
        outer = call.stack if call is not None else ()
        if not outer or any(stack[-len(outer) :] != outer for stack in stacks):
            return stacks
        return [stack[: -len(outer)] for stack in stacks]

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

    def _plant_single(self, loop: Loop, at: int) -> None:
        """Rounds that are one node each: opened, they stand side by side without frames of their own."""
        for one in loop.rounds:
            self._place(one, at)
        self.groups[at] = replace(self.groups[at], rounds=len(loop.rounds))

    def _name(self, number: int, each: int, begin: int) -> str:
        """`begin`: the number of the stack's first round in its loop."""
        if each == 1:
            return self._wording.iteration.format(number=begin + number - 1)
        first = begin + (number - 1) * each
        return self._wording.iterations.format(first=first, last=first + each - 1)

    def _place(self, things: tuple[Thing, ...], parent: int) -> None:
        self.plant_all(things, parent)
        for thing in things:
            if isinstance(thing, Loop):
                continue
            if thing >= 0:
                self.of_node[thing] = parent
            else:
                self.groups[~thing] = replace(self.groups[~thing], parent=parent)


def _exact(stacks: Sequence[Stack]) -> bool:
    """Whether columns tell the calls of one line apart."""
    return all(frame.column >= 0 for stack in stacks for frame in stack)
