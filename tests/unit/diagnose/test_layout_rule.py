"""view in place of transpose: told where no splitting and merging of neighbours can be meant."""

from __future__ import annotations

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from tests.unit.diagnose.fake_trace import FakeTrace

Shape = tuple[int, ...]


def viewed(
    before: Shape,
    after: Shape,
    *,
    turned: Shape = (),
    taker: str = "linear",
    maker: str = "tanh",
    grad: bool = True,
    written: str = "h.view(a, b)",
) -> tuple[Finding, ...]:
    """`turned` is what a transposition made `before` of, some calls earlier."""
    trace = FakeTrace(f"h = f(x)\nz = {written}\ny = g(z)\n")
    source, h, z = (
        trace.tensor(turned or before, grad=grad),
        trace.tensor(before, grad=grad),
        trace.tensor(after, grad=grad),
    )
    if turned:
        early = trace.tensor(before, grad=grad)
        dims = [turned.index(size) for size in before]
        trace.op("permute", "", (source,), early, dims=dims if sorted(dims) == [*range(len(dims))] else [0, 2, 1, 3])
        source = early
    if maker:
        trace.op(maker, "f(x)", (source,), h)
    trace.op("view", written, (h if maker else source,), z)
    trace.op(taker, "g(z)", (z, trace.tensor((3, 3), grad=True)), trace.tensor((), grad=True))
    return diagnose(trace)


@pytest.mark.parametrize(
    ("before", "after", "turned", "told"),
    [
        ((4, 3, 6, 4), (4, 6, 12), (4, 6, 3, 4), True),  # heads that are not brought back
        ((4, 3, 6, 4), (24, 12), (4, 6, 3, 4), True),
        ((4, 3, 6, 4), (4, 6, 12), (), False),  # 6 split in 2 x 3: that may be meant
        ((4, 6, 3, 4), (4, 6, 12), (4, 3, 6, 4), False),
        ((2, 4, 3, 8, 8), (2, 12, 8, 8), (2, 3, 4, 8, 8), False),  # channels shuffled
        ((2, 3, 8), (3, 16), (), True),  # the last states of two directions
        ((2, 3, 8), (6, 8), (), False),
        ((2, 4, 8), (4, 16), (), False),
        ((1, 3, 8), (3, 8), (), False),
        ((5, 4, 15), (30, 10), (), False),
        ((7, 4, 15), (28, 3, 5), (), False),
        ((6, 6, 6), (6, 6, 6), (), False),
    ],
)
def test_dimensions_merged_that_are_no_neighbours(before: Shape, after: Shape, turned: Shape, told: bool) -> None:
    assert [(f.rule, f.line) for f in viewed(before, after, turned=turned)] == (
        [("layout-scramble", 2)] if told else []
    )


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("h.view(a, b)", "z = h.transpose(0, 1).contiguous().view(a, b)"),
        ("h.contiguous().view(a, b)", "z = h.transpose(0, 1).contiguous().view(a, b)"),
        ("h.view(size=s)", "z = h.transpose(0, 1).contiguous().view(3, 16)"),
        ("(h + k).reshape(a, -1)", "z = (h + k).transpose(0, 1).reshape(a, -1)"),
    ],
)
def test_the_line_to_write(written: str, fix: str) -> None:
    (found,) = viewed((2, 3, 8), (3, 16), written=written)

    assert [change.new for change in found.changes] == [(fix,)]


def test_entries_that_nothing_with_weights_works_on_may_lie_as_they_like() -> None:
    assert viewed((2, 3, 8), (3, 16), taker="mul") == ()


def test_rows_that_a_loss_compares_with_classes() -> None:
    assert [f.line for f in viewed((4, 5, 6), (24, 5), taker="cross_entropy")] == [2]


def test_a_parameter_has_no_layout_but_the_one_it_is_given() -> None:
    assert viewed((2, 3, 8), (3, 16), maker="") == ()


@pytest.mark.parametrize(
    ("before", "after", "taker", "told"),
    [
        ((6, 16, 16, 3), (6, 3, 16, 16), "conv2d", True),
        ((6, 16, 20, 4), (6, 4, 16, 20), "conv2d", True),
        ((16, 16, 3), (3, 16, 16), "conv2d", True),
        ((6, 16, 16, 3), (6, 3, 16, 16), "linear", False),
        ((6, 16, 16, 1), (6, 1, 16, 16), "conv2d", False),
        ((2, 4, 4, 16), (2, 16, 4, 4), "conv2d", False),  # four heads of four channels, 16 places
        ((6, 3, 16, 16), (6, 16, 16, 3), "conv2d", False),
        ((6, 768), (6, 3, 16, 16), "conv2d", False),
    ],
)
def test_images_whose_channels_come_last(before: Shape, after: Shape, taker: str, told: bool) -> None:
    found = viewed(before, after, taker=taker, grad=False)

    order = "2, 0, 1" if len(before) == 3 else "0, 3, 1, 2"
    assert [f.fix for f in found] == [f"h.permute({order})"] * told


def test_a_relative_shift_reads_each_row_one_entry_later() -> None:
    assert viewed((3, 6, 7), (3, 7, 6), maker="pad") == ()
    assert [f.rule for f in viewed((3, 6, 7), (3, 7, 6))] == ["layout-scramble"]


def test_heads_merged_with_a_batch_of_as_many() -> None:
    assert viewed((7, 4, 16), (7, 16, 4), taker="transpose") == ()
    assert [f.rule for f in viewed((7, 4, 16), (7, 16, 4))] == ["layout-scramble"]


def test_what_was_just_turned_and_copied_is_brought_back_in_order() -> None:
    assert viewed((7, 16, 4), (7, 4, 16), maker="contiguous", turned=(16, 7, 4)) == ()
