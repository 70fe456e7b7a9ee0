"""What a node does with the gradient it receives: backward formulas of the common operations, for reading. No Qt.

The mathematics is common knowledge; which operation a node's name stands for, and the names of its inputs, follow
PyTorch's public reference for it, `tools/autograd/derivatives.yaml`. The formulas are our own wording, in Python that
can be run: `grad` is the gradient received, `result` what forward returned, the other names are forward's arguments.
Where broadcasting stretched an input, its gradient is summed back to the input's shape afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

ACCUMULATE = "AccumulateGrad"


@dataclass(frozen=True)
class Line:
    """The gradient of one input: `label` names the input, `formula` is the expression."""

    label: str
    formula: str


def formula_of(
    node: str, arguments: Mapping[str, Any] | None = None, operands: Collection[str] = ()
) -> tuple[Line, ...]:
    """Of a node by its name, say 'MulBackward0'; () where the catalogue has none.

    `arguments` and names of `operands` of the forward call, where they are known, drop what doesn't take part; where
    they make it another formula than the catalogue's, nothing is told.
    """
    given = arguments or {}
    if any(given.get(name, usual) not in (usual, None) for name, usual in ONLY_WITH.get(node, ())):
        return ()
    if set(operands) & set(NOT_WITH.get(node, ())):
        return ()
    dropped = [text for name, usual, text in FACTORS if arguments is not None and given.get(name, usual) == usual]
    if given.get("reduction", "mean") in ("sum", "none"):
        dropped.append(" / n")
    if given.get("keepdim") is True:
        dropped.append(".unsqueeze(dim)")
    return tuple(Line(label, _without(formula, dropped)) for label, formula in CATALOGUE.get(node, ()))


def _without(formula: str, texts: list[str]) -> str:
    for text in texts:
        formula = formula.replace(text, "")
    return formula


FACTORS = (("alpha", 1, " * alpha"), ("beta", 1, " * beta"), ("value", 1, " * value"))
ONLY_WITH: dict[str, tuple[tuple[str, object], ...]] = {
    "LinalgVectorNormBackward0": (("ord", 2), ("p", 2), ("dim", None)),
    "NllLossBackward0": (("ignore_index", -100), ("label_smoothing", 0.0)),
    "DivBackward0": (("rounding_mode", None),),
    "VarBackward0": (("dim", None),),
    "StdBackward0": (("dim", None),),
}
NOT_WITH: dict[str, tuple[str, ...]] = {
    "NllLossBackward0": ("weight",),
    "BinaryCrossEntropyBackward0": ("weight",),
    "BinaryCrossEntropyWithLogitsBackward0": ("weight", "pos_weight"),
}
_PASSED_ON = (("input", "grad"),)
_LOSS = "(2 * (input - target) * grad) / n"

CATALOGUE: dict[str, tuple[tuple[str, str], ...]] = {
    ACCUMULATE: ((".grad", ".grad + grad"),),
    # -- arithmetic
    "AddBackward0": (("input", "grad"), ("other", "grad * alpha")),
    "SubBackward0": (("input", "grad"), ("other", "-grad * alpha")),
    "RsubBackward1": (("input", "-grad * alpha"),),
    "MulBackward0": (("input", "grad * other"), ("other", "grad * input")),
    "DivBackward0": (("input", "grad / other"), ("other", "-grad * input / other**2")),
    "NegBackward0": (("input", "-grad"),),
    "PowBackward0": (("input", "grad * exponent * input**(exponent - 1)"),),
    "PowBackward1": (
        ("input", "grad * exponent * input**(exponent - 1)"),
        ("exponent", "grad * result * input.log()"),
    ),
    "PowBackward2": (("exponent", "grad * result * math.log(base)"),),
    "AddcmulBackward0": (
        ("input", "grad"),
        ("tensor1", "grad * value * tensor2"),
        ("tensor2", "grad * value * tensor1"),
    ),
    "LerpBackward0": (("input", "grad * (1 - weight)"), ("end", "grad * weight")),
    "MaximumBackward0": (("input", "grad * (input > other)"), ("other", "grad * (other > input)")),
    "MinimumBackward0": (("input", "grad * (input < other)"), ("other", "grad * (other < input)")),
    # -- entry by entry
    "ExpBackward0": (("input", "grad * result"),),
    "Expm1Backward0": (("input", "grad * (result + 1)"),),
    "LogBackward0": (("input", "grad / input"),),
    "Log2Backward0": (("input", "grad / (input * math.log(2))"),),
    "Log1PBackward0": (("input", "grad / (input + 1)"),),
    "SqrtBackward0": (("input", "grad / (2 * result)"),),
    "RsqrtBackward0": (("input", "-grad * result**3 / 2"),),
    "ReciprocalBackward0": (("input", "-grad * result**2"),),
    "AbsBackward0": (("input", "grad * input.sign()"),),
    "SinBackward0": (("input", "grad * input.cos()"),),
    "CosBackward0": (("input", "-grad * input.sin()"),),
    "TanBackward0": (("input", "grad * (1 + result**2)"),),
    "AtanBackward0": (("input", "grad / (1 + input**2)"),),
    "SinhBackward0": (("input", "grad * input.cosh()"),),
    "ErfBackward0": (("input", "grad * 2 / math.sqrt(math.pi) * (-input**2).exp()"),),
    "TanhBackward0": (("input", "grad * (1 - result**2)"),),
    "SigmoidBackward0": (("input", "grad * result * (1 - result)"),),
    "LogSigmoidBackward0": (("input", "grad * torch.sigmoid(-input)"),),
    "ReluBackward0": (("input", "grad * (result > 0)"),),
    "LeakyReluBackward0": (("input", "torch.where(input > 0, grad, grad * negative_slope)"),),
    "EluBackward0": (("input", "torch.where(input > 0, grad, grad * alpha * input.exp())"),),
    "SoftplusBackward0": (("input", "grad * torch.sigmoid(beta * input)"),),
    "SiluBackward0": (("input", "grad * s * (1 + input * (1 - s)), s = input.sigmoid()"),),
    "ClampBackward1": (("input", "grad * ((input >= min) & (input <= max))"),),
    "HardtanhBackward0": (("input", "grad * ((input > min_val) & (input < max_val))"),),
    "SignBackward0": (("input", "torch.zeros_like(grad)"),),
    "FloorBackward0": (("input", "torch.zeros_like(grad)"),),
    "RoundBackward0": (("input", "torch.zeros_like(grad)"),),
    "MaskedFillBackward0": (("input", "grad.masked_fill(mask, 0)"),),
    "WhereBackward0": (("input", "torch.where(condition, grad, 0)"), ("other", "torch.where(condition, 0, grad)")),
    # -- sums and the like
    "SumBackward0": (("input", "grad.expand(input.shape)"),),
    "SumBackward1": (("input", "grad.unsqueeze(dim).expand(input.shape)"),),
    "MeanBackward0": (("input", "grad.expand(input.shape) / input.numel()"),),
    "MeanBackward1": (("input", "grad.unsqueeze(dim).expand(input.shape) / input.shape[dim]"),),
    "ProdBackward0": (("input", "grad * result / input"),),
    "VarBackward0": (("input", "grad * 2 / (n - correction) * (input - input.mean())"),),
    "StdBackward0": (("input", "grad / ((n - correction) * result) * (input - input.mean())"),),
    "LinalgVectorNormBackward0": (("input", "grad * input / result"),),
    "MaxBackward0": (("input", "zeros.scatter(dim, indices.unsqueeze(dim), grad.unsqueeze(dim))"),),
    "MinBackward0": (("input", "zeros.scatter(dim, indices.unsqueeze(dim), grad.unsqueeze(dim))"),),
    "MaxBackward1": (("input", "grad * (input == result) / (input == result).sum()"),),
    "MinBackward1": (("input", "grad * (input == result) / (input == result).sum()"),),
    "LogsumexpBackward0": (("input", "grad.unsqueeze(dim) * (input - result.unsqueeze(dim)).exp()"),),
    "CumsumBackward0": (("input", "grad.flip(dim).cumsum(dim).flip(dim)"),),
    "SoftmaxBackward0": (("input", "result * (grad - (grad * result).sum(dim, keepdim=True))"),),
    "LogSoftmaxBackward0": (("input", "grad - result.exp() * grad.sum(dim, keepdim=True)"),),
    # -- products of matrices
    "MmBackward0": (("input", "grad @ mat2.T"), ("mat2", "input.T @ grad")),
    "BmmBackward0": (("input", "grad @ mat2.mT"), ("mat2", "input.mT @ grad")),
    "MvBackward0": (("input", "torch.outer(grad, vec)"), ("vec", "input.T @ grad")),
    "DotBackward0": (("input", "grad * tensor"), ("tensor", "grad * input")),
    "AddmmBackward0": (
        ("input", "grad * beta"),
        ("mat1", "grad @ mat2.T * alpha"),
        ("mat2", "mat1.T @ grad * alpha"),
    ),
    "LinalgInvExBackward0": (("input", "-result.T @ grad @ result.T"),),
    "LinalgDetBackward0": (("input", "grad * result * torch.linalg.inv(input).T"),),
    "TraceBackward0": (("input", "grad * torch.eye(len(input))"),),
    # -- the same numbers in another shape
    "TBackward0": (("input", "grad.T"),),
    "TransposeBackward0": (("input", "grad.transpose(dim0, dim1)"),),
    "PermuteBackward0": (("input", "grad.permute(inverse of dims)"),),
    "ViewBackward0": (("input", "grad.reshape(input.shape)"),),
    "ReshapeAliasBackward0": (("input", "grad.reshape(input.shape)"),),
    "UnsafeViewBackward0": (("input", "grad.reshape(input.shape)"),),
    "UnsqueezeBackward0": (("input", "grad.squeeze(dim)"),),
    "SqueezeBackward0": (("input", "grad.reshape(input.shape)"),),
    "SqueezeBackward1": (("input", "grad.unsqueeze(dim)"),),
    "ExpandBackward0": (("input", "grad.sum_to_size(input.shape)"),),
    "CloneBackward0": _PASSED_ON,
    "ToCopyBackward0": (("input", "grad.to(input.dtype)"),),
    "FlipBackward0": (("input", "grad.flip(dims)"),),
    "RollBackward0": (("input", "grad.roll(-shifts)"),),
    "TriuBackward0": (("input", "grad.triu(diagonal)"),),
    "TrilBackward0": (("input", "grad.tril(diagonal)"),),
    "DiagEmbedBackward0": (("input", "grad.diagonal(offset, dim1, dim2)"),),
    # -- parts, and parts put together
    "SelectBackward0": (("input", "zeros.select_scatter(grad, dim, index)"),),
    "SliceBackward0": (("input", "zeros.slice_scatter(grad, dim, start, end)"),),
    "DiagonalBackward0": (("input", "zeros.diagonal_scatter(grad)"),),
    "IndexSelectBackward0": (("input", "zeros.index_add(dim, index, grad)"),),
    "GatherBackward0": (("input", "zeros.scatter_add(dim, index, grad)"),),
    "EmbeddingBackward0": (("weight", "zeros.index_add(0, indices, grad)"),),
    "StackBackward0": (("tensors[i]", "grad.unbind(dim)[i]"),),
    "UnbindBackward0": (("input", "torch.stack(grads, dim)"),),
    "SplitBackward0": (("input", "torch.cat(grads, dim)"),),
    # -- losses; reduction 'mean', n entries
    "MseLossBackward0": (("input", _LOSS), ("target", "-" + _LOSS)),
    "BinaryCrossEntropyBackward0": (("input", "grad * (input - target) / (input * (1 - input)) / n"),),
    "BinaryCrossEntropyWithLogitsBackward0": (("input", "grad * (input.sigmoid() - target) / n"),),
    "NllLossBackward0": (("input", "-grad * one_hot(target, C) / n"),),
}
