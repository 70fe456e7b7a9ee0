"""Modules with their shapes, parameters and gradients of one pass; their order under a sort and a filter."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.diagnose.finding import Finding, Mark
from gradviz.document.leaf_gradients import Fate
from gradviz.document.module_calls import calls_of, with_leaves
from gradviz.document.module_forest import ModuleForest
from gradviz.document.module_order import arranged
from gradviz.document.module_tree import Branch, ModuleTree
from gradviz.document.pass_facts import PassFacts
from gradviz.trace.model import Module
from gradviz.trace.reader import Trace
from tests import large_recordings
from tests.builders import NO_STATS, Stats, TraceBuilder
from tests.modules import NAMES, fates

PLAIN: Stats = (0, 0, 0, -1.0, 1.0, 0.0, 3.0)


def tree_of(path: Path, pass_id: int = 0) -> ModuleTree:
    trace = Trace(path)
    return ModuleTree(trace, PassFacts(trace, pass_id))


def branches(tree: ModuleTree) -> dict[str, Branch]:
    return {tree.module(number).path: tree[number] for number in range(len(tree))}


def test_each_fate_of_a_gradient_is_told_of_its_module(tmp_path: Path) -> None:
    found = branches(tree_of(fates(tmp_path / "run.gradviz")))

    assert {path: found[path].fate for path in NAMES} == {
        "good": Fate.MEASURED,
        "zero": Fate.ZERO,
        "nan": Fate.NAN,
        "inf": Fate.INFINITE,
        "none": Fate.MISSING,
        "cut": Fate.MISSING,
        "frozen": Fate.FROZEN,
        "other": Fate.ELSEWHERE,
        "unkept": Fate.UNKNOWN,
        "plain": None,
    }


def test_a_norm_is_the_root_of_the_sum_of_squares_of_what_came(tmp_path: Path) -> None:
    found = branches(tree_of(fates(tmp_path / "run.gradviz")))

    assert found["good"].norm == pytest.approx(5.0)  # of 3 and 4
    assert found["zero"].norm == 0.0
    assert found["none"].norm is None and found["frozen"].norm is None
    assert found[""].norm == pytest.approx(5.0)


@pytest.mark.parametrize(("norm", "end"), [(0.0, 10.0), (0.2, 10.0), (11.0, 100.0), (2500.0, 1e4)])
def test_bars_end_above_all_norms(norm: float, end: float, tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(1))
    leaf = one.node("AccumulateGrad", [4], leaf=trace.leaf("weight", [4], module=trace.module("", "Linear", 4)))
    one.root(leaf, [4]).step(leaf, [4], stats=[(0, 0, 0, *NO_STATS[3:6], norm)])

    assert tree_of(one.end().save()).highest() == end


def test_parameters_are_told_in_all_and_of_the_module_itself(tmp_path: Path) -> None:
    found = branches(tree_of(fates(tmp_path / "run.gradviz")))

    assert (found["good"].module.parameters, found["good"].own, found["good"].tensors) == (20, 20, 2)
    assert (found[""].own, found[""].tensors) == (0, 10)
    assert found["plain"].own == 0


def test_shapes_are_those_of_the_first_call_in_the_pass(tmp_path: Path) -> None:
    found = branches(tree_of(fates(tmp_path / "run.gradviz")))

    assert found["good"].shapes == "[2, 4] → [2, 5]"
    assert (found["good"].calls, found[""].calls) == (2, 1)
    assert found["plain"].shapes == "" and found["plain"].calls == 0


def test_nodes_of_a_module_are_those_of_all_modules_in_it(tmp_path: Path) -> None:
    trace = Trace(large_recordings.transformer(tmp_path / "run.gradviz", 3))
    facts = PassFacts(trace, 0)
    tree, calls = ModuleTree(trace, facts), calls_of(trace, 0)

    nodes = calls.nodes_inside(tree.number_of("encoder.layers.1")).tolist()

    expected = []
    for node in range(len(facts.graph)):
        call = trace.call(int(facts.graph.call[node]))
        if call is not None and trace.modules()[call.module].path.startswith("encoder.layers.1"):
            expected.append(node)
    assert nodes == expected and len(nodes) > 10


def test_two_trees_say_the_same_where_all_their_figures_are_equal(tmp_path: Path) -> None:
    trace = Trace(fates(tmp_path / "run.gradviz"))
    facts = PassFacts(trace, 0)
    tree = ModuleTree(trace, facts)
    mark = Mark("node", node=int(calls_of(trace, 0).nodes_inside(0)[0]))
    found = Finding("non-finite-gradient", "error", "a.py", 1, "", "", "", pass_id=0, marks=(mark,))

    assert tree.says_the_same(ModuleTree(trace, facts))
    assert tree.marked((found,), facts).says_the_same(tree.marked((found,), facts))
    assert not tree.says_the_same(tree.marked((found,), facts))
    assert not tree.says_the_same(ModuleTree(trace, None))


def test_without_a_pass_nothing_is_known(tmp_path: Path) -> None:
    tree = ModuleTree(Trace(fates(tmp_path / "run.gradviz")), None)

    assert {tree[number].fate for number in range(len(tree))} == {Fate.UNKNOWN, Fate.FROZEN, None}


def test_of_grad_with_inputs_nothing_is_missing(tmp_path: Path) -> None:
    # GIVEN `grad(loss, [asked])`: the engine hands the gradient back, and runs no AccumulateGrad
    trace = TraceBuilder(tmp_path / "run.gradviz")
    root = trace.module("", "Net", 8)
    leaves = [trace.leaf(name, [4], module=trace.module(name, "Linear", 4, root)) for name in ("asked", "other")]
    ports = [{"node": 2, "slot": 0, "value": 1, "spec": trace.spec([4]), "requires_grad": True}]
    one = trace.backward(trace.at(1), entry="grad", inputs=json.dumps(ports))
    nodes = [one.node("AccumulateGrad", [4], leaf=leaf) for leaf in leaves]
    top = one.node("AddBackward0", [4], to=nodes)
    one.root(top, [4]).step(top)

    found = branches(tree_of(one.end().save()))

    assert (found["asked"].fate, found["other"].fate, found[""].fate) == (Fate.UNKNOWN, Fate.ELSEWHERE, Fate.UNKNOWN)


def test_two_nodes_of_one_leaf_have_no_norm_in_common(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    module = trace.module("", "Linear", 4)
    leaf = trace.leaf("weight", [4], module=module)
    one = trace.backward(trace.at(1))
    nodes = [one.node("AccumulateGrad", [4], leaf=leaf) for _ in range(2)]
    top = one.node("AddBackward0", [4], to=nodes)
    one.root(top, [4]).step(top)
    for node in nodes:
        one.step(node, [4], stats=[PLAIN])

    assert tree_of(one.end().save())[0].fate == Fate.UNKNOWN


def paths(tree: ModuleTree, **how: object) -> list[str]:
    """All that is shown, from top to bottom."""
    shown = arranged(tree, **how)  # type: ignore[arg-type]  # the test's own keywords
    order, waiting = [], list(shown.under.get(-1, ()))[::-1]
    while waiting:
        number = waiting.pop()
        order.append(tree.module(number).path)
        waiting += shown.under.get(number, ())[::-1]
    return order


@pytest.mark.parametrize(
    ("sort", "falling", "first"),
    [
        ("gradient", True, ["nan", "inf", "good"]),
        ("parameters", True, ["good"]),
        ("name", False, ["cut", "frozen", "good"]),
        ("state", True, ["nan", "inf"]),
        ("", False, list(NAMES)),
    ],
)
def test_modules_are_sorted_under_their_parent(sort: str, falling: bool, first: list[str], tmp_path: Path) -> None:
    tree = tree_of(fates(tmp_path / "run.gradviz"))

    order = paths(tree, sort=sort, falling=falling)

    assert order[0] == "" and order[1 : 1 + len(first)] == first and len(order) == len(tree)


def test_numbers_in_names_are_sorted_as_numbers(tmp_path: Path) -> None:
    tree = tree_of(large_recordings.transformer(tmp_path / "run.gradviz", 12))

    order = [path for path in paths(tree, sort="name") if path.rpartition(".")[0] == "encoder.layers"]

    assert order == [f"encoder.layers.{number}" for number in range(12)]


def test_a_filter_keeps_what_it_finds_what_is_inside_and_the_way(tmp_path: Path) -> None:
    tree = tree_of(large_recordings.transformer(tmp_path / "run.gradviz", 3))

    assert paths(tree, needle="LAYERS.1.norm1") == [
        "",
        "encoder",
        "encoder.layers",
        "encoder.layers.1",
        "encoder.layers.1.norm1",
    ]
    inside = paths(tree, needle="layers.2 ")
    assert "encoder.layers.2.self_attn.q_proj" in inside and "encoder.layers.1" not in inside
    assert paths(tree, needle="no such thing") == []


def test_a_filter_finds_the_words_of_a_fate(tmp_path: Path) -> None:
    tree = tree_of(fates(tmp_path / "run.gradviz"))

    words = {Fate.FROZEN: "frozen solid", Fate.NAN: "not a number", Fate.MISSING: "none"}

    assert paths(tree, needle="solid", words=words) == ["", "frozen"]
    assert paths(tree, needle="Not a", words=words) == ["", "nan"]
    assert paths(tree, needle="none", words=words) == ["", "none", "cut"]


PARENTS = st.lists(st.integers(0, 30), min_size=1, max_size=30)


@given(PARENTS)
def test_what_is_inside_is_in_one_piece_and_summed_up(parents: list[int]) -> None:
    count = len(parents)
    modules = [
        Module(number, str(number), "M", None if parent >= number else parent, None, 1, True)
        for number, parent in enumerate(parents)
    ]
    forest = ModuleForest(modules)

    def inside(number: int) -> set[int]:
        return {number}.union(*(inside(child) for child in forest.children[number]))

    for number in range(count):
        assert set(forest.inside(number).tolist()) == inside(number)
        assert forest.end[number] - forest.place[number] == len(inside(number))
    assert sorted(forest.order.tolist()) == list(range(count))


def test_small_norms_beside_large_ones_are_kept(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    root = trace.module("", "Net", 8)
    leaves = [trace.leaf(name, [4], module=trace.module(name, "Linear", 4, root)) for name in ("big", "small")]
    one = trace.backward(trace.at(1))
    nodes = [one.node("AccumulateGrad", [4], leaf=leaf) for leaf in leaves]
    top = one.node("AddBackward0", [4], to=nodes)
    one.root(top, [4]).step(top)
    for node, norm in zip(nodes, (1e9, 1e-9), strict=True):
        one.step(node, [4], stats=[(0, 0, 0, *NO_STATS[3:6], norm)])

    found = branches(tree_of(one.end().save()))

    assert found["small"].norm == pytest.approx(1e-9) and found[""].norm == pytest.approx(1e9)
    assert not math.isnan(found["small"].norm or math.nan)


def test_the_leaves_of_nodes_are_counted_with_them(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    module = trace.module("fc", "Linear", 6, root="fc")
    call = trace.call(module, trace.at(1), [3], [3])
    one = trace.backward(trace.at(2))
    own, foreign = (one.node("AccumulateGrad", [3], leaf=trace.leaf(name, [3])) for name in ("weight", "other"))
    inner = one.node("AddBackward0", [3], call=call, to=[own])
    one.root(one.node("MulBackward0", [3], to=[inner, foreign]), [3]).seed([3])
    found = Trace(one.end().save())
    graph = found.graph(0)

    nodes = calls_of(found, 0).nodes_inside(0)

    assert [found.string(int(graph.name[node])) for node in nodes] == ["AddBackward0"]
    assert [int(graph.leaf[node]) for node in with_leaves(graph, nodes)] == [-1, 0]
