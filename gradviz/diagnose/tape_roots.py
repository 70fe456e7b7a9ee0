"""TensorFlow's functions that take a root inside, where the person doesn't see it: tf.norm and its like.

On a tape such a call is a square, a sum and a root. What to write instead of it follows from the call itself.
"""

from __future__ import annotations

import ast

from gradviz.diagnose.case import Case
from gradviz.diagnose.frameworks import is_tensorflow
from gradviz.diagnose.source import Call, Code, as_call, called_name
from gradviz.trace import model

SMALL = "1e-12"
# What is under the root, and where the axis and keepdims stand in the call.
_UNDER = {
    "norm": ("tf.reduce_sum(tf.square({of}){more})", 2),
    "reduce_euclidean_norm": ("tf.reduce_sum(tf.square({of}){more})", 1),
    "reduce_std": ("tf.math.reduce_variance({of}{more})", 1),
}
_INPUTS = ("tensor", "input_tensor")
_EUCLIDEAN = (None, "euclidean", 2, 2.0)  # orders of tf.norm that are a root of squares
_NODES = frozenset({"Sqrt", "EuclideanNorm"})


def mended_root(case: Case, node: model.Node) -> str:
    """What to write so that the slope stays finite at zero; "" where the person wrote the root, or none is known."""
    op = case.node_op(node)
    code = case.code(op.stack[0].file) if op is not None and op.stack else None
    if op is None or code is None or node.name not in _NODES or not is_tensorflow(op):
        return ""
    written = case.op_expression(op)
    calls = [each for each in ast.walk(written) if isinstance(each, ast.Call)] if written is not None else []
    known = [each for each in calls if called_name(each) in _UNDER]
    call = as_call(known[0]) if len(known) == 1 else None
    return _mended(code, call) if call is not None else ""


def _mended(code: Code, call: Call) -> str:
    under, first = _UNDER[call.function]
    if call.function == "norm" and not _is_euclidean(call.argument(1, "ord")):
        return ""
    given = next((found for each in _INPUTS if (found := call.argument(0, each)) is not None), None)
    of = code.short(given)
    more = ""
    for at, name in enumerate(("axis", "keepdims"), start=first):
        argument = call.argument(at, name)
        more += f", {name}={code.text(argument)}" if argument is not None else ""
    return f"tf.sqrt({under.format(of=of, more=more)} + {SMALL})" if of else ""


def _is_euclidean(order: ast.expr | None) -> bool:
    return order is None or (isinstance(order, ast.Constant) and order.value in _EUCLIDEAN)
