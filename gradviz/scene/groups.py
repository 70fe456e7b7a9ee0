"""Module groups: which box a node is drawn in, from the calls of its modules; runs of equal blocks as stacks.

A group is one CALL of a module, not the module: a call covers an unbroken stretch of the forward pass, so folding it
can't make a cycle; a cell that is called in a loop would.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from gradviz.scene.atoms import Atoms
from gradviz.scene.model import Ints
from gradviz.trace.graph import PassGraph
from gradviz.trace.model import Module, ModuleCall
from gradviz.trace.reader import Trace

READABLE = 60  # boxes that a fresh graph may open with
SHORTEST_STACK = 3
FEW = 6  # boxes; a picture of so few says nothing


@dataclass(frozen=True)
class Group:
    """One call of a module, or (no `call`) a stack of equal calls. `parent` is a place in the tree, -1 at the top."""

    key: str
    path: str
    title: str
    class_name: str
    parent: int
    call: ModuleCall | None
    module: Module | None
    children: tuple[int, ...] = ()  # of a stack, in the order of forward
    shapes: str = ""  # in → out, where no call tells them
    is_code: bool = False  # a loop of the script's, a round of it, a call, a section: `path` is no module's
    rounds: int = 0  # of a stack whose rounds are a node each, and have no groups of their own

    @property
    def copies(self) -> int:
        """How many equal things a stack stands for; 0 where it is none."""
        return len(self.children) or self.rounds


@dataclass(frozen=True)
class Tree:
    """All groups, parents before children, and the innermost group of each atom (-1)."""

    groups: tuple[Group, ...]
    of_atom: Ints

    def depths(self) -> list[int]:
        found: list[int] = []
        for group in self.groups:
            found.append(0 if group.parent < 0 else found[group.parent] + 1)
        return found


def no_groups(atoms: Atoms) -> Tree:
    return Tree((), np.full(len(atoms), -1, np.int32))


def build_tree(trace: Trace, graph: PassGraph, atoms: Atoms) -> Tree:
    """The tree of all module calls that have a node in this graph."""
    calls = _calls_up(trace, np.unique(atoms.call[atoms.call >= 0]).tolist())
    if not calls:
        return no_groups(atoms)
    modules = trace.modules()
    calls = _worth_a_frame(calls, graph, atoms)
    if not calls:
        return no_groups(atoms)
    order = sorted(calls)  # a parent's number is lower than its children's
    signature, rank_low, rank_high, members = _measure(trace, graph, atoms, calls)
    place: dict[int, int] = {}
    groups: list[Group] = []
    stacks = _stacks(calls, order, signature, rank_low, rank_high, members)
    stack_place: dict[int, int] = {}
    seen: dict[str, int] = {}
    for number in order:
        call = calls[number]
        module = modules[call.module] if 0 <= call.module < len(modules) else None
        path = module.path if module is not None else ""
        occurrence = seen[path] = seen.get(path, -1) + 1
        parent = place.get(call.parent, -1)
        run = stacks.get(number)
        if run is not None:
            if run[0] not in stack_place:
                stack_place[run[0]] = len(groups)
                groups.append(_stack(run, calls, modules, parent, groups))
            parent = stack_place[run[0]]
        place[number] = len(groups)
        groups.append(
            Group(f"{path}#{occurrence}", path, _title(module, parent, groups), _class(module), parent, call, module)
        )
    for first, at in stack_place.items():
        old = groups[at]
        groups[at] = Group(
            old.key, old.path, old.title, old.class_name, old.parent, None, None, tuple(place[n] for n in stacks[first])
        )
    lookup = np.full(int(atoms.call.max()) + 2, -1, np.int32)
    for number in np.unique(atoms.call[atoms.call >= 0]).tolist():
        lookup[number] = place.get(_nearest(trace, number, place), -1)
    return Tree(tuple(groups), lookup[atoms.call])  # call -1 looks up the last entry: none


def auto_open(tree: Tree, readable: int = READABLE) -> frozenset[str]:
    """Groups that a fresh graph shows open: down to the deepest level at which all its boxes can be read.

    Stacks of equal blocks stay folded unless all there is can be read at once, or next to nothing else is there.
    """
    if not tree.groups:
        return frozenset()
    if len(tree.of_atom) <= readable:
        return frozenset(group.key for group in tree.groups)
    # What lies in a stack counts as the stack itself.
    shown: list[int] = []
    for at, group in enumerate(tree.groups):
        above = shown[group.parent] if group.parent >= 0 else -1
        in_stack = above >= 0 and tree.groups[above].copies > 0
        shown.append(above if in_stack else at)
    depth = np.array(tree.depths(), np.int64)
    stack = np.array([group.copies > 0 for group in tree.groups])
    seen = np.array(shown)[tree.of_atom]
    loose = tree.of_atom < 0
    of_atom = np.where(loose, -1, np.where(stack[seen], np.iinfo(np.int64).max, depth[seen]))
    own = np.array(shown) == np.arange(len(shown))
    best = 0
    for level in range(int(depth.max()) + 2):
        folded = own & ((depth == level) | (stack & (depth < level)))
        if int(np.count_nonzero(of_atom < level)) + int(np.count_nonzero(folded)) <= readable:
            best = level
    opened = zip(tree.groups, depth.tolist(), own.tolist(), stack.tolist())
    found = {group.key for group, at, mine, folded in opened if mine and not folded and at < best}
    folded = own & ((depth == best) | (stack & (depth < best)))
    boxes = int(np.count_nonzero(of_atom < best)) + int(np.count_nonzero(folded))
    if boxes <= FEW:
        found |= _widest_that_fits(tree, np.flatnonzero(folded & stack).tolist(), readable - boxes)
    return frozenset(found)


def _widest_that_fits(tree: Tree, stacks: list[int], room: int) -> set[str]:
    """The stack of most copies that can be opened with that many boxes more."""
    fitting = [at for at in stacks if tree.groups[at].copies <= room]
    return {max((tree.groups[at] for at in fitting), key=lambda group: group.copies).key} if fitting else set()


def folded_into(tree: Tree, opened: frozenset[str]) -> Ints:
    """(groups,) the outermost folded group that each group lies in, itself included; -1 where all round it is open."""
    found = np.full(len(tree.groups), -1, np.int32)
    for at, group in enumerate(tree.groups):
        above = found[group.parent] if group.parent >= 0 else -1
        found[at] = above if above >= 0 else (-1 if group.key in opened else at)
    return found


def _nearest(trace: Trace, number: int, kept: Container[int]) -> int:
    """The nearest call round `number`, itself included, that is kept; -1 none."""
    while number >= 0 and number not in kept:
        call = trace.call(number)
        number = call.parent if call is not None and call.parent < number else -1
    return number


def _calls_up(trace: Trace, numbers: list[int]) -> dict[int, ModuleCall]:
    found: dict[int, ModuleCall] = {}
    for number in numbers:
        at = number
        while at >= 0 and at not in found:
            call = trace.call(at)
            if call is None or call.parent >= at:
                break
            found[at] = call
            at = call.parent
    return found


def _worth_a_frame(calls: dict[int, ModuleCall], graph: PassGraph, atoms: Atoms) -> dict[int, ModuleCall]:
    """A frame round one node says nothing, nor does one round all of a small model."""
    members = dict.fromkeys(calls, 0)
    for number, count in zip(*(part.tolist() for part in np.unique(atoms.call, return_counts=True))):
        while number in calls:
            members[number] += count
            number = calls[number].parent
    top = [number for number, call in calls.items() if call.parent not in calls]
    if len(top) == 1 and (len(calls) > 1 or members[top[0]] <= READABLE):
        members[top[0]] = 0
    kept: dict[int, ModuleCall] = {}
    for number in sorted(calls):
        if members[number] < 2:
            continue
        call = calls[number]
        parent = call.parent
        while parent in calls and parent not in kept:
            parent = calls[parent].parent
        kept[number] = call if parent == call.parent else replace(call, parent=parent)
    return kept


def _measure(
    trace: Trace, graph: PassGraph, atoms: Atoms, calls: dict[int, ModuleCall]
) -> tuple[dict[int, int], dict[int, int], dict[int, int], dict[int, int]]:
    """Per call, its subtree's structure as a hash, lowest and highest rank in the forward pass, and number of nodes."""
    signature: dict[int, int] = dict.fromkeys(calls, 0)
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    members: dict[int, int] = dict.fromkeys(calls, 0)
    inner = np.flatnonzero(~atoms.leaf[: len(graph)])
    order = inner[np.argsort(graph.seq[inner], kind="stable")]
    first_spec = np.where(
        graph.expected_end > graph.expected_start,
        np.append(graph.expected_spec, -1)[np.minimum(graph.expected_start, len(graph.expected_spec))],
        -1,
    )
    nearest = {number: _nearest(trace, number, calls) for number in np.unique(graph.call[order]).tolist()}
    rows = zip(graph.call[order].tolist(), graph.name[order].tolist(), first_spec[order].tolist())
    for rank, (number, name, spec) in enumerate(rows):
        number = nearest[number]
        while number in calls:
            signature[number] = hash((signature[number], name, spec))
            low.setdefault(number, rank)
            high[number] = rank
            members[number] += 1
            number = calls[number].parent
    return signature, low, high, members


def _stacks(
    calls: dict[int, ModuleCall],
    order: list[int],
    signature: dict[int, int],
    low: dict[int, int],
    high: dict[int, int],
    members: dict[int, int],
) -> dict[int, tuple[int, ...]]:
    """Call -> the run of equal sibling calls that it belongs to; only runs with nothing foreign in between."""
    siblings: dict[int, list[int]] = {}
    for number in order:
        parent = calls[number].parent
        siblings.setdefault(parent if parent in calls else -1, []).append(number)
    found: dict[int, tuple[int, ...]] = {}
    for row in siblings.values():
        run: list[int] = []
        for number in [*row, -1]:
            joined = (
                number >= 0
                and bool(run)
                and members[number] > 1
                and signature[number] == signature[run[0]]
                and low.get(number, -1) == high.get(run[-1], -3) + 1
            )
            if not joined:
                if len(run) >= SHORTEST_STACK:
                    found.update(dict.fromkeys(run, tuple(run)))
                run = []
            run.append(number)
    return found


def _stack(
    run: tuple[int, ...], calls: dict[int, ModuleCall], modules: tuple[Module, ...], parent: int, groups: list[Group]
) -> Group:
    ends = [modules[calls[number].module] for number in (run[0], run[-1])]
    first, last = (_title(module, parent, groups) for module in ends)
    title = f"{first} – {last}" if first != last else first
    return Group(
        f"{ends[0].path}…{ends[1].path}#stack{run[0]}", ends[0].path, title, ends[0].class_name, parent, None, None
    )


def _title(module: Module | None, parent: int, groups: list[Group]) -> str:
    if module is None:
        return "module"
    return _relative(module.path, parent, groups) or module.root_name or module.class_name


def _relative(path: str, parent: int, groups: list[Group]) -> str:
    """The path without what the nearest surrounding module already says."""
    while parent >= 0:
        above = groups[parent]
        if above.call is not None and above.path and path.startswith(above.path + "."):
            return path[len(above.path) + 1 :]
        parent = above.parent
    return path


def _class(module: Module | None) -> str:
    return module.class_name if module is not None else ""
