"""The name under which a TensorFlow op is recorded as a forward call: what the person calls it, `tf.expand_dims`.

Nodes keep the op's own name, `ExpandDims`. Which family of calls a name belongs to in every framework, diagnosis knows.
"""

from __future__ import annotations

import re
from typing import Any

import tensorflow

# Where the public function bears another name than the op, or several do: the one that is written most.
PUBLIC = {
    "AddV2": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "RealDiv": "divide",
    "DivNoNan": "math.divide_no_nan",
    "FloorDiv": "math.floordiv",
    "FloorMod": "math.floormod",
    "Neg": "negative",
    "SelectV2": "where",
    "Select": "where",
    "MatMul": "matmul",
    "BatchMatMulV2": "matmul",
    "BatchMatMulV3": "matmul",
    "ConcatV2": "concat",
    "Conv1D": "nn.conv1d",
    "Conv2D": "nn.conv2d",
    "Conv3D": "nn.conv3d",
    "Pack": "stack",
    "Unpack": "unstack",
    "GatherV2": "gather",
    "Sum": "reduce_sum",
    "Mean": "reduce_mean",
    "Prod": "reduce_prod",
    "Max": "reduce_max",
    "Min": "reduce_min",
    "All": "reduce_all",
    "Any": "reduce_any",
    "EuclideanNorm": "math.reduce_euclidean_norm",
    "TopKV2": "math.top_k",
    "SelfAdjointEigV2": "linalg.eigh",
    "Svd": "linalg.svd",
    "MatrixInverse": "linalg.inv",
    "MatrixSolve": "linalg.solve",
    "MatrixDeterminant": "linalg.det",
    "MatrixDiagV3": "linalg.diag",
    "MatrixDiagPartV3": "linalg.diag_part",
    "RandomUniform": "random.uniform",
    "RandomStandardNormal": "random.normal",
    "StatelessRandomUniformV2": "random.uniform",
    "StatelessRandomNormalV2": "random.normal",
    "ReadVariableOp": "Variable.read_value",
    "AssignVariableOp": "Variable.assign",
    "AssignAddVariableOp": "Variable.assign_add",
    "AssignSubVariableOp": "Variable.assign_sub",
    "ReverseV2": "reverse",
    "ArgMax": "argmax",
    "ArgMin": "argmin",
    "PadV2": "pad",
}
PLACES = ("", "math.", "nn.", "linalg.", "signal.", "image.", "strings.")  # where public functions stand
# Calls whose other inputs are axes, shapes and the like: not tensors that a gradient flows through.
FIRST_ONLY = frozenset(
    {
        "All", "Any", "ArgMax", "ArgMin", "BroadcastTo", "Cumsum", "EuclideanNorm", "ExpandDims", "Fill", "GatherV2",
        "MatrixDiagPartV3", "MatrixDiagV3", "Max", "Mean", "Min", "Pad", "PadV2", "Prod", "Reshape", "ReverseV2",
        "Slice", "StridedSlice", "Sum", "Tile", "Transpose",
    }
)  # fmt: skip
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def public_name(op_type: str) -> str:
    """`tf.add` of `AddV2`, `tf.nn.log_softmax` of `LogSoftmax`; of an op without a function, `tf.raw_ops.Cross`."""
    known = PUBLIC.get(op_type)
    if known is None:
        word = _WORDS.sub("_", op_type).lower()
        known = next((f"{place}{word}" for place in PLACES if _is_public(place, word)), f"raw_ops.{op_type}")
    return f"tf.{known}"


def public_name_of_function(name: str) -> str:
    """The same by the name of the generated function: `tf.matmul` of `mat_mul`."""
    return public_name("".join(part[:1].upper() + part[1:] for part in name.split("_")))


def _is_public(place: str, word: str) -> bool:
    module: Any = getattr(tensorflow, place.rstrip("."), None) if place else tensorflow
    return callable(getattr(module, word, None))
