"""Packed columns: how the many small records of a trace lie in the blobs of its `segment` table.

A blob is, for each column in the order of `KINDS`: the raw little-endian items. All columns of a kind have `count`
items, so the blob's length is `count * sum(item sizes)` exactly; anything else is damage. Rows that belong to a parent
(operands to an op) are kinds of their own: the parent's column `x_end` is the absolute number of the first `x` row that
no longer belongs to it.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any

FORMAT = 1
APPLICATION_ID = 0x47526456

# kind -> (column, typecode); i = int32, q = int64, d = float64. Ids that may be absent are -1.
KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    # Forward calls, numbered over the whole run (gaps: ops of passes that were only counted).
    "op": (
        ("number", "i"),  # of the op, rising
        ("name", "i"),  # string: "sub", "linear", "relu_", "__setitem__", a Function's class name for apply
        ("stack", "i"),
        ("call", "i"),  # module call it ran in
        ("thread", "i"),
        ("seq_before", "q"),  # autograd sequence numbers of its thread before and after:
        ("seq_after", "q"),  # nodes with seq_before <= seq < seq_after are its own
        ("flags", "i"),  # OP_*
        ("arguments", "i"),  # string: JSON of the non-tensor arguments, short ({"dim": 1}); -1 = none
        ("operand_end", "i"),
        ("result_end", "i"),
    ),
    "operand": (
        ("value", "i"),  # value number: the same tensor object has the same number everywhere; -1 unknown
        ("spec", "i"),
        ("version", "i"),  # before the call; -1 unknown
        ("flags", "i"),  # VALUE_*
        ("name", "i"),  # string: parameter of the function, "" for a position beyond those known; -1 = not told
    ),
    "result": (("value", "i"), ("spec", "i"), ("version", "i"), ("flags", "i")),
    "call": (  # module calls, numbered over the whole run
        ("number", "i"),
        ("module", "i"),
        ("parent", "i"),  # the call it ran in, -1
        ("stack", "i"),
        ("thread", "i"),
        ("in_spec", "i"),  # of the first tensor given and returned
        ("out_spec", "i"),
        ("completed", "i"),  # 0: it raised
    ),
    # Per pass: nodes in an order in which every edge runs from an earlier to a later one where the recorder knows it.
    "node": (
        ("name", "i"),  # string: "SumBackward0"
        ("seq", "q"),  # sequence number, -1 for leaves
        ("thread", "i"),
        ("op", "i"),  # number of the forward op that made it
        ("call", "i"),  # module call it belongs to
        ("leaf", "i"),  # leaf id of an AccumulateGrad
        ("flags", "i"),  # NODE_*
        ("expected_end", "i"),
    ),
    "expected": (("spec", "i"),),  # one per forward output of a node = per slot it receives a gradient in
    "edge": (
        ("tail", "i"),  # node index: the gradient comes from
        ("index", "i"),  # position among tail's grad_inputs (next_functions)
        ("head", "i"),  # node index: the gradient goes to
        ("slot", "i"),  # of head
    ),
    "step": (
        ("node", "i"),
        ("start", "q"),  # nanoseconds since the pass began
        ("duration", "q"),  # nanoseconds, -1 unknown
        ("received_end", "i"),
    ),
    "received": (  # grad_outputs of a step, one per slot; with its statistics (NaN where not taken)
        ("spec", "i"),  # -1 = None (undefined gradient)
        ("version", "i"),
        ("nans", "q"),  # -1 not counted
        ("infs", "q"),
        ("zeros", "q"),
        ("min", "d"),
        ("max", "d"),
        ("mean", "d"),
        ("norm", "d"),
    ),
    # What a custom backward or a hook returned itself, before the engine summed or cast it. Of a HIPS pass: each
    # gradient whose shape isn't that of its argument.
    "returned": (
        ("step", "i"),
        ("index", "i"),  # position among the grad_inputs
        ("spec", "i"),  # -1 = None, or not a tensor (see type)
        ("type", "i"),  # string: Python type of what is not a tensor; -1 for a tensor or None
        ("nans", "q"),
        ("infs", "q"),
        ("zeros", "q"),
        ("min", "d"),
        ("max", "d"),
        ("mean", "d"),
        ("norm", "d"),
    ),
}
CODES = {kind: tuple(code for _, code in columns) for kind, columns in KINDS.items()}
NATIVE = sys.byteorder == "little"  # then an array lies in memory as in the file
ORDER = "" if NATIVE else "<"  # of one code, native items are the same bytes, and cost half as much
ITEM_SIZES = {"i": 4, "q": 8, "d": 8}
ROW_SIZES = {kind: sum(ITEM_SIZES[code] for _, code in columns) for kind, columns in KINDS.items()}

OP_RAISED = 1
OP_IN_PLACE = 2
OP_APPLY = 4  # Function.apply
OP_NO_GRAD = 8  # grad mode was off
OP_INFERENCE = 16
OP_FACTORY = 32  # makes a tensor from none (torch.zeros, torch.tensor, from_numpy, Parameter)
OP_LEAVES_GRAPH = 64  # detach, item, numpy, .data, argmax, comparison, ...: needs grad in, none out

VALUE_REQUIRES_GRAD = 1
VALUE_LEAF = 2
VALUE_PARAMETER = 4
VALUE_VIEW = 8
VALUE_NON_CONTIGUOUS = 16
VALUE_LIST_ITEM = 32  # came inside a list or tuple argument

NODE_CUSTOM = 1  # autograd.Function in Python
NODE_LEAF = 2
NODE_ROOT = 4
NODE_CAPTURED = 8  # named in inputs=
NODE_CPP = 16  # custom C++ function

FIRST_HIPS_VALUE = 1 << 29  # value numbers from here on are of HIPS autograd's arrays; torch's are below
FIRST_TENSORFLOW_VALUE = 3 << 29  # value numbers from here on are of TensorFlow's tensors

STATS = struct.Struct("<qqqdddd")  # nans, infs, zeros, min, max, mean, norm, as in "received"


def new_columns(kind: str) -> list[array[int] | array[float]]:
    """Empty columns of `kind`, to be appended to and packed."""
    return [array(code) for _, code in KINDS[kind]]


def pack(kind: str, columns: Sequence[Sequence[Any]]) -> bytes:
    """The blob of these columns of `kind`, lists or arrays; little-endian whatever the machine."""
    count = len(columns[0])
    return b"".join(
        [
            column.tobytes() if type(column) is array and NATIVE else struct.pack(f"{ORDER}{count}{code}", *column)
            for column, code in zip(columns, CODES[kind])
        ]
    )
