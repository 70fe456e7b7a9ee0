"""The softmax of an attention: told only where the product that follows sums over another dimension for certain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.trace import model
from gradviz.trace.packing import FIRST_HIPS_VALUE, FIRST_TENSORFLOW_VALUE
from tests.unit.diagnose.fake_trace import FakeTrace

Shape = tuple[int, ...]
TEXT = "s = q @ k\nw = s.softmax(DIM)\ny = w @ v\nz = use(y)\n"
B, H, T, D = 2, 4, 7, 3


@dataclass
class Attention:
    """scores = q @ k, softmax, product with v; what stands between is put there by `between`."""

    dim: int | None = 1
    scores: Shape = (B, H, T, T)
    written: str = "1"
    one_input: bool = True
    first: int = 0
    trace: FakeTrace = field(init=False)

    def __post_init__(self) -> None:
        self.trace = FakeTrace(TEXT.replace("DIM", self.written))
        self.trace._values = self.first
        *batch, rows, columns = self.scores
        inputs = [self.tensor((B, T, H * D)) for _ in range(1 if self.one_input else 3)] * 3
        q, k, self.v = (
            self.projected(given, shape)
            for given, shape in zip(inputs, [(*batch, rows, D), (*batch, D, columns), (*batch, columns, D)])
        )
        product = self.tensor(self.scores)
        self.trace.op("matmul", "q @ k", (q, k), product)
        self.weights = self.tensor(self.scores)
        self.softmax = self.trace.op("softmax", f"s.softmax({self.written})", (product,), self.weights)
        if self.dim is not None:
            self.softmax.arguments["dim"] = self.dim

    def tensor(self, shape: Shape, grad: bool = True) -> model.Value:
        return self.trace.tensor(shape, grad=grad)

    def projected(self, given: model.Value, shape: Shape) -> model.Value:
        linear, viewed = self.tensor((B, T, H * D)), self.tensor(shape)
        self.trace.op("linear", "", (given, self.tensor((H * D, H * D))), linear)
        self.trace.op("view", "", (linear,), viewed)
        return viewed

    def then(self, name: str, shape: Shape, *others: model.Value, **arguments: Any) -> None:
        made = self.tensor(shape)
        self.trace.op(name, "", (self.weights, *others), made, **arguments)
        self.weights = made

    def used(self) -> model.Value:
        *batch, rows, _ = self.scores
        result = self.tensor((*batch, rows, D))
        self.trace.op("matmul", "w @ v", (self.weights, self.v), result)
        return result

    def told(self) -> list[tuple[str, int]]:
        return [(f.rule, f.line) for f in diagnose(self.trace)]


WRONG = [("wrong-axis", 2)]


@pytest.mark.parametrize(
    ("dim", "scores", "told"),
    [
        (1, (B, H, T, T), True),  # the heads
        (0, (B, H, T, T), True),  # the batch
        (None, (B, H, T, T), True),  # torch takes 1 of four dimensions, and 0 of three
        (None, (B, T, T), True),
        (-2, (B, H, T, T), True),  # the queries, of an attention to itself
        (1, (B, H, T, 5), True),
        (-1, (B, H, T, T), False),
        (3, (B, H, T, T), False),
        (1, (B, 1, T, T), False),  # a single head
        (1, (B, H, T, 1), False),  # one key for each query: how capsules agree
        (None, (T, T), False),
    ],
)
def test_which_dimension(dim: int | None, scores: Shape, told: bool) -> None:
    attention = Attention(dim, scores)
    attention.used()

    assert attention.told() == (WRONG if told else [])


@pytest.mark.parametrize(("written", "fix"), [("1", "w = s.softmax(-1)"), ("dim=1", "w = s.softmax(dim=-1)"),
                                              ("dtype=t", "w = s.softmax(dtype=t, dim=-1)")])  # fmt: skip
def test_the_line_to_write(written: str, fix: str) -> None:
    attention = Attention(1, written=written)
    attention.used()

    (found,) = diagnose(attention.trace)

    assert [change.new for change in found.changes] == [(fix,)]
    assert (found.expected_shape, found.received_shape) == ("dim=3", "dim=1")


def test_queries_that_compete_for_what_others_offer_are_slots() -> None:
    attention = Attention(-2, (B, H, 5, T), one_input=False)
    attention.used()

    assert attention.told() == []


@pytest.mark.parametrize("name", ["dropout", "masked_fill", "contiguous"])
def test_dropped_out_or_masked_weights_are_the_same_weights(name: str) -> None:
    attention = Attention()
    attention.then(name, attention.scores)
    attention.used()

    assert attention.told() == WRONG


def test_weights_changed_by_others_or_cut_are_not_followed() -> None:
    for name, shape in [
        ("div", (B, H, T, T)),
        ("mul", (B, H, T, T)),
        ("getitem", (B, H, T, T)),
        ("view", (B, H, T, T)),
    ]:
        attention = Attention()
        attention.then(name, shape, *([attention.tensor((B, H, T, 1))] if name in ("div", "mul") else []))
        attention.used()

        assert attention.told() == [], name


def test_turned_weights_are_summed_over_their_columns() -> None:
    attention = Attention(-2)
    attention.then("transpose", attention.scores, dim0=-2, dim1=-1)
    attention.used()

    assert attention.told() == []


def test_a_softmax_over_keys_whose_weights_are_turned_by_mistake() -> None:
    attention = Attention(-1)
    attention.then("transpose", attention.scores, dim0=2, dim1=3)
    attention.used()

    assert attention.told() == WRONG


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [("sum", {"dim": 1}, False), ("mean", {"dim": [-3, -1]}, False), ("sum", {"dim": 2}, True), ("sum", {}, True)],
)
def test_what_is_then_added_up_over_the_dimension_was_weighed_along_it(
    name: str, arguments: dict[str, Any], told: bool
) -> None:
    attention = Attention()
    attention.trace.op(name, "use(y)", (attention.used(),), attention.tensor(()), **arguments)

    assert attention.told() == (WRONG if told else [])


@pytest.mark.parametrize("first", [FIRST_HIPS_VALUE, FIRST_TENSORFLOW_VALUE])
def test_other_frameworks_mean_other_things_by_their_arguments(first: int) -> None:
    attention = Attention(None, first=first)
    attention.used()

    assert attention.told() == []


def test_one_use_that_fits_is_enough() -> None:
    attention = Attention(-2)
    attention.used()
    attention.then("mT", attention.scores)
    attention.used()

    assert attention.told() == []
