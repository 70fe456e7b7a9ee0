"""What a script trains: the parameters that it hands to optimisers, and those that it changes by itself."""

from __future__ import annotations

import ast

from gradviz.diagnose.case import Case, is_step
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.source import called_name, names_in
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE

_OPTIMISERS = frozenset(
    {"SGD", "Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "ASGD", "LBFGS"}
    | {"SparseAdam", "Muon", "Adafactor"}
)


def stepped_values(case: Case) -> set[int]:
    """The tensors of optimisers that were seen to step."""
    return {v.number for op in case.ops if is_step(op) for v in op.operands}


def optimised_names(case: Case) -> set[str]:
    """Variables whose parameters the script hands to an optimiser."""
    found: set[str] = set()
    for code in user_codes(case):
        for node in ast.walk(code.tree):
            if isinstance(node, ast.Call) and called_name(node) in _OPTIMISERS and node.args:
                found |= names_in(node.args[0])
    return found


def owner(case: Case, leaf: model.Leaf) -> str:
    """The variable that holds the outermost module of a parameter, or the leaf itself."""
    modules = case.trace.modules()
    at = leaf.module
    while at is not None and 0 <= at < len(modules):
        if modules[at].root_name:
            return modules[at].root_name or ""
        at = modules[at].parent
    return leaf.name


def kept_by_hand(case: Case, leaf: model.Leaf) -> bool:
    """Whether the script writes into a parameter after its first use: a moving average, a codebook. Such a one is
    handed to the optimiser with the rest of its model, and needs no gradient.
    """
    used = False
    for op in case.users(leaf.value):
        if is_step(op):
            used = True
        elif plain(op.name) in ("data", "detach"):
            views = [result.number for result in op.results if result.number >= 0]
            if used and any(_writes(user, view) for view in views for user in case.users(view, op.number)):
                return True
        elif _writes(op, leaf.value):
            if used:
                return True
        else:
            used = used or bool(op.results)
    return False


def _writes(op: model.Op, value: int) -> bool:
    return bool(op.flags & OP_IN_PLACE) and any(result.number == value for result in op.results)
