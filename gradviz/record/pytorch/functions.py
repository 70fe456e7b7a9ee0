"""What is known of each torch function: its name, its parameters, and whether a call of it is worth a record."""

from __future__ import annotations

import inspect
import re
from typing import Any

from gradviz.trace.packing import OP_IN_PLACE
from gradviz.trace.writer import TraceWriter

# How a call is treated.
PASS = 0  # called through: asks only, changes nothing
NORMAL = 1  # recorded when it takes and returns tensors
ALWAYS = 2  # recorded though it returns no tensor
IF_USER = 3  # x.grad, read or set: recorded where the user's own code does it, and reads only where there is none

GETTERS = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
SETTERS = frozenset({"data", "requires_grad"})
ASKING = frozenset(
    [
        "size",
        "dim",
        "ndimension",
        "numel",
        "nelement",
        "stride",
        "storage_offset",
        "is_floating_point",
        "is_complex",
        "is_contiguous",
        "is_coalesced",
        "element_size",
        "data_ptr",
        "get_device",
        "__len__",
        "__hash__",
        "__repr__",
        "__str__",
        "__format__",
        "is_same_size",
        "untyped_storage",
        "storage",
        "is_shared",
        "is_inference",
        "is_conj",
        "is_neg",
        "is_signed",
        "is_set_to",
        "is_pinned",
        "has_names",
        "dense_dim",
        "sparse_dim",
        "__dir__",
        "_nnz",
        "__reduce_ex__",
        "__setstate__",
        "backward",
        "_set_grad_enabled",
        "_record_function_enter_new",
        "_RecordFunction",
        "manual_seed",
        "set_default_dtype",
        "set_default_device",
        "get_default_device",
        "get_default_dtype",
        "is_grad_enabled",
        "is_tensor",
        "is_storage",
        "__contains__",
        "result_type",
        "can_cast",
        "promote_types",
        "finfo",
        "iinfo",
        "get_rng_state",
        "set_rng_state",
        "_has_compatible_shallow_copy_type",
        "_use_count",
        "_is_view",
        "_is_zerotensor",
        "__dlpack_device__",
        "_dimI",
        "_dimV",
        "_backward_hooks",
    ]
)
LEAVING = frozenset(
    [
        "item",
        "numpy",
        "tolist",
        "__array__",
        "__bool__",
        "__float__",
        "__int__",
        "__complex__",
        "__index__",
        "__dlpack__",
        "equal",
        "allclose",
        "is_nonzero",
    ]
)  # no tensor comes back: what is computed from the answer has no gradient
HOOKING = frozenset({"register_hook", "register_post_accumulate_grad_hook", "retain_grad"})
IN_PLACE_DUNDERS = frozenset(
    [
        "__setitem__",
        "__iadd__",
        "__isub__",
        "__imul__",
        "__itruediv__",
        "__idiv__",
        "__ifloordiv__",
        "__imod__",
        "__ipow__",
        "__iand__",
        "__ior__",
        "__ixor__",
        "__ilshift__",
        "__irshift__",
        "__imatmul__",
    ]
)
# In place, and the tensor may look different afterwards though grad mode is off.
RESHAPING = frozenset(
    [
        "as_strided_",
        "detach_",
        "rename_",
        "requires_grad_",
        "resize_",
        "resize_as_",
        "resize_as_sparse_",
        "set_",
        "share_memory_",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "unsqueeze_",
    ]
)
MADE_NEW = re.compile(r"^(new_.*|.*_like)$")  # take a tensor as a pattern only

# Where a docstring names no parameters, or others than a reader expects.
POSITIONAL = {
    "__getitem__": ("self", "index"),
    "__setitem__": ("self", "index", "value"),
    "__get__": ("self",),
    "register_hook": ("self", "hook"),
    "register_post_accumulate_grad_hook": ("self", "hook"),
    "permute": ("self", "*dims"),
    "view": ("self", "*shape"),
    "reshape": ("self", "*shape"),
    "expand": ("self", "*sizes"),
    "repeat": ("self", "*sizes"),
    "matmul": ("self", "other"),
    **dict.fromkeys(("add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "true_divide"), ("self", "other")),
    "bmm": ("self", "mat2"),
    "mm": ("self", "mat2"),
    "addmm": ("self", "mat1", "mat2"),
}


class FunctionInfo:
    """One torch function."""

    __slots__ = (
        "factory",
        "flags",
        "handling",
        "in_place",
        "is_hooking",
        "keeps_looks",
        "name",
        "name_id",
        "parameters",
        "star",
        "string_ids",
    )

    def __init__(self, name: str, handling: int, parameters: tuple[str, ...], writer: TraceWriter) -> None:
        self.name = name
        self.name_id = writer.string(name)
        self.handling = handling
        self.in_place = name in IN_PLACE_DUNDERS or (name.endswith("_") and not name.startswith("__"))
        self.flags = OP_IN_PLACE if self.in_place else 0
        self.keeps_looks = self.in_place and name.strip("_") + "_" not in RESHAPING  # without grad: all but the version
        self.factory = MADE_NEW.match(name) is not None
        self.is_hooking = name in HOOKING
        star = next((n for n, parameter in enumerate(parameters) if parameter.startswith("*")), -1)
        self.star = star  # position from which on all arguments belong to one parameter, -1 none
        self.parameters = tuple(parameter.lstrip("*") for parameter in parameters)
        self.string_ids = tuple(writer.string(parameter) for parameter in self.parameters)


class Functions:
    """Learns about each function on its first call."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self.known: dict[Any, FunctionInfo] = {}

    def learn(self, function: Any) -> FunctionInfo:
        """Look at a function that is new; one that can't be a key is known by its type."""
        name = str(getattr(function, "__name__", None) or type(function).__name__)
        if name == "__get__" or name == "__set__":
            info = self._property(name, function)
        else:
            try:
                parameters = _parameters(name, function)
            except Exception:  # noqa: BLE001  # foreign: where a script rebinds max, re can't read a docstring
                parameters = ()
            info = FunctionInfo(name, _handling(name), parameters, self._writer)
        try:
            self.known[function] = info
        except TypeError:
            self.known[type(function)] = info
        return info

    def find(self, function: Any) -> FunctionInfo | None:
        """For what isn't known, or can't be looked up; None where nothing can be found out about it."""
        try:
            return self.known.get(type(function)) or self.learn(function)
        except Exception:  # noqa: BLE001  # foreign: a callable of the script's, names that it bound to others
            return None

    def _property(self, name: str, function: Any) -> FunctionInfo:
        descriptor = getattr(function, "__self__", None)
        getter = getattr(descriptor, "fget", None)
        attribute = str(getattr(descriptor, "__name__", None) or getattr(getter, "__name__", "attribute"))
        if name == "__set__":
            handling = IF_USER if attribute == "grad" else ALWAYS if attribute in SETTERS else PASS
            info = FunctionInfo(attribute, handling, ("self", "value"), self._writer)
            info.in_place = handling != PASS  # keeps_looks stays False: x.data = y gives x new looks
            info.flags = OP_IN_PLACE if info.in_place else 0
            return info
        handling = NORMAL if attribute in GETTERS else IF_USER if attribute == "grad" else PASS
        return FunctionInfo(attribute, handling, ("self",), self._writer)


def _handling(name: str) -> int:
    if name in ASKING:
        return PASS
    if name in LEAVING or name in HOOKING or name in IN_PLACE_DUNDERS:
        return ALWAYS
    return NORMAL


def _parameters(name: str, function: Any) -> tuple[str, ...]:
    """The names of the positional parameters, self included for a method."""
    if name in POSITIONAL:
        return POSITIONAL[name]
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    if code is not None:
        return tuple(code.co_varnames[: code.co_argcount])
    is_method = type(function).__name__ in ("method_descriptor", "wrapper_descriptor")
    plain = name.strip("_") if name.startswith("__") else name.rstrip("_")
    documented = _documented(plain, getattr(function, "__doc__", None) or "")
    if name.startswith("__") and not documented:
        documented = ("other",)
    if not is_method:
        return documented
    return documented if documented[:1] in (("self",), ("input",)) else ("self", *documented)


def _documented(name: str, text: str) -> tuple[str, ...]:
    """The longest list of positional parameters that the docstring gives for the function."""
    best: tuple[str, ...] = ()
    for found in re.findall(r"(?:^|\s|:: )" + re.escape(name) + r"_?\(([^)]*)\)", text[:4000]):
        names = []
        for part in found.split(","):
            word = part.split("=")[0].strip()
            if word == "*" or not re.match(r"^\*?[A-Za-z_]\w*$", word):
                break
            names.append(word)
        if len(names) > len(best):
            best = tuple(names)
    return best
