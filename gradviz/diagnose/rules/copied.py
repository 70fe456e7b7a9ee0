"""A loss made of copies: of tensors that were computed by a model, and cut off from it."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.diagnose.ancestry import Cut, ancestors, cuts
from gradviz.diagnose.case import Case
from gradviz.trace import model
from gradviz.trace.packing import VALUE_PARAMETER, VALUE_REQUIRES_GRAD

_PARAMETER = VALUE_PARAMETER | VALUE_REQUIRES_GRAD


def cut_behind(case: Case, backward: model.Backward) -> list[Cut]:
    """The cuts behind a pass that ends at copies only, while they were made of parameters that nothing trains."""
    graph = case.trace.graph(backward.id)
    reached = {int(leaf) for leaf in graph.leaf if leaf >= 0}
    leaves = [leaf for leaf in case.leaves if leaf.id in reached]
    if not leaves or any(leaf.kind == "parameter" for leaf in leaves) or _takes_data(case, graph.op):
        return []
    found: list[Cut] = []
    for leaf in leaves:
        behind = cuts(case, leaf.value)
        if not behind:
            return []
        found += behind
    trained = {leaf.value for leaf in case.leaves if leaf.in_graph or leaf.grad_spec is not None}
    return [cut for cut in found if _parameters_behind(case, cut) - trained]


def _takes_data(case: Case, numbers: Iterable[int]) -> bool:
    """Whether a call works on more than what asks for a gradient: copied parameters may be a model of their own."""
    ops = [case.op_by_number.get(int(number)) for number in numbers]
    return any(not v.flags & VALUE_REQUIRES_GRAD for op in ops if op is not None for v in op.operands)


def _parameters_behind(case: Case, cut: Cut) -> set[int]:
    """Of the model that computed from data what was cut; nobody may hold it any more."""
    found: set[int] = set()
    for op in ancestors(case, cut.value.number, cut.op.number):
        parameters = {value.number for value in op.operands if value.flags & _PARAMETER == _PARAMETER}
        if len(parameters) < len(op.operands):
            found |= parameters
    return found
