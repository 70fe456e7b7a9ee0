"""A few numbers of a tensor as bytes: every k-th entry per dimension, so that a heat map has something to show."""

from __future__ import annotations

import ctypes
from json import dumps
from typing import Any

import torch

from gradviz.record.pytorch.values import is_wrapped
from gradviz.record.thinning import MOST, PER_DIMENSION, strides_for

PER_DIMENSION_OF_LEAF = 32  # there may be thousands of leaves, and each entry is a cache line of its own
NAMES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.uint8: "uint8",
    torch.complex64: "complex64",
    torch.complex128: "complex128",
}
WIDENED = {torch.bool: torch.uint8, torch.int8: torch.int32, torch.int16: torch.int32}


def sample_of(tensor: Any, whole: bool = False, per_dimension: int = PER_DIMENSION) -> dict[str, Any] | None:
    """Columns of a `sample` row: strides, shape, dtype, version, data. None for what has no numbers to show."""
    try:
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            return _sample(tensor, whole, per_dimension)
    except Exception:  # noqa: BLE001  # foreign: kinds of tensors without strides or values
        return None


def _sample(tensor: Any, whole: bool, per_dimension: int) -> dict[str, Any] | None:
    if tensor.device.type == "meta" or is_wrapped(tensor):
        return None
    version = -1 if tensor.is_inference() else tensor._version
    if tensor.layout is not torch.strided or tensor.is_nested:
        if tensor.layout is not torch.sparse_coo or tensor.numel() > MOST:
            return None
        tensor = tensor.to_dense()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    strides = [1] * tensor.dim() if whole else strides_for(list(tensor.shape), per_dimension**2, per_dimension)
    kept = tensor.detach()[tuple(slice(None, None, step) for step in strides)]
    kept = kept.to("cpu").resolve_conj().resolve_neg().contiguous()  # string_at makes the copy
    if kept.dtype not in NAMES:
        kept = kept.to(WIDENED.get(kept.dtype, torch.complex64 if kept.is_complex() else torch.float32))
    size = kept.numel() * kept.element_size()
    return {
        "strides": dumps(strides),
        "shape": dumps(list(kept.shape)),
        "dtype": NAMES[kept.dtype],
        "version": version,
        "data": ctypes.string_at(kept.data_ptr(), size) if size else b"",
    }
