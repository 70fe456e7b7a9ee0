"""Each formula of the catalogue is run and compared with what torch's own backward computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from gradviz.document.formulas import ACCUMULATE, CATALOGUE, formula_of

X = torch.tensor([[0.3, 1.7, 0.9], [1.2, 0.4, 0.8]], dtype=torch.float64)
Y = torch.tensor([[0.7, 0.2, 1.1], [0.5, 1.3, 0.6]], dtype=torch.float64)
Q = torch.tensor([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.3, 0.1, 1.8]], dtype=torch.float64)
T = torch.tensor([2, 0])
SIGNED = X - 0.85
Forward = Callable[..., torch.Tensor]
unary: dict[str, tuple[Forward, torch.Tensor, dict[str, Any]]] = {
    "RsubBackward1": (lambda input: 1 - input, X, {"alpha": 1}),
    "NegBackward0": (lambda input: -input, X, {}),
    "PowBackward0": (lambda input: input**3, X, {"exponent": 3}),
    "ExpBackward0": (torch.exp, X, {}),
    "Expm1Backward0": (torch.expm1, X, {}),
    "LogBackward0": (torch.log, X, {}),
    "Log2Backward0": (torch.log2, X, {}),
    "Log1PBackward0": (torch.log1p, X, {}),
    "SqrtBackward0": (torch.sqrt, X, {}),
    "RsqrtBackward0": (torch.rsqrt, X, {}),
    "ReciprocalBackward0": (torch.reciprocal, X, {}),
    "AbsBackward0": (torch.abs, SIGNED, {}),
    "SinBackward0": (torch.sin, X, {}),
    "CosBackward0": (torch.cos, X, {}),
    "TanBackward0": (torch.tan, X, {}),
    "AtanBackward0": (torch.atan, X, {}),
    "SinhBackward0": (torch.sinh, X, {}),
    "ErfBackward0": (torch.erf, X, {}),
    "TanhBackward0": (torch.tanh, X, {}),
    "SigmoidBackward0": (torch.sigmoid, X, {}),
    "LogSigmoidBackward0": (functional.logsigmoid, SIGNED, {}),
    "ReluBackward0": (torch.relu, SIGNED, {}),
    "LeakyReluBackward0": (lambda input: functional.leaky_relu(input, 0.1), SIGNED, {"negative_slope": 0.1}),
    "EluBackward0": (lambda input: functional.elu(input, 1.5), SIGNED, {"alpha": 1.5}),
    "SoftplusBackward0": (lambda input: functional.softplus(input, 2), SIGNED, {"beta": 2}),
    "SiluBackward0": (functional.silu, SIGNED, {}),
    "ClampBackward1": (lambda input: input.clamp(0.5, 1.0), X, {"min": 0.5, "max": 1.0}),
    "HardtanhBackward0": (
        lambda input: functional.hardtanh(input, -0.3, 0.3),
        SIGNED,
        {"min_val": -0.3, "max_val": 0.3},
    ),
    "SignBackward0": (torch.sign, SIGNED, {}),
    "FloorBackward0": (torch.floor, X, {}),
    "RoundBackward0": (torch.round, X, {}),
    "MaskedFillBackward0": (lambda input: input.masked_fill(X > 1, 0), X, {"mask": X > 1}),
    "SumBackward0": (lambda input: input.sum(), X, {}),
    "SumBackward1": (lambda input: input.sum(1), X, {"dim": 1}),
    "MeanBackward0": (lambda input: input.mean(), X, {}),
    "MeanBackward1": (lambda input: input.mean(1), X, {"dim": 1}),
    "ProdBackward0": (lambda input: input.prod(), X, {}),
    "VarBackward0": (lambda input: input.var(), X, {"correction": 1, "n": 6}),
    "StdBackward0": (lambda input: input.std(), X, {"correction": 1, "n": 6}),
    "LinalgVectorNormBackward0": (torch.linalg.vector_norm, X, {}),
    "MaxBackward0": (lambda input: input.max(1)[0], X, {"dim": 1, "indices": X.max(1)[1]}),
    "MinBackward0": (lambda input: input.min(1)[0], X, {"dim": 1, "indices": X.min(1)[1]}),
    "MaxBackward1": (lambda input: input.max(), X, {}),
    "MinBackward1": (lambda input: input.min(), X, {}),
    "LogsumexpBackward0": (lambda input: input.logsumexp(1), X, {"dim": 1}),
    "CumsumBackward0": (lambda input: input.cumsum(1), X, {"dim": 1}),
    "SoftmaxBackward0": (lambda input: input.softmax(1), X, {"dim": 1}),
    "LogSoftmaxBackward0": (lambda input: input.log_softmax(1), X, {"dim": 1}),
    "LinalgInvExBackward0": (torch.linalg.inv, Q, {}),
    "LinalgDetBackward0": (torch.linalg.det, Q, {}),
    "TraceBackward0": (torch.trace, Q, {}),
    "TBackward0": (torch.t, X, {}),
    "TransposeBackward0": (lambda input: input.transpose(0, 1), X, {"dim0": 0, "dim1": 1}),
    "ViewBackward0": (lambda input: input.view(3, 2), X, {}),
    "UnsafeViewBackward0": (lambda input: torch.ops.aten._unsafe_view(input, (3, 2)), X, {}),
    "UnsqueezeBackward0": (lambda input: input.unsqueeze(1), X, {"dim": 1}),
    "SqueezeBackward0": (lambda input: input.squeeze(), X[:1], {}),
    "SqueezeBackward1": (lambda input: input.squeeze(0), X[:1], {"dim": 0}),
    "ExpandBackward0": (lambda input: input.expand(2, 3), X[:1], {}),
    "CloneBackward0": (torch.clone, X, {}),
    "ToCopyBackward0": (lambda input: input.to(torch.float32), X, {}),
    "FlipBackward0": (lambda input: input.flip(1), X, {"dims": (1,)}),
    "RollBackward0": (lambda input: input.roll(2), X, {"shifts": 2}),
    "TriuBackward0": (torch.triu, Q, {"diagonal": 0}),
    "TrilBackward0": (torch.tril, Q, {"diagonal": 0}),
    "DiagEmbedBackward0": (torch.diag_embed, X, {"offset": 0, "dim1": -2, "dim2": -1}),
    "SelectBackward0": (lambda input: input[1], X, {"dim": 0, "index": 1}),
    "SliceBackward0": (lambda input: input[:, 1:3], X, {"dim": 1, "start": 1, "end": 3}),
    "DiagonalBackward0": (torch.diagonal, Q, {}),
    "IndexSelectBackward0": (lambda input: input.index_select(1, T), X, {"dim": 1, "index": T}),
    "GatherBackward0": (lambda input: input.gather(1, T[:, None]), X, {"dim": 1, "index": T[:, None]}),
    "BinaryCrossEntropyWithLogitsBackward0": (
        lambda input: functional.binary_cross_entropy_with_logits(input, Y.clamp(max=1)),
        X,
        {"target": Y.clamp(max=1), "n": 6},
    ),
    "BinaryCrossEntropyBackward0": (
        lambda input: functional.binary_cross_entropy(input, Y.clamp(max=1)),
        X / 2,
        {"target": Y.clamp(max=1), "n": 6},
    ),
    "NllLossBackward0": (
        lambda input: functional.nll_loss(input, T),
        X,
        {"target": T, "n": 2, "one_hot": functional.one_hot, "C": 3},
    ),
}
binary: dict[str, tuple[Forward, dict[str, torch.Tensor], dict[str, Any]]] = {
    "AddBackward0": (lambda input, other: torch.add(input, other, alpha=2), {"input": X, "other": Y}, {"alpha": 2}),
    "SubBackward0": (lambda input, other: torch.sub(input, other, alpha=2), {"input": X, "other": Y}, {"alpha": 2}),
    "MulBackward0": (torch.mul, {"input": X, "other": Y}, {}),
    "DivBackward0": (torch.div, {"input": X, "other": Y}, {}),
    "PowBackward1": (torch.pow, {"input": X, "exponent": Y}, {}),
    "PowBackward2": (lambda exponent: 3**exponent, {"exponent": Y}, {"base": 3}),
    "AddcmulBackward0": (
        lambda input, tensor1, tensor2: torch.addcmul(input, tensor1, tensor2, value=2),
        {"input": X, "tensor1": Y, "tensor2": X + 1},
        {"value": 2},
    ),
    "LerpBackward0": (lambda input, end: torch.lerp(input, end, 0.3), {"input": X, "end": Y}, {"weight": 0.3}),
    "MaximumBackward0": (torch.maximum, {"input": X, "other": Y}, {}),
    "MinimumBackward0": (torch.minimum, {"input": X, "other": Y}, {}),
    "WhereBackward0": (
        lambda input, other: torch.where(X > 1, input, other),
        {"input": X, "other": Y},
        {"condition": X > 1},
    ),
    "MmBackward0": (torch.mm, {"input": X, "mat2": Q}, {}),
    "BmmBackward0": (torch.bmm, {"input": X[None], "mat2": Q[None]}, {}),
    "MvBackward0": (torch.mv, {"input": X, "vec": Q[0]}, {}),
    "DotBackward0": (torch.dot, {"input": Q[0], "tensor": Q[1]}, {}),
    "AddmmBackward0": (
        lambda input, mat1, mat2: torch.addmm(input, mat1, mat2, beta=2, alpha=3),
        {"input": X, "mat1": Y, "mat2": Q},
        {"beta": 2, "alpha": 3},
    ),
    "EmbeddingBackward0": (lambda weight: functional.embedding(T, weight), {"weight": Q}, {"indices": T}),
    "MseLossBackward0": (functional.mse_loss, {"input": X, "target": Y}, {"n": 6}),
}
SEVERAL = {"StackBackward0", "UnbindBackward0", "SplitBackward0"}  # gradients in the plural: words, not one expression
WORDS = {
    ACCUMULATE,
    "PermuteBackward0",
    "ReshapeAliasBackward0",
}  # not Python, or a node that this torch no longer makes


def tried() -> list[tuple[str, Forward, dict[str, torch.Tensor], dict[str, Any]]]:
    return [
        *((name, forward, {"input": value}, rest) for name, (forward, value, rest) in unary.items()),
        *((name, forward, values, rest) for name, (forward, values, rest) in binary.items()),
    ]


@pytest.mark.parametrize(("name", "forward", "values", "rest"), tried(), ids=[each[0] for each in tried()])
def test_formula_against_torch(
    name: str, forward: Forward, values: dict[str, torch.Tensor], rest: dict[str, Any]
) -> None:
    # GIVEN an operation whose node bears this name
    inputs = {key: value.clone().requires_grad_() for key, value in values.items()}
    result = forward(*inputs.values())
    assert result.grad_fn is not None and result.grad_fn.name() == name
    # WHEN torch runs it backward from a gradient without symmetries
    grad = torch.linspace(0.5, 2.0, result.numel(), dtype=result.dtype).reshape(result.shape)
    wanted = torch.autograd.grad(result, list(inputs.values()), grad)
    # THEN the catalogue's formula gives the same numbers, in the input's shape
    known = {**inputs, **rest, "result": result, "grad": grad, "torch": torch, "math": math}
    known["zeros"] = torch.zeros_like(next(iter(inputs.values())))
    lines = formula_of(name)
    assert [line.label for line in lines] == list(values)
    for line, gradient in zip(lines, wanted):
        expression, _, helper = line.formula.partition(", s = ")
        if helper:
            known["s"] = eval(helper, known)
        computed = eval(expression, known)
        assert computed.shape == gradient.shape
        assert torch.allclose(computed.to(gradient.dtype), gradient)


def test_every_formula_is_tried() -> None:
    assert set(CATALOGUE) == {each[0] for each in tried()} | SEVERAL | WORDS


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("StackBackward0", lambda x: torch.stack([x, x])),
        ("UnbindBackward0", lambda x: x.unbind(0)[0]),
        ("SplitBackward0", lambda x: x.split(2, 1)[0]),
        ("PermuteBackward0", lambda x: x.permute(1, 0)),
    ],
)
def test_names_of_the_others(name: str, result: Callable[[torch.Tensor], torch.Tensor]) -> None:
    made = result(X.clone().requires_grad_())
    assert made.grad_fn is not None and made.grad_fn.name() == name


@pytest.mark.parametrize(
    ("node", "arguments", "operands", "formulas"),
    [
        ("AddBackward0", {}, (), ["grad", "grad"]),
        ("AddBackward0", {"alpha": 2}, (), ["grad", "grad * alpha"]),
        ("SumBackward1", {"dim": 1, "keepdim": True}, (), ["grad.expand(input.shape)"]),
        ("NllLossBackward0", {"reduction": "sum"}, ("input", "target"), ["-grad * one_hot(target, C)"]),
        ("NllLossBackward0", {}, ("input", "target", "weight"), []),
        ("LinalgVectorNormBackward0", {"ord": 1}, (), []),
        ("LinalgVectorNormBackward0", {"ord": None}, (), ["grad * input / result"]),
    ],
)
def test_what_the_call_was_given(
    node: str, arguments: dict[str, Any], operands: tuple[str, ...], formulas: list[str]
) -> None:
    assert [line.formula for line in formula_of(node, arguments, operands)] == formulas


def test_a_node_that_is_not_in_the_catalogue() -> None:
    assert formula_of("MyFunctionBackward") == ()
