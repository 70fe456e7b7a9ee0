"""Dimensions get the names that the calls gave them, and none where it isn't certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.dim_names import DimNames
from gradviz.document.pass_facts import PassFacts
from gradviz.document.size_names import sizes_in_call, sizes_in_constructor
from gradviz.document.variable_names import VariableNames
from gradviz.trace.model import Shape
from gradviz.trace.reader import Trace
from tests.recordings import named_sizes


@pytest.mark.parametrize(
    ("op", "piece", "shape", "names"),
    [
        ("randn", "torch.randn(batch, 20)", (32, 20), ("batch", "")),
        ("randn", "torch.randn((batch, self.width))", (32, 20), ("batch", "self.width")),
        ("randint", "torch.randint(0, classes, (len(x),))", (32,), ("len(x)",)),
        ("zeros", "torch.zeros(size=[n, 2 * n])", (3, 6), ("n", "2 * n")),
        ("view", "y.view(x.shape[0], -1)", (32, 5), ("x.shape[0]", "")),
        ("randn", "torch.randn(*sizes)", (3,), ()),
        ("randn", "make(batch)", (32,), ()),
        ("randn", "torch.randn(batch, 20)", (32, 21), ()),
        ("randn", "torch.randn(batch", (32,), ()),
        ("sum", "y.sum(batch)", (32,), ()),
    ],
)
def test_sizes_in_a_call(op: str, piece: str, shape: Shape, names: tuple[str, ...]) -> None:
    assert sizes_in_call(op, piece, shape) == names


@pytest.mark.parametrize(
    ("class_name", "tensor", "piece", "shape", "names"),
    [
        ("Linear", "weight", "nn.Linear(features, hidden)", (64, 20), ("hidden", "features")),
        ("Linear", "bias", "nn.Linear(20, out_features=hidden)", (64,), ("hidden",)),
        ("Embedding", "weight", "nn.Embedding(len(words), 8)", (100, 8), ("len(words)", "")),
        ("Conv2d", "weight", "nn.Conv2d(3, channels, 3)", (16, 3, 3, 3), ("channels", "", "", "")),
        ("LayerNorm", "weight", "nn.LayerNorm((a, b))", (4, 8), ()),
        ("Linear", "weight", "Model()", (64, 20), ()),
        ("Mine", "weight", "Mine(a, b)", (64, 20), ()),
    ],
)
def test_sizes_in_a_constructor(class_name: str, tensor: str, piece: str, shape: Shape, names: tuple[str, ...]) -> None:
    assert sizes_in_constructor(class_name, tensor, piece, shape) == names


@pytest.fixture
def named(tmp_path: Path) -> PassFacts:
    trace = Trace(named_sizes(tmp_path / "named.gradviz"))
    return PassFacts(trace, trace.passes()[0].id)


def names_by_node(facts: PassFacts) -> dict[str, tuple[str, ...]]:
    dims = DimNames(facts.trace, VariableNames(facts.trace))
    found = {}
    for node in facts.order.tolist():
        shape = facts.expected(node)[0].shape
        found[str(facts.name(node))] = dims.of_slot(facts, node, 0, shape)
    return found


def test_names_are_carried_by_what_follows_from_the_operands(named: PassFacts) -> None:
    names = names_by_node(named)
    # a linear layer takes the rows of its input and the rows of its weight; a sum drops what it sums over
    assert names["AddmmBackward0"] == ("batch", "hidden")
    assert names["weight AccumulateGrad"] == ("hidden", "")
    assert names["MulBackward0"] == ("batch", "hidden")
    assert names["SumBackward1"] == ("batch",)


def test_inner_nodes_of_a_call_and_unknown_calls_have_no_names(named: PassFacts) -> None:
    names = names_by_node(named)
    assert names["TBackward0"] == ()  # of the same size as the layer's output here: still not that tensor
    assert not any(names["StrangeBackward0"])
