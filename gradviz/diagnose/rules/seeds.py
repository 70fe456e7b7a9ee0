"""seed-shape-mismatch, seed-count-mismatch, implicit-non-scalar: what a backward pass was told to start from."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.calls import PassCall, pass_call, rewritten, root_text, seed_text
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.frameworks import module_name
from gradviz.diagnose.rules.offered_code import definition
from gradviz.diagnose.rules.seed_fix import seed_fix, seed_rewrite
from gradviz.diagnose.shapes import Shape
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import LOSSES, plain
from gradviz.trace import model

_LOSS_NAME = re.compile(
    r"(^|_)(loss|losses|cost|objective|obj|error|err|nll|penalty|energy|criterion|total|mse|bce|ce|kl|elbo|l\d*)(_|\d|$)",
    re.I,
)


def find(exam: Examination, backward: model.Backward) -> Finding | None:
    """The fault in what this pass started from, if there is one."""
    return count_mismatch(exam, backward) or shape_mismatch(exam, backward) or non_scalar(exam, backward)


def seed_shape_expected(backward: model.Backward, index: int) -> Shape:
    shape = backward.roots[index].spec.shape
    return ("B", *shape) if backward.batched else shape


def _root_fields(case: Case, backward: model.Backward, index: int) -> dict[str, Any]:
    """The finding's fields about the node that the seed enters."""
    port = backward.roots[index]
    fields: dict[str, Any] = {"pass_id": backward.id}
    if port.node >= 0:
        node = case.node(backward.id, port.node)
        op = case.node_op(node)
        fields |= {"node": node.name, "op": plain(op.name) if op is not None else ""}
    else:
        op = case.producer(port.value)
        fields["op"] = plain(op.name) if op is not None else ""
    return fields


def count_mismatch(exam: Examination, backward: model.Backward) -> Finding | None:
    roots, seeds = len(backward.roots), len(backward.seeds)
    if not seeds or seeds == roots:
        return None
    case, called = exam.case, pass_call(exam.case, backward)
    place = _argument_place(called)
    outputs = [root_text(case, called, backward, i) for i in range(roots)]
    new = f"[torch.ones_like(out) for out in {called.text(called.root_argument) or 'outputs'}]"
    if called.roots and len(called.roots) == roots and all(called.text(r) for r in called.roots):
        new = f"[{', '.join(f'torch.ones_like({name})' for name in outputs)}]"
    name = called.text(called.seed_argument)
    too_few = seeds < roots
    kind = "ones"
    if not too_few and called.code is not None and len(called.seeds) == seeds:
        kind = "first"
        new = f"[{', '.join(called.code.text(one) for one in called.seeds[:roots])}]"
    if isinstance(called.seed_argument, ast.Name):
        new = f"{name} = {new}"
    return exam.writer.write(
        "seed-count-mismatch",
        "error" if backward.outcome == "refused" else "warning",
        place,
        "seed-too-few" if too_few else "seed-too-many",
        {"roots": roots, "seeds": _count(case, seeds), "surplus": seeds - roots, "new": new},
        expected_shape=_count(case, roots),
        received_shape=_count(case, seeds),
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=tuple(Mark("seed", port.node, port.slot) for port in backward.roots if port.node >= 0),
        rewrite=seed_rewrite(backward, kind) if backward.outcome != "completed" else None,
        **_root_fields(case, backward, 0),
        **_raise_fields(case, backward),
    )


def _count(case: Case, number: int) -> str:
    return case.words("one-seed") if number == 1 else case.words("seeds", count=number)


def _raise_fields(case: Case, backward: model.Backward) -> dict[str, Any]:
    return {} if backward.outcome == "completed" else raised_at_call(case.exception(backward.exception), backward.stack)


def _argument_place(called: PassCall) -> Place:
    """Where the seeds are written: the line that binds the list, or the argument itself."""
    argument, code = called.seed_argument, called.code
    if argument is None or code is None:
        return called.place
    if isinstance(argument, ast.Name):
        bound = last_assignment(code, argument.id, argument)
        if bound is not None and value_of(bound, argument.id) is not None:
            return code.place(bound)
    return code.place(argument)


def shape_mismatch(exam: Examination, backward: model.Backward) -> Finding | None:
    if backward.outcome == "completed":
        return None
    for index, (port, seed) in enumerate(zip(backward.roots, backward.seeds)):
        if seed is None:
            continue
        given = seed.spec.shape
        shape = given[1:] if backward.batched else given
        if shape != port.spec.shape or (backward.batched and not given):
            return _shape_finding(exam, backward, index, port, seed)
    return None


def _shape_finding(
    exam: Examination, backward: model.Backward, index: int, port: model.Port, seed: model.Seed
) -> Finding:
    case, called = exam.case, pass_call(exam.case, backward)
    expected, received = seed_shape_expected(backward, index), seed.spec.shape
    if backward.phase == "offered" and case.run.seed_expression:
        return option_finding(exam, backward, port, received)
    root, name = root_text(case, called, backward, index), seed_text(case, called, backward, index)
    kind = _kind(case, backward, port, seed)
    argument = called.seed_argument
    written = called.seeds[index] if len(called.seeds) == len(backward.seeds) else None
    fix = seed_fix(called, kind, root, name, argument, written)
    new = fix.text
    place = (
        called.place
        if kind in ("seed-is-input", "seed-not-batched", "seed-is-stack")
        else _seed_place(case, called, backward, seed)
    )
    more = _root_fields(case, backward, index) | _raise_fields(case, backward)
    return exam.writer.write(
        "seed-shape-mismatch",
        "error",
        place,
        kind,
        {
            "root": root,
            "seed": name,
            "call": f"{called.function}()",
            "function": called.function,
            "expected": shapes.text(expected),
            "received": shapes.text(received),
            "count": received[0] if received else 0,
            "new": new,
        },
        expected_shape=expected,
        received_shape=received,
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("seed", port.node, port.slot, -1, expected, received, shapes.differing(expected, received)),),
        changes=replacement(called.code, called.place, new)
        if called.call is not None and "=" not in new.split("(")[0]
        else (),
        rewrite=seed_rewrite(backward, fix.kind, index if fix.one_only else -1),
        **more,
    )


def option_finding(exam: Examination, backward: model.Backward, port: model.Port, received: Shape) -> Finding:
    """The seed that was given for a function's result doesn't fit it."""
    case, expected = exam.case, port.spec.shape
    place = definition(case)
    return exam.writer.write(
        "seed-shape-mismatch",
        "error",
        place,
        "seed-of-option",
        {
            "function": case.run.function or case.words("the-script"),
            "seed": case.run.seed_expression,
            "expected": shapes.text(expected),
            "received": shapes.text(received),
            "new": f"{module_name(case.code(place.file), port.value)}.ones_like(output)",
        },
        expected_shape=expected,
        received_shape=received,
        marks=(Mark("seed", port.node, port.slot, -1, expected, received, shapes.differing(expected, received)),),
        rewrite=seed_rewrite(backward, "ones" if expected else "none"),  # as gradviz does without the option
        **_root_fields(case, backward, 0),
    )


def _kind(case: Case, backward: model.Backward, port: model.Port, seed: model.Seed) -> str:
    expected, received = port.spec.shape, seed.spec.shape
    if backward.batched:
        return "seed-not-batched" if received == expected else "seed-other"
    if _is_input(case, backward, seed):
        return "seed-is-input"
    if not expected:
        return "seed-for-scalar"
    if len(received) == len(expected) + 1 and received[1:] == expected and shapes.count(expected) > 1:
        return "seed-is-stack"
    if shapes.count(expected) == shapes.count(received):
        return "seed-same-count"
    return "seed-expands" if shapes.expands(received, expected) else "seed-other"


def _is_input(case: Case, backward: model.Backward, seed: model.Seed) -> bool:
    """Whether the seed is itself differentiated by: an input of the call, or a leaf of the graph."""
    if seed.value < 0:
        return False
    if any(port.value == seed.value for port in backward.inputs):
        return True
    leaf = case.leaf_by_value.get(seed.value)
    return leaf is not None and leaf.requires_grad


def _seed_place(case: Case, called: PassCall, backward: model.Backward, seed: model.Seed) -> Place:
    """The line that made the seed when it was made for nothing else, otherwise the call."""
    maker = case.origin(seed.value) if seed.value >= 0 else None
    used_elsewhere = [
        op
        for op in case.users(seed.value)
        if op.results and plain(op.name) not in ("backward", "grad", "ones_like", "detach")
    ]
    if maker is None or not maker.stack or used_elsewhere:
        argument = called.seed_argument
        return called.code.place(argument) if called.code is not None and argument is not None else called.place
    return case.place(maker.stack)


def non_scalar(exam: Examination, backward: model.Backward) -> Finding | None:
    if backward.outcome == "completed":
        return None
    for index, port in enumerate(backward.roots):
        given = backward.seeds[index] if index < len(backward.seeds) else None
        complex_number = port.spec.dtype.startswith("complex")
        if given is None and port.requires_grad and (complex_number or shapes.count(port.spec.shape) not in (1, -1)):
            return _non_scalar_finding(
                exam, backward, index, port, complex_number and shapes.count(port.spec.shape) == 1
            )
    return None


def _non_scalar_finding(
    exam: Examination, backward: model.Backward, index: int, port: model.Port, complex_number: bool
) -> Finding:
    case, called = exam.case, pass_call(exam.case, backward)
    root = root_text(case, called, backward, index)
    maker = case.producer(port.value)
    unreduced = maker is not None and maker.arguments.get("reduction") == "none" and plain(maker.name) in LOSSES
    place, new, phrase = called.place, "", "non-scalar"
    tried = "ones" if not port.spec.dtype.startswith("complex") or complex_number else ""
    if complex_number:
        phrase, place, new = "non-scalar-complex", _made_place(case, maker, place), f"{root}.real.backward()"
    elif unreduced and maker is not None:
        phrase, place, new = "non-scalar-unreduced", _reduction_place(case, maker, place), f"{root}.mean().backward()"
        tried = tried and "mean"
    elif _LOSS_NAME.search(root):
        place, new = _made_place(case, maker, place), f"{root}.mean().backward()"
        tried = tried and "mean"
    if not new:
        new = f"{root}.sum().backward()  # or {root}.backward(torch.ones_like({root}))"
    if called.function == "grad" and called.roots and called.call is not None:
        tried = tried and "ones"
        single = len(called.roots) == len(backward.roots) == 1
        new = (
            rewritten(called, swap={called.roots[0]: f"{root}.sum()"})
            if single
            else rewritten(
                called, add=f"grad_outputs=[torch.ones_like(out) for out in {called.text(called.root_argument)}]"
            )
        )
    elif len(backward.roots) > 1:
        tried = ""  # what is written starts from one of the outputs alone
    kind = f"{port.spec.dtype} scalar" if complex_number else port.spec.shape
    more = _root_fields(case, backward, index) | _raise_fields(case, backward)
    return exam.writer.write(
        "implicit-non-scalar",
        "error",
        place,
        phrase,
        {
            "root": root,
            "received": shapes.text(port.spec.shape),
            "count": shapes.count(port.spec.shape),
            "dtype": port.spec.dtype,
            "new": new,
        },
        expected_shape="real scalar" if complex_number else (),
        received_shape=kind,
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("seed", port.node, port.slot, -1, (), kind, shapes.differing((), port.spec.shape)),),
        changes=replacement(called.code, called.place, new.partition("  # ")[0]) if called.call is not None else (),
        rewrite=seed_rewrite(backward, tried),
        **more,
    )


def _made_place(case: Case, maker: model.Op | None, otherwise: Place) -> Place:
    return case.place(maker.stack) if maker is not None and maker.stack else otherwise


def _reduction_place(case: Case, maker: model.Op, otherwise: Place) -> Place:
    """Where reduction="none" is written: in the call of the loss, or where the loss module was made."""
    for frame in maker.stack[:1]:
        code = case.code(frame.file)
        call = as_call(code.expression(frame, maker.name)) if code is not None else None
        if code is None or call is None:
            break
        if "reduction" in call.keywords:
            return code.place(call.keywords["reduction"])
        holder = call.node.func
        name = holder.attr if isinstance(holder, ast.Attribute) else holder.id if isinstance(holder, ast.Name) else ""
        for statement in code.statements():
            made = as_call(statement)
            if made is None or "reduction" not in made.keywords or not isinstance(statement, ast.Assign):
                continue
            if any(
                isinstance(t, (ast.Name, ast.Attribute)) and name in (getattr(t, "id", ""), getattr(t, "attr", ""))
                for t in statement.targets
            ):
                return code.place(statement)
    return _made_place(case, maker, otherwise)
