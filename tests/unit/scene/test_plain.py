"""Views and leaves hidden: no box of theirs, edges with the net change of shape; what matters is never hidden."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from gradviz.diagnose.finding import Finding, Mark
from gradviz.scene.build import Build, Shown
from gradviz.scene.states import states_at
from tests.builders import TraceBuilder
from tests.large_recordings import transformer
from tests.unit.scene.scenes import built, names

PLAIN = Shown(trivial=False)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """sum ← view ← addmm (bias, weight.t()) ← permute ← view ← mul ← x; mul feeds addmm's second view too."""
    trace = TraceBuilder(tmp_path / "run.gradviz", text="x\n" * 9)
    one = trace.backward(trace.at(9))
    leaves = {
        name: one.node("AccumulateGrad", shape, leaf=trace.leaf(name, shape, trace.at(1)))
        for name, shape in (("x", [2, 3, 4]), ("weight", [5, 12]), ("bias", [5]))
    }
    scaled = one.node("MulBackward0", [2, 3, 4], to=[leaves["x"]], seq=0)
    turned = one.node("PermuteBackward0", [2, 4, 3], to=[scaled], seq=1)
    flat = one.node("ViewBackward0", [2, 12], to=[turned], seq=2)
    turned_weight = one.node("TBackward0", [12, 5], to=[leaves["weight"]], seq=3)
    product = one.node("AddmmBackward0", [2, 5], to=[leaves["bias"], flat, turned_weight], seq=4)
    column = one.node("ViewBackward0", [10], to=[product], seq=5)
    top = one.node("SumBackward0", [], to=[column], seq=6)
    one.root(top, []).seed(None)
    steps = [top, column, product, leaves["bias"], turned_weight, leaves["weight"], flat, turned, scaled, leaves["x"]]
    return one.steps(steps).end().save()


def labels(made: Build) -> dict[tuple[str, str], str]:
    draft, named = made.draft, names(made)
    return {
        (named[tail], named[head]): draft.labels[label]
        for tail, head, label in zip(draft.tail.tolist(), draft.head.tolist(), draft.label.tolist())
        if tail >= 0
    }


def test_what_is_left_has_edges_with_the_net_change(layer: Path) -> None:
    made = built(layer, shown=PLAIN)

    assert sorted(names(made)) == ["AddmmBackward0", "MulBackward0", "Seed gradient", "SumBackward0"]
    told = labels(made)
    assert told["SumBackward0", "AddmmBackward0"] == "[10] → [2, 5]"
    assert told["AddmmBackward0", "MulBackward0"] == "[2, 12] → [2, 3, 4]"


def test_a_step_of_a_hidden_node_is_its_hosts(layer: Path) -> None:
    made = built(layer, shown=PLAIN)

    def current(position: int) -> str:
        return names(made)[states_at(made.timeline, position).current]

    assert [current(at) for at in range(10)] == [
        "SumBackward0",
        "AddmmBackward0",  # the view over it
        "AddmmBackward0",
        "AddmmBackward0",  # bias
        "AddmmBackward0",  # weight.t(): nothing that is drawn lies behind it
        "AddmmBackward0",
        "MulBackward0",
        "MulBackward0",
        "MulBackward0",
        "MulBackward0",  # x
    ]


def test_what_a_finding_marks_stays(layer: Path) -> None:
    whole = built(layer)
    permute = next(at for at, name in enumerate(names(whole)) if name == "PermuteBackward0")
    node = int(whole.draft.node[permute])
    finding = Finding(
        rule="wrong-axis",
        severity="warning",
        file="/home/me/script.py",
        line=1,
        message="m",
        explanation="e",
        fix="f",
        pass_id=0,
        marks=(Mark("node", node=node),),
    )

    assert "PermuteBackward0" in names(built(layer, (finding,), PLAIN))


def test_a_root_stays_though_it_is_a_view(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz", text="x\n" * 3)
    one = trace.backward(trace.at(2))
    x = one.node("AccumulateGrad", [4], leaf=trace.leaf("x", [4], trace.at(1)))
    top = one.node("ViewBackward0", [2, 2], to=[x], seq=0)
    one.root(top, [2, 2]).seed([2, 2])

    assert "ViewBackward0" in names(built(one.steps([top, x]).end().save(), shown=PLAIN))


@pytest.mark.parametrize("cut", [0, 2, 7, 1000])
def test_hiding_never_makes_a_circle_nor_loses_a_node(cut: int, tmp_path: Path) -> None:
    path = transformer(tmp_path / "run.gradviz", 3)
    keys = [card.key for card in built(path).draft.cards]

    draft = built(path, shown=Shown(trivial=False, opened=frozenset(keys[:cut]))).draft

    assert nx.is_directed_acyclic_graph(nx.DiGraph(zip(draft.tail.tolist(), draft.head.tolist())))
    assert draft.box_of.min() >= 0 and draft.box_of.max() < len(draft)
    assert len(draft) < len(built(path, shown=Shown(opened=frozenset(keys[:cut]))).draft) or cut == 0
