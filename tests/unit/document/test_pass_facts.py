"""What panes say of nodes: names, lines, shapes, order; and which lines made which nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradviz.document.module_tree import tree_of
from gradviz.document.pass_facts import PassFacts
from gradviz.document.source_index import SourceIndex, marks_of
from gradviz.document.variable_names import VariableNames, assigned
from gradviz.trace.reader import Trace
from tests import large_recordings, recordings
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH

WORDS = {
    "expected": "expected {shape}",
    "received": "received {shape}",
    "cause": "cause: {note}",
    "symptom": "symptom: {note}",
    "raised": "raised here",
}


def facts_of(path: Path) -> PassFacts:
    trace = Trace(path)
    return PassFacts(trace, trace.passes()[0].id)


@pytest.fixture
def mlp(tmp_path: Path) -> PassFacts:
    return facts_of(recordings.mlp(tmp_path / "mlp.gradviz"))


@pytest.fixture
def eigh(tmp_path: Path) -> PassFacts:
    return facts_of(recordings.eigh_seed_mismatch(tmp_path / "eigh.gradviz"))


@pytest.fixture
def broadcast(tmp_path: Path) -> PassFacts:
    return facts_of(recordings.silent_broadcast(tmp_path / "broadcast.gradviz"))


def test_shapes_in_and_out_along_the_steps(mlp: PassFacts) -> None:
    texts = [mlp.in_to_out(int(node)) for node in mlp.order]
    assert texts[:4] == ["[\u2009] → [32, 10]", "[32, 10]", "[32, 10] → 3 out", "[10]"]
    assert texts[6] == "[32, 64]"


def test_leaves_are_called_by_their_names(mlp: PassFacts) -> None:
    name = mlp.name(int(mlp.order[3]))
    assert (name.strong, name.rest) == ("2.bias", "AccumulateGrad")
    assert mlp.line(int(mlp.order[3])) == 11
    assert mlp.line(int(mlp.order[6])) == 19


def test_nodes_that_never_ran_come_last(eigh: PassFacts) -> None:
    assert list(eigh.order) == list(range(13))
    assert eigh.in_to_out(0) == "[\u2009] → [79]"
    assert eigh.in_to_out(7) == "2 in → [164, 164]"


def test_the_seed_is_named_as_the_leaf_it_is(eigh: PassFacts) -> None:
    assert eigh.seed_name(0) == "z"
    assert eigh.seed_text(0) == "[164] ≠ [\u2009]"
    leaf = eigh.seed_leaf(0)
    assert leaf is not None and leaf.name == "z"


def test_handed_on_gradients_say_what_arrived(mlp: PassFacts) -> None:
    addmm = int(mlp.order[2])
    assert [(str(mlp.name(one.head)), one.arrived) for one in mlp.handed(addmm)] == [
        ("2.bias AccumulateGrad", True),
        ("ReluBackward0", True),
        ("TBackward0", True),
    ]


def test_lines_know_their_nodes(eigh: PassFacts) -> None:
    index = SourceIndex(eigh)
    assert index.counts(recordings.EIGH_SCRIPT) == {9: 1, 12: 4, 13: 1, 14: 3, 15: 2, 16: 2}
    assert index.first_step(recordings.EIGH_SCRIPT, 16) == -1
    assert len(index.nodes("/elsewhere.py", 3)) == 0


def test_lines_know_their_first_step(mlp: PassFacts) -> None:
    index = SourceIndex(mlp)
    assert index.first_step(recordings.MLP_SCRIPT, 20) == 0
    assert index.first_step(recordings.MLP_SCRIPT, 19) == 2


def test_shapes_after_the_code(eigh: PassFacts) -> None:
    source = eigh.trace.source(recordings.EIGH_SCRIPT)
    assert source is not None
    shapes = SourceIndex(eigh).shapes(source)
    assert shapes[13] == "e [164], v [164, 164]"
    assert shapes[16] == "out [\u2009]"
    assert 18 not in shapes


def test_a_name_gets_the_shape_of_the_whole_model_not_of_a_layer_inside(tmp_path: Path) -> None:
    # GIVEN a model whose layers are called by library code, all from the one line
    trace = TraceBuilder(tmp_path / "run.gradviz", "/home/me/fit.py", "model = make()\npredicted = model(x)\n")
    line = trace.at(2, (12, 20))
    outer = trace.module("", "Sequential", 0, root="model")
    whole = trace.call(outer, line, [64, 8], [64, 1])
    one = trace.backward(trace.at(2))
    nodes = []
    for path, shape in (("0", [64, 16]), ("1", [64, 16]), ("2", [64, 1])):
        call = trace.call(trace.module(path, "Linear", 0, parent=outer), line, [64, 16], shape, parent=whole)
        op = trace.op("linear", line, (), [(trace.value(), shape)], call=call)
        nodes.append(one.node("AddmmBackward0", shape, op=op, call=call))
    facts = facts_of(one.steps(nodes[::-1]).end().save())
    source = facts.trace.source("/home/me/fit.py")
    assert source is not None
    # THEN what stands beside the name is what the model gave back
    assert SourceIndex(facts).shapes(source) == {2: "predicted [64, 1]"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("x = 1", ("x",)),
        ("a, b = f()", ("a", "b")),
        ("x: int = 1", ("x",)),
        ("x += 1", ("x",)),
        ("x.y = 1", ()),
        ("x = y = 1", ()),
        ("a, b.c = f()", ()),
        ("f()", ()),
    ],
)
def test_assigned_names(line: str, names: tuple[str, ...]) -> None:
    import ast

    assert assigned(ast.parse(line).body[0]) == names


def test_a_result_is_called_by_its_variable(eigh: PassFacts) -> None:
    names = VariableNames(eigh.trace)
    assert names.at(eigh.stack(7)[0]) == ("e", "v")
    assert names.at(eigh.stack(0)[0]) == ("out",)
    assert names.at(eigh.backward.stack[0]) == ()


def test_every_node_has_one_line(tmp_path: Path) -> None:
    facts = facts_of(large_recordings.transformer(tmp_path / "run.gradviz", 2))
    index = SourceIndex(facts)
    found = np.concatenate([index.nodes(large_recordings.TRANSFORMER_SCRIPT, line) for line in range(1, 31)])
    assert sorted(found.tolist()) == list(range(len(facts.graph)))


def test_marks_of_a_mismatch() -> None:
    (mark,) = marks_of((SEED_MISMATCH,), recordings.EIGH_SCRIPT, WORDS)
    assert (mark.line, mark.kind, mark.note) == (18, "cause", "expected [\u2009], received [164]")
    assert (mark.column, mark.end_column) == (13, 14)
    assert marks_of((SEED_MISMATCH,), "/other.py", WORDS) == []


def test_marks_of_a_fault_that_shows_elsewhere() -> None:
    cause, symptom = marks_of((BROADCAST,), recordings.BROADCAST_SCRIPT, WORDS)
    assert (cause.line, cause.note) == (9, "cause: pred - target broadcasts to [20, 20]")
    assert (symptom.line, symptom.kind) == (10, "symptom")


def test_a_fault_that_shows_where_it_is_raised_says_so_once() -> None:
    finding = replace(BROADCAST, raised_line=10)
    assert [mark.note for mark in marks_of((finding,), recordings.BROADCAST_SCRIPT, WORDS)][1:] == ["raised here"]


def test_the_module_tree_sums_gradients(mlp: PassFacts) -> None:
    tree = tree_of(mlp)
    (root,) = tree.roots
    assert tree[root].name == "model" and len(tree[root].children) == 3
    inside = [tree[number] for number in tree[root].children]
    assert sum(branch.norm**2 for branch in inside if branch.norm) == pytest.approx((tree[root].norm or 0) ** 2)
    assert {branch.module.class_name: branch.norm for branch in inside}["ReLU"] is None
    assert tree.number_of("2") >= 0 and tree.number_of("nowhere") == -1


def test_a_finding_marks_all_modules_around_it(tmp_path: Path) -> None:
    facts = facts_of(large_recordings.transformer(tmp_path / "run.gradviz", 2))
    node = next(n for n in range(len(facts.graph)) if facts.name(n).strong == "encoder.layers.1.self_attn.q_proj.bias")
    finding = replace(SEED_MISMATCH, marks=(replace(SEED_MISMATCH.marks[0], kind="node", node=node),))
    tree = tree_of(facts).marked((finding,), facts)
    marked = {tree[number].module.path for number in range(len(tree)) if tree[number].severity == "error"}
    around = ["", "encoder", "encoder.layers", "encoder.layers.1", "encoder.layers.1.self_attn"]
    assert marked == {*around, "encoder.layers.1.self_attn.q_proj"}
    assert tree.name(tree[tree.number_of("encoder.layers.1")].module) == "layers.1"
