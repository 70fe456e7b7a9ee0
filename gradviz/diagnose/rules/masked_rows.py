"""A row of a softmax that its mask shuts wholly: NaN in the forward pass, which a later node's gradient shows first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gradviz.diagnose.ancestry import ancestors
from gradviz.diagnose.case import Case
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

_NEAR = 4  # calls between the mask and the softmax: a scaling, a bias, a reshape
_FAR = 60


def masked_softmax(case: Case, backward: model.Backward, node: model.Node, kind: str) -> model.Node | None:
    """The softmax whose NaN a node handed on that can't make one by itself; None where that isn't the reason."""
    op = case.node_op(node)
    if op is None or not _harmless(op, kind):
        return None
    for made in islice(_behind(case, op), _FAR):
        if plain(made.name) in ("softmax", "log_softmax") and _shut_by_mask(case, made):
            found = (case.trace.graph(backward.id).op == made.number).nonzero()[0].tolist()
            return case.node(backward.id, found[0]) if found else None
    return None


def _harmless(op: model.Op, kind: str) -> bool:
    """Whether its slope is finite wherever its operands are: any call but those with a singular slope."""
    exponent = op.arguments.get("exponent")
    return not kind or (kind == "pow" and isinstance(exponent, (int, float)) and exponent >= 1)


def _behind(case: Case, op: model.Op) -> Iterator[model.Op]:
    for value in op.operands:
        yield from ancestors(case, value.number, op.number)


def _shut_by_mask(case: Case, softmax: model.Op) -> bool:
    return any(
        plain(made.name) in ("masked_fill", "where", "fill") and "-inf" in str(made.arguments)
        for made in islice(_behind(case, softmax), _NEAR)
    )
