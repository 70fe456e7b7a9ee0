"""The name under which a TensorFlow op is recorded as a forward call: that of the same call in the other frameworks.

Nodes keep TensorFlow's own name; the rules know families of calls by one name each.
"""

from __future__ import annotations

import re

FAMILIES = {
    "AddV2": "add",
    "Sub": "sub",
    "RealDiv": "div",
    "DivNoNan": "div",
    "FloorDiv": "floor_divide",
    "FloorMod": "remainder",
    "SquaredDifference": "dist",
    "SelectV2": "where",
    "Select": "where",
    "Greater": "gt",
    "GreaterEqual": "ge",
    "Less": "lt",
    "LessEqual": "le",
    "Equal": "eq",
    "NotEqual": "ne",
    "MatMul": "matmul",
    "BatchMatMulV2": "matmul",
    "BatchMatMulV3": "matmul",
    "ExpandDims": "unsqueeze",
    "BroadcastTo": "broadcast_to",
    "ConcatV2": "cat",
    "Pack": "stack",
    "Unpack": "unbind",
    "StridedSlice": "getitem",
    "GatherV2": "getitem",
    "Max": "amax",
    "Min": "amin",
    "Log1p": "log1p",
    "ArgMax": "argmax",
    "ArgMin": "argmin",
    "TopKV2": "topk",
    "Cast": "to",
    "ClipByValue": "clamp",
    "SelfAdjointEigV2": "linalg_eigh",
    "MatrixInverse": "linalg_inv",
    "MatrixSolve": "linalg_solve",
    "MatrixDeterminant": "linalg_det",
    "MatrixDiagV3": "diag_embed",
    "MatrixDiagPartV3": "diagonal",
    "StopGradient": "detach",
    "BiasAdd": "bias_add",
    "Conv2D": "conv2d",
    "Fill": "full",
    "RandomUniform": "rand",
    "RandomStandardNormal": "randn",
    "StatelessRandomUniformV2": "rand",
    "StatelessRandomNormalV2": "randn",
    "ReadVariableOp": "read_variable",
}
# Calls whose other inputs are axes, shapes and the like: not tensors that a gradient flows through.
FIRST_ONLY = frozenset(
    {
        "All", "Any", "ArgMax", "ArgMin", "BroadcastTo", "Cumsum", "EuclideanNorm", "ExpandDims", "Fill", "GatherV2",
        "MatrixDiagPartV3", "MatrixDiagV3", "Max", "Mean", "Min", "Pad", "PadV2", "Prod", "Reshape", "ReverseV2",
        "Slice", "StridedSlice", "Sum", "Tile", "Transpose",
    }
)  # fmt: skip
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def family(op_type: str) -> str:
    """`add` of `AddV2`, `log_softmax` of `LogSoftmax`."""
    known = FAMILIES.get(op_type)
    return known if known is not None else _WORDS.sub("_", op_type).lower()


def family_of_function(name: str) -> str:
    """The same by the name of the generated function: `matmul` of `mat_mul`."""
    return family("".join(part[:1].upper() + part[1:] for part in name.split("_")))
