"""seed-wrong-type: backward was given a number, a list or an array where a tensor of weights is due."""

from __future__ import annotations

import ast
import re

from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.calls import PassCall, pass_call, rewritten, root_text
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.precedence import tight
from gradviz.trace import model

_REFUSED = re.compile(r"gradients can be either Tensors or None, but got (\w+)|'([\w.]+)' object is not iterable")
_NUMBERS = re.compile(r"^(numpy\.)?(int|float|complex|u?int\d+|float\d+|complex\d+|bool_?)$")
_ARRAYS = ("list", "tuple", "numpy.ndarray")


def find(exam: Examination, backward: model.Backward, error: model.ExceptionInfo) -> Finding | None:
    """The finding for a pass that was refused, where the type of a seed is why."""
    match = _REFUSED.search(error.message)
    if match is None or not error.type.endswith("TypeError") or not backward.roots:
        return None
    case, called = exam.case, pass_call(exam.case, backward)
    given = str(error.detail.get("seed_type") or match.group(1) or match.group(2))
    index, written = _culprit(called, backward, given)
    if written is not called.seed_argument:
        given = match.group(1) or given
    port = backward.roots[index]
    root = root_text(case, called, backward, index)
    seed = called.text(written) or given
    phrase = _phrase(given, seed, port)
    full = called.code.text(written) if called.code is not None and written is not None else seed
    new = _new_seed(phrase, tight(root), full, port)
    whole = _whole(called, phrase, written, new)
    node = case.node(backward.id, port.node) if port.node >= 0 else None
    return exam.writer.write(
        "seed-wrong-type",
        "error",
        called.code.place(written) if called.code is not None and written is not None else called.place,
        phrase,
        {
            "root": root,
            "seed": seed,
            "type": case.words("numpy-array") if given == "numpy.ndarray" else given.rpartition(".")[2],
            "function": called.function,
            "new": whole or new,
        },
        pass_id=backward.id,
        node=node.name if node is not None else "",
        expected_shape=port.spec.shape,
        received_shape=given,
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("seed", port.node, port.slot, -1, port.spec.shape, given),),
        changes=replacement(called.code, called.place, whole) if whole else (),
        **raised_at_call(error, backward.stack),
    )


def _culprit(called: PassCall, backward: model.Backward, given: str) -> tuple[int, ast.expr | None]:
    """Which output's seed it is, and where it is written: as one of a list of seeds, or as the argument itself."""
    argument = called.seed_argument
    is_method = called.call is not None and called.root_argument is called.call.receiver
    listed = given in ("list", "tuple") and isinstance(argument, (ast.List, ast.Tuple))
    if listed and not is_method and len(called.seeds) == len(backward.seeds) == len(backward.roots):
        none = [isinstance(each, ast.Constant) and each.value is None for each in called.seeds]
        wrong = next((i for i, seed in enumerate(backward.seeds) if seed is None and not none[i]), 0)
        return wrong, called.seeds[wrong]
    return 0, argument


def _whole(called: PassCall, phrase: str, written: ast.expr | None, new: str) -> str:
    """The call with a seed that fits, or without one; "" where its text isn't known."""
    argument = called.seed_argument
    if written is None or argument is None:
        return ""
    if phrase == "seed-is-flag":
        return rewritten(called, drop=argument, add=f"retain_graph={called.text(argument)}")
    if phrase in ("seed-is-one", "seed-is-nothing"):
        return rewritten(called, drop=argument)
    if written is not argument:
        new = f"[{', '.join(new if each is written else called.text(each) for each in called.seeds)}]"
    return rewritten(called, swap={argument: new})


def _phrase(given: str, seed: str, port: model.Port) -> str:
    scalar = port.spec.shape == ()
    if given == "bool":
        return "seed-is-flag"
    if _NUMBERS.match(given):
        return "seed-is-one" if scalar and seed in ("1", "1.0", "1.") else "seed-is-number"
    if given in _ARRAYS:
        return "seed-is-array"
    return "seed-is-nothing" if scalar else "seed-is-foreign"


def _new_seed(phrase: str, root: str, seed: str, port: model.Port) -> str:
    """The seed as a tensor; a number in as many copies as the output has entries."""
    if phrase == "seed-is-array":
        device = "" if port.spec.device == "cpu" else f", device={root}.device"
        tensor = f"torch.as_tensor({seed}, dtype={root}.dtype{device})"
        return tensor if port.spec.shape else f"{tensor}.reshape(())"
    if phrase == "seed-is-number":
        return f"torch.full_like({root}, {seed})"
    return f"torch.ones_like({root})"
