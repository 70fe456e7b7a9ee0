"""The modules of a recording as a tree, each with its shapes, its parameters, the norm of their gradients in the pass
that is shown, and its worst finding. No Qt.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gradviz.diagnose.finding import Finding
from gradviz.document.leaf_gradients import Fate, leaf_gradients
from gradviz.document.module_calls import calls_of
from gradviz.document.module_forest import forest_of
from gradviz.document.pass_facts import PassFacts, spec_text
from gradviz.trace.model import Module
from gradviz.trace.reader import Trace

RANKS = {"error": 3, "warning": 2, "note": 1, "": 0}
NOTHING = -1  # in place of a fate: no parameters


@dataclass(frozen=True)
class Branch:
    """One module with all inside it. `norm` is over the gradients that were measured, None where none was."""

    module: Module
    name: str
    children: tuple[int, ...]  # ids
    shapes: str  # "[8, 64] → [8, 10]", of its first call in the pass; "" it made no node there
    calls: int  # in the pass
    own: int  # entries of the parameters that are its own
    tensors: int
    fates: tuple[int, ...]  # how many of the tensors, by Fate
    norm: float | None
    severity: str
    fate: Fate | None  # what is to be said of all of its gradients in one word; None without parameters


class ModuleTree:
    """Branches by module id; all figures are columns, and a branch is made when somebody asks."""

    def __init__(self, trace: Trace, facts: PassFacts | None) -> None:
        self._modules = trace.modules()
        self.forest = forest_of(trace)
        self._calls = calls_of(trace, facts.pass_id) if facts is not None else None
        self._by_path: dict[str, int] = {}
        for module in reversed(self._modules):
            self._by_path[module.path] = module.id
        self._sum_leaves(trace, facts)
        self._severity = [""] * len(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, number: int) -> Branch:
        module = self._modules[number]
        squares, fates = float(self.squares[number]), self.fates[number]
        measured = int(fates[Fate.MEASURED] + fates[Fate.ZERO])
        return Branch(
            module=module,
            name=self.name(module),
            children=self.forest.children[number],
            shapes=self.shapes(number),
            calls=int(self._calls.count[number]) if self._calls is not None else 0,
            own=int(self.own[number]),
            tensors=int(fates.sum()),
            fates=tuple(fates.tolist()),
            norm=math.sqrt(squares) if measured else None,
            severity=self._severity[number],
            fate=Fate(fate) if (fate := int(self.fate[number])) != NOTHING else None,
        )

    @property
    def roots(self) -> tuple[int, ...]:
        return self.forest.roots

    def module(self, number: int) -> Module:
        return self._modules[number]

    def number_of(self, path: str) -> int:
        """The first module with this path, -1 none."""
        return self._by_path.get(path, -1)

    def name(self, module: Module) -> str:
        """The last part of the path; of a numbered one with the part before ('layers.3'); of a root its variable."""
        if module.parent is None:
            return module.path or module.root_name or module.class_name
        parts = module.path.split(".")
        return ".".join(parts[-2:]) if parts[-1].isdigit() and len(parts) > 1 else parts[-1] or module.class_name

    def highest(self) -> float:
        """The least power of ten that no norm is above, from 10 on: where bars end."""
        largest = float(np.sqrt(self.squares.max(initial=0.0)))
        return 10.0 ** max(1, math.ceil(math.log10(largest))) if 0 < largest < math.inf else 10.0

    def shapes(self, number: int) -> str:
        if self._calls is None:
            return ""
        return " → ".join(spec_text(spec) for spec in self._calls.ends(number) if spec is not None)

    # -- building
    def _sum_leaves(self, trace: Trace, facts: PassFacts | None) -> None:
        """Own parameters, fates and squared norms of all gradients inside, per module."""
        leaves, count = trace.leaves(), len(self._modules)
        found = leaf_gradients(leaves, facts)
        owner = np.array([-1 if leaf.module is None else leaf.module for leaf in leaves], np.int64)
        held = np.flatnonzero((owner >= 0) & (owner < count))
        owner, fate = owner[held], found.fate[held]
        fates = np.zeros((count, len(Fate)), np.int64)
        np.add.at(fates, (owner, fate), 1)
        squares = np.zeros(count)
        known = fate == Fate.MEASURED
        np.add.at(squares, owner[known], found.norm[held][known] ** 2)
        own = np.zeros(count, np.int64)
        np.add.at(own, owner, found.entries[held])
        for number, inside in enumerate(self.forest.children):
            if not inside:  # of parameters that two modules share, only the first has the leaves
                own[number] = self._modules[number].parameters
        self.own, self.fates, self.squares = own, self.forest.summed(fates), self.forest.summed(squares)
        self.fate = _in_one_word(self.fates)

    def says_the_same(self, other: ModuleTree) -> bool:
        """Whether a person would see no difference: a recording grows at each step, and mostly not here."""
        mine, others = (one._calls.count if one._calls is not None else None for one in (self, other))
        return (
            self._modules == other._modules
            and self._severity == other._severity
            and (mine is others or (mine is not None and others is not None and np.array_equal(mine, others)))
            and np.array_equal(self.own, other.own)
            and np.array_equal(self.fates, other.fates)
            and np.array_equal(self.squares, other.squares, equal_nan=True)
        )

    def marked(self, findings: tuple[Finding, ...], facts: PassFacts) -> ModuleTree:
        """The same with the worst finding at a node of each module, told to all around it."""
        if self._calls is None or not findings:
            return self
        worst = [""] * len(self._modules)
        for finding in findings:
            if finding.pass_id not in (None, facts.pass_id):
                continue
            for mark in finding.marks:
                if not 0 <= mark.node < len(facts.graph):
                    continue
                at = int(self._calls.of_node[mark.node])
                while at >= 0:
                    if RANKS[finding.severity] > RANKS[worst[at]]:
                        worst[at] = finding.severity
                    at = int(self.forest.parent[at])
        marked = copy.copy(self)
        marked._severity = worst
        return marked

    @cached_property
    def texts(self) -> list[str]:
        """What a filter looks at of each module, in small letters."""
        return [f"{one.path} {self.name(one)} {one.class_name}".casefold() for one in self._modules]


def tree_of(facts: PassFacts) -> ModuleTree:
    """Of a pass, without findings; made once, until the recording grows."""
    trace = facts.trace
    return trace.kept(f"modules of pass {facts.pass_id}", lambda: ModuleTree(trace, facts))


def _in_one_word(fates: NDArray[np.int64]) -> NDArray[np.int64]:
    """(modules, fates) -> the fate that speaks for all tensors of a module, NOTHING where it has none."""
    tensors = fates.sum(axis=1)
    has = fates > 0
    return np.select(
        (
            tensors == 0,
            has[:, Fate.NAN],
            has[:, Fate.INFINITE],
            fates[:, Fate.FROZEN] == tensors,
            has[:, Fate.UNKNOWN],
            has[:, Fate.MEASURED],
            has[:, Fate.ZERO],
            has[:, Fate.MISSING],
        ),
        (
            NOTHING,
            Fate.NAN,
            Fate.INFINITE,
            Fate.FROZEN,
            Fate.UNKNOWN,
            Fate.MEASURED,
            Fate.ZERO,
            Fate.MISSING,
        ),
        Fate.ELSEWHERE,
    )
