"""Which NaN of a later pass is a fault of its own, and which came with what an earlier one spoiled."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.trace import model
from gradviz.trace.packing import FIRST_HIPS_VALUE, OP_IN_PLACE, OP_NO_GRAD, VALUE_LEAF, VALUE_REQUIRES_GRAD
from tests.unit.diagnose.fake_trace import NO_STATS, FakeTrace, spec

TEXT = """\
first = torch.sqrt(w)
second = torch.log(v)
first.sum().backward()
second.sum().backward()
optimiser.step()
w -= 0.1 * g
u = w.data
u -= 0.1 * g
"""
BAD = model.Stats(1, 0, 0, 0.0, 0.0, math.nan, math.nan)
LEAF = VALUE_LEAF | VALUE_REQUIRES_GRAD


class TwoPasses:
    """A pass by way of `sqrt`, what a test does next, and a pass by way of `log`, both with NaN."""

    def __init__(self, first_value: int = 0) -> None:
        self.trace = FakeTrace(TEXT)
        self.w = model.Value(first_value + 1000, spec((3,)), 0, LEAF, "")
        self.trace.leaf(self.w, "w")
        self.run("sqrt", "torch.sqrt(w)", "first.sum().backward()", self.w)

    def run(self, name: str, code: str, call: str, leaf: model.Value) -> None:
        trace = self.trace
        root, total = trace.tensor((3,), grad=True), trace.tensor((), grad=True)
        total = model.Value(leaf.number + total.number, total.spec, 0, total.flags, "")
        op = trace.op(name, code, (leaf,), root)
        one = trace.backward(call, total)
        trace.add_node(one, "SumBackward0", (), to=(1,))
        trace.add_node(one, f"{name.title()}Backward0", (3,), op=op, to=(2,))
        trace.accumulate(one, next(each for each in trace.leaves() if each.value == leaf.number))
        for node, stats in enumerate((NO_STATS, NO_STATS, BAD)):
            trace.add_step(one, node, stats)

    def lines(self, leaf: model.Value) -> list[int]:
        """Of the findings, after the second pass over `leaf`."""
        self.run("log", "torch.log(v)", "second.sum().backward()", leaf)
        findings = diagnose(self.trace)
        assert {each.rule for each in findings} == {"non-finite-gradient"}
        return [each.line for each in findings]

    def other_leaf(self) -> model.Value:
        v = model.Value(self.w.number + 1, spec((3,)), 0, LEAF, "")
        self.trace.leaf(v, "v")
        return v


def test_a_fault_elsewhere_is_told_too() -> None:
    two = TwoPasses()

    assert two.lines(two.other_leaf()) == [1, 2]


def test_so_is_one_over_the_same_leaf_while_nothing_wrote_to_it() -> None:
    two = TwoPasses()

    assert two.lines(two.w) == [1, 2]


def stepped(two: TwoPasses) -> None:
    two.trace.op("SGD.step", "optimiser.step()", (two.w,), two.w, flags=OP_IN_PLACE | OP_NO_GRAD)


def written(two: TwoPasses) -> None:
    two.trace.op("sub_", "w -= 0.1 * g", (two.w,), two.w, flags=OP_IN_PLACE | OP_NO_GRAD)


def written_by_data(two: TwoPasses) -> None:
    shared = two.trace.tensor((3,))
    two.trace.op("data", "w.data", (two.w,), shared)
    two.trace.op("sub_", "u -= 0.1 * g", (shared,), shared, flags=OP_IN_PLACE)


@pytest.mark.parametrize("between", [stepped, written, written_by_data])
def test_what_an_optimiser_wrote_into_the_leaf_is_the_first_ones_effect(between: Callable[[TwoPasses], None]) -> None:
    two = TwoPasses()
    between(two)

    assert two.lines(two.w) == [1]
    (found,) = diagnose(two.trace)
    assert [effect[:21] for effect in found.effects] == ["LogBackward0 (line 2)"]


def test_a_step_carries_it_into_every_parameter() -> None:
    two = TwoPasses()
    v = two.other_leaf()
    two.trace.op("SGD.step", "optimiser.step()", (two.w, v), (two.w, v), flags=OP_IN_PLACE | OP_NO_GRAD)

    assert two.lines(v) == [1]


@pytest.mark.parametrize(("shape", "expected"), [((3,), [1]), ((4,), [1, 2])])
def test_a_value_from_nowhere_may_be_the_leafs_gradient(shape: tuple[int, ...], expected: list[int]) -> None:
    two = TwoPasses()
    gradient, new = two.trace.tensor(shape), model.Value(2000, spec((3,)), 0, LEAF, "")
    two.trace.op("mul", "0.1 * g", (gradient,), new)
    two.trace.leaf(new, "w")

    assert two.lines(new) == expected


def test_a_step_may_be_among_calls_that_were_left_out() -> None:
    two = TwoPasses()
    two.trace.skip(5)

    assert two.lines(two.w) == [1]


@pytest.mark.parametrize(("leaves", "expected"), [(True, [1]), (False, [1, 2]), (None, [1, 2])])
def test_of_other_frameworks_the_recorder_tells_what_a_pass_began_with(
    leaves: bool | None, expected: list[int]
) -> None:
    two = TwoPasses(FIRST_HIPS_VALUE)
    if leaves is not None:
        two.trace.noted.append(model.Note("not-finite", "", (), {"pass": 1, "leaves": leaves, "constants": []}))

    assert two.lines(two.other_leaf()) == expected


def test_a_constant_that_was_spoiled_reaches_the_pass_that_takes_it() -> None:
    two = TwoPasses(FIRST_HIPS_VALUE)
    v = two.other_leaf()
    two.trace.noted.append(model.Note("not-finite", "", (), {"pass": 1, "leaves": False, "constants": [v.number]}))

    assert two.lines(v) == [1]


class OnePass:
    """One pass with two branches that meet in an addition."""

    def __init__(self, text: str = TEXT) -> None:
        self.trace = FakeTrace(text)

    def lines(
        self, first: tuple[str, str, model.Value], second: tuple[str, str, model.Value], bad: model.Stats
    ) -> list[int]:
        """Of the findings: each branch is a call, its code and its operand, which receives `bad`."""
        trace = self.trace
        one = trace.backward("first.sum().backward()", trace.tensor((), grad=True))
        trace.add_node(one, "AddBackward0", (), to=(1, 3))
        for at, (name, code, value) in enumerate((first, second)):
            op = trace.op(name, code, (value,), trace.tensor((3,), grad=True))
            trace.add_node(one, f"{name.title()}Backward0", (3,), op=op, to=(2 + 2 * at,))
            leaf = next((each for each in trace.leaves() if each.value == value.number), None)
            if leaf is not None:
                trace.accumulate(one, leaf)
            else:
                trace.add_node(
                    one, "ExpBackward0", (3,), op=next(o for o in trace.ops() if value in o.results), to=(5,)
                )
        if len(trace.leaves()) == 1:
            trace.accumulate(one, trace.leaves()[0])
        for node, stats in ((0, NO_STATS), (1, NO_STATS), (3, NO_STATS), (2, bad), (4, bad)):
            trace.add_step(one, node, stats)
        if len(trace.leaves()) == 1:
            trace.add_step(one, 5, bad)
        findings = diagnose(trace)
        assert {each.rule for each in findings} == {"non-finite-gradient"}
        return [each.line for each in findings]

    def leaf(self, name: str) -> model.Value:
        value = self.trace.tensor((3,), grad=True, flags=VALUE_LEAF)
        self.trace.leaf(value, name)
        return value


INFINITE = model.Stats(0, 1, 0, 0.0, math.inf, math.inf, math.inf)


def test_two_faults_of_one_pass_are_both_told() -> None:
    one = OnePass()

    assert one.lines(("sqrt", "torch.sqrt(w)", one.leaf("w")), ("log", "torch.log(v)", one.leaf("v")), BAD) == [1, 2]


@pytest.mark.parametrize(("bad", "expected"), [(BAD, [1]), (INFINITE, [1, 2])])
def test_nan_that_may_come_from_above_both_is_one_fault(bad: model.Stats, expected: list[int]) -> None:
    """NaN in what both are computed of makes NaN in both; an infinite slope is a fault of its own."""
    one = OnePass(TEXT + "above = torch.exp(x)\n")
    x = one.leaf("x")
    u, v = one.trace.tensor((3,), grad=True), one.trace.tensor((3,), grad=True)
    one.trace.op("exp", "torch.exp(x)", (x,), (u, v))

    assert one.lines(("sqrt", "torch.sqrt(w)", u), ("log", "torch.log(v)", v), bad) == expected
