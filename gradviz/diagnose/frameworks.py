"""Which framework a call belongs to, as a script may use several; and fixes for those that aren't PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.diagnose.case import Case
from gradviz.diagnose.hips_code import name_of, own_numpy
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Code
from gradviz.diagnose.words import hips, tape
from gradviz.trace import model
from gradviz.trace.packing import FIRST_HIPS_VALUE, FIRST_TENSORFLOW_VALUE


def is_tensorflow(op: model.Op | None) -> bool:
    """Whether a call is TensorFlow's."""
    return op is not None and any(v.number >= FIRST_TENSORFLOW_VALUE for v in (*op.operands, *op.results))


def is_hips(op: model.Op | None) -> bool:
    """Whether a call is HIPS autograd's."""
    values = (*op.operands, *op.results) if op is not None else ()
    return any(FIRST_HIPS_VALUE <= v.number < FIRST_TENSORFLOW_VALUE for v in values)


def own_fix(case: Case, op: model.Op | None, phrase: str, parts: Mapping[str, object]) -> dict[str, str]:
    """The field `fix` of a finding at a call that isn't PyTorch's, where the phrase's own is."""
    fixes = tape.FIXES if is_tensorflow(op) else hips.FIXES if is_hips(op) else {}
    return {"fix": fixes[phrase].format_map({**parts, "np": numpy_at(case, op)})} if phrase in fixes else {}


def numpy_at(case: Case, op: model.Op | None) -> str:
    """What autograd.numpy is called where this call stands."""
    return own_numpy(case.code(op.stack[0].file) if op is not None and op.stack else None)


def transposed(case: Case, op: model.Op, text: str, dims: int) -> str:
    """The expression with its last two dimensions exchanged."""
    if is_tensorflow(op):
        return f"tf.{'transpose' if dims == 2 else 'linalg.matrix_transpose'}({text})"
    if is_hips(op):
        return f"{tight(text)}.T" if dims == 2 else f"{numpy_at(case, op)}.swapaxes({text}, -1, -2)"
    return f"{text}.{'t()' if dims == 2 else 'transpose(-1, -2)'}"


def module_name(code: Code | None, value: int) -> str:
    """What this file calls the module of functions for values like this one: `torch`, `tf`, `np`."""
    if FIRST_HIPS_VALUE <= value < FIRST_TENSORFLOW_VALUE:
        return own_numpy(code)
    full, usual = ("tensorflow", "tf") if value >= FIRST_TENSORFLOW_VALUE else ("torch", "torch")
    return (name_of(code, full) if code is not None else "") or usual
