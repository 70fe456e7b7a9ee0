"""Which framework a call belongs to, as a script may use several; and fixes for those that aren't PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.diagnose.precedence import tight
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


def own_fix(op: model.Op | None, phrase: str, parts: Mapping[str, object]) -> dict[str, str]:
    """The field `fix` of a finding at a call that isn't PyTorch's, where the phrase's own is."""
    fixes = tape.FIXES if is_tensorflow(op) else hips.FIXES if is_hips(op) else {}
    return {"fix": fixes[phrase].format_map(parts)} if phrase in fixes else {}


def transposed(op: model.Op, text: str, dims: int) -> str:
    """The expression with its last two dimensions exchanged."""
    if is_tensorflow(op):
        return f"tf.{'transpose' if dims == 2 else 'linalg.matrix_transpose'}({text})"
    if is_hips(op):
        return f"{tight(text)}.T" if dims == 2 else f"np.swapaxes({text}, -1, -2)"
    return f"{text}.{'t()' if dims == 2 else 'transpose(-1, -2)'}"
