"""Which rule an error out of a forward call belongs to: by call and operands first, then by torch's words."""

from __future__ import annotations

import re

from gradviz.diagnose.vocabulary import PYTHON_CONVERSIONS, plain
from gradviz.trace import model
from gradviz.trace.packing import OP_IN_PLACE, VALUE_LEAF, VALUE_REQUIRES_GRAD

_MEMORY = re.compile(
    r"can't allocate memory|out of memory|alloc_cpu|not enough memory|Storage size calculation overflowed|"
    r"unable to allocate",
    re.I,
)
_DTYPE = re.compile(
    r"dtype|scalar type|found (Double|Float|Half|Long|Int|Bool)|but got (Double|Float|Half|Long|Int)|result type|"
    r"floating point|was expected to be an? \w+ tensor|\"\w+\" not implemented for '\w+'|Input type \(|same type",
    re.I,
)
_DEVICE = re.compile(r"same device|device type|on the same device|Expected all tensors to be on", re.I)
_INDEX = re.compile(r"index out of range|out of bounds|is out of bounds|index \d+ is out of", re.I)
_SHAPE = re.compile(
    r"shape|size|dimension|\bdims?\b|must match|broadcast|channels|numel|einsum|mapped|subscript|same number of|"
    r"should contain \d+ elements|expected \d+D|\dD or \dD|not aligned|too many indices|divisible|embed_dim|batch",
    re.I,
)
_IN_PLACE_LEAF = re.compile(r"leaf Variable that requires grad")
_IN_PLACE_VIEW = re.compile(r"is a view and is being modified inplace")
_NUMPY = re.compile(r"Can't call numpy\(\)")
_HOOK = re.compile(r"cannot register a hook on a tensor that doesn't require grad")
_GUARD = re.compile(r"\bCheckNumerics")  # of TensorFlow's enable_check_numerics
_RETAIN = re.compile(r"can't retain_grad|retain_grad")
# calls that raise about shapes and nothing else once types and devices are ruled out
_SHAPE_CALLS = frozenset(
    [
        "matmul",
        "mm",
        "bmm",
        "mv",
        "addmm",
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "view",
        "reshape",
        "cat",
        "stack",
        "expand",
        "einsum",
        "bilinear",
        "split",
        "vmap",
        "broadcast_to",
        "unflatten",
        "multi_head_attention_forward",
        "scaled_dot_product_attention",
    ]
)


def memory(message: str, type_name: str = "") -> bool:
    return type_name.endswith(("MemoryError", "OutOfMemoryError")) or bool(_MEMORY.search(message))


def forward_rule(op: model.Op | None, error: model.ExceptionInfo) -> str:
    """The rule's name; 'uncaught-exception' where nothing fits, 'device' for operands on several devices."""
    message, kind = error.message, error.type.rpartition(".")[2]
    if memory(message, kind):
        return "out-of-memory"
    structural = _by_operands(op, message) if op is not None else ""
    if structural:
        return structural
    if _IN_PLACE_LEAF.search(message):
        return "inplace-on-leaf"
    if _IN_PLACE_VIEW.search(message):
        return "inplace-on-view"
    if _HOOK.search(message):
        return "hook-on-no-grad"
    if _NUMPY.search(message):
        return "detached"
    if kind == "IndexError" or _INDEX.search(message):
        return "index-out-of-range" if _INDEX.search(message) else "forward-shape-error"
    if kind == "NotImplementedError" and op is not None and re.search(r"\dD input", message):
        return "forward-shape-error"
    if kind not in ("RuntimeError", "ValueError", "AssertionError", "TypeError", "EinopsError", "InvalidArgumentError"):
        return "uncaught-exception"
    if _GUARD.search(message):  # it tells the shape, which is right
        return "uncaught-exception"
    if op is None and not _tensor_words(message):
        return "uncaught-exception"
    if _dtypes_differ(op) and _DTYPE.search(message):
        return "dtype-mismatch"
    if _DTYPE.search(message) and not re.search(r"shape|size of|sizes", message):
        return "dtype-mismatch"
    if kind == "TypeError":
        return "uncaught-exception"
    if _SHAPE.search(message) or (op is not None and plain(op.name) in _SHAPE_CALLS):
        return "forward-shape-error"
    return "uncaught-exception"


def _tensor_words(message: str) -> bool:
    """Without a recorded call only words that torch alone uses are taken for its own."""
    return bool(
        re.search(
            r"tensor|scalar type|should contain \d+ elements|"
            r"torch\.Size|mat1 and mat2|input\.size|dtype|Double|expected hidden|input must have|batch_size|"
            r"einsum|vmap|same shape|channels|normalized_shape|input has inconsistent|must be equal to|\dD",
            message,
        )
    )


def _by_operands(op: model.Op, message: str) -> str:
    name, first = plain(op.name), op.operands[0] if op.operands else None
    if first is not None and op.flags & OP_IN_PLACE and _IN_PLACE_LEAF.search(message):
        return "inplace-on-leaf"
    if first is not None and name in {"numpy", *PYTHON_CONVERSIONS} and first.flags & VALUE_REQUIRES_GRAD:
        return "detached"
    if first is not None and name == "register_hook" and not first.flags & VALUE_REQUIRES_GRAD:
        return "hook-on-no-grad"
    if len({v.spec.device for v in op.operands if v.spec.shape}) > 1 and _DEVICE.search(message):
        return "device"
    return ""


def _dtypes_differ(op: model.Op | None) -> bool:
    return op is not None and len({v.spec.dtype for v in op.operands}) > 1


def is_leaf(value: model.Value) -> bool:
    return bool(value.flags & VALUE_LEAF)
