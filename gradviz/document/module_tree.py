"""The modules of a recording as a tree, each with the norm of its gradients and its worst finding. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gradviz.diagnose.finding import Finding
from gradviz.document.pass_facts import PassFacts
from gradviz.trace.model import Leaf, Module
from gradviz.trace.reader import Trace

RANKS = {"error": 3, "warning": 2, "note": 1, "": 0}


@dataclass(frozen=True)
class Branch:
    """One module. `norm` is over all parameters inside: −1 where none of them got a gradient, NaN where one is NaN or
    not known, None where it has no parameters. `missing` counts parameters without a gradient.
    """

    module: Module
    name: str
    children: tuple[int, ...]  # ids
    norm: float | None
    missing: int
    severity: str


class ModuleTree:
    """Branches by module id. Modules come in any order: a child may have been called before its parent."""

    def __init__(self, trace: Trace, findings: tuple[Finding, ...] = (), facts: PassFacts | None = None) -> None:
        self._modules = trace.modules()
        children: dict[int | None, list[int]] = {}
        for module in self._modules:
            children.setdefault(module.parent, []).append(module.id)
        self.roots: tuple[int, ...] = tuple(children.get(None, ()))
        self._children = {module.id: tuple(children.get(module.id, ())) for module in self._modules}
        self._down = self._ordered()
        self._leaves = self._leaves_inside(trace.leaves())
        self._severity = self._severities(findings, facts)

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, number: int) -> Branch:
        module = self._modules[number]
        squares, missing, count = self._leaves[number]
        norm = None if not count else -1.0 if missing == count else math.sqrt(squares)
        children = self._children[number]
        return Branch(module, self.name(module), children, norm, missing, self._severity[number])

    def parent(self, number: int) -> int | None:
        return self._modules[number].parent

    def row(self, number: int) -> int:
        """The place among its siblings."""
        parent = self._modules[number].parent
        return (self.roots if parent is None else self._children[parent]).index(number)

    def number_of(self, path: str) -> int:
        """The module with this path, -1 none."""
        return next((module.id for module in self._modules if module.path == path), -1)

    def name(self, module: Module) -> str:
        """The last part of the path; of a numbered one with the part before ('layers.3'); of a root its variable."""
        if module.parent is None:
            return module.path or module.root_name or module.class_name
        parts = module.path.split(".")
        return ".".join(parts[-2:]) if parts[-1].isdigit() and len(parts) > 1 else parts[-1] or module.class_name

    # -- building
    def _ordered(self) -> list[int]:
        """All ids, parents before children."""
        order = list(self.roots)
        for number in order:
            order.extend(self._children[number])
        return order

    def _leaves_inside(self, leaves: tuple[Leaf, ...]) -> list[tuple[float, int, int]]:
        """Sum of squared norms, parameters without a gradient, parameters; children included."""
        found = [[0.0, 0, 0] for _ in self._modules]
        for leaf in leaves:
            if leaf.module is None or not leaf.requires_grad:
                continue
            entry = found[leaf.module]
            entry[2] += 1
            if leaf.grad_spec is None:
                entry[1] += 1
            else:
                norm = leaf.grad_stats.norm if leaf.grad_stats is not None else math.nan
                entry[0] += norm * norm
        for number in reversed(self._down):
            parent = self._modules[number].parent
            if parent is not None:
                for at in range(3):
                    found[parent][at] += found[number][at]
        return [(entry[0], int(entry[1]), int(entry[2])) for entry in found]

    def _severities(self, findings: tuple[Finding, ...], facts: PassFacts | None) -> list[str]:
        """The worst finding at a node of each module, told to all around it."""
        worst = [""] * len(self._modules)
        for finding in findings:
            if facts is None or finding.pass_id not in (None, facts.pass_id):
                continue
            for mark in finding.marks:
                if not 0 <= mark.node < len(facts.graph):
                    continue
                call = facts.trace.call(int(facts.graph.call[mark.node]))
                at: int | None = call.module if call is not None else None
                while at is not None:
                    if RANKS[finding.severity] > RANKS[worst[at]]:
                        worst[at] = finding.severity
                    at = self._modules[at].parent
        return worst
