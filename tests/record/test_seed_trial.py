"""Another seed than the script gave: what each kind of rewrite makes of seeds, and which call is meant."""

from __future__ import annotations

import pytest
import torch

from gradviz.record.pytorch.seedtrial import replaced
from gradviz.record.seedreplacement import Numbers, SeedReplacement, seed_replacement

OUT = torch.zeros(3, 2, dtype=torch.float64)
WEIGHTS = torch.arange(6.0, dtype=torch.float64)
KINDS = {
    "none": (WEIGHTS, None),
    "ones": (WEIGHTS, torch.ones_like(OUT)),
    "mean": (None, torch.full_like(OUT, 1 / 6)),
    "reshape": (WEIGHTS, WEIGHTS.reshape(3, 2)),
    "cast": (WEIGHTS.to(torch.complex64) * (1 + 1j), WEIGHTS),
    "expand": (WEIGHTS[1:3], WEIGHTS[1:3].expand(3, 2)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_by_each_kind(kind: str) -> None:
    given, wanted = KINDS[kind]
    (seed,) = replaced(kind, [OUT], [given], -1)
    assert seed is None if wanted is None else torch.equal(seed, wanted) and seed.dtype == wanted.dtype


@pytest.mark.parametrize(("kind", "given"), [("reshape", torch.ones(5)), ("expand", torch.ones(3)), ("expand", None)])
def test_what_cannot_be_done_leaves_the_seed(kind: str, given: torch.Tensor | None) -> None:
    (seed,) = replaced(kind, [OUT], [given], -1)
    assert seed is given


def test_only_the_seed_that_is_meant_is_replaced() -> None:
    kept = torch.ones(3)
    first, second = replaced("ones", [torch.zeros(2), torch.zeros(3)], [torch.ones(5), kept], 0)
    assert first.shape == (2,) and second is kept


def test_there_is_one_for_each_output() -> None:
    assert [each.shape for each in replaced("ones", [OUT, OUT[0]], [None], -1)] == [(3, 2), (2,)]
    assert len(replaced("first", [OUT], [WEIGHTS, WEIGHTS, WEIGHTS], -1)) == 1


def test_a_gradient_edge_gets_ones_of_its_shape() -> None:
    y = torch.ones(3, requires_grad=True) * 2
    (seed,) = replaced("ones", [torch.autograd.graph.get_gradient_edge(y)], [None], -1)
    assert torch.equal(seed, torch.ones(3))


@pytest.mark.parametrize(
    ("place", "is_it"),
    [(("a.py", 4, 8), True), (("a.py", 4, -1), True), (("a.py", 4, 9), False), (("a.py", 5, 8), False),
     (("b.py", 4, 8), False)],
)  # fmt: skip
def test_a_call_is_known_by_its_place(place: tuple[str, int, int], is_it: bool) -> None:
    assert SeedReplacement("ones", 3, "a.py", 4, 8).is_at(*place) is is_it


def test_the_config_is_read() -> None:
    wish = {"kind": "rows", "number": 2, "file": "a.py", "line": 4, "column": 0, "output": -1}
    assert seed_replacement(wish) == SeedReplacement("rows", 2, "a.py", 4, 0)
    assert seed_replacement(None) is None


def test_numbers_tell_what_comes_next() -> None:
    numbers = Numbers()
    assert (next(numbers), next(numbers), numbers.upcoming) == (0, 1, 2)
