"""Reads and rewrites the call of the person's that started a backward pass."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.naming import names_module, value_name
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.source import Call, Code, Place, as_call, called_name
from gradviz.trace import model

_SEED_ARGUMENTS = {"backward": (1, "grad_tensors"), "grad": (2, "grad_outputs")}


@dataclass(frozen=True)
class PassCall:
    """How a backward pass was called: the expressions of its outputs and seeds where they can be told."""

    code: Code | None
    call: Call | None
    place: Place
    roots: tuple[ast.expr, ...]
    root_argument: ast.expr | None
    seed_argument: ast.expr | None
    seeds: tuple[ast.expr, ...]

    @property
    def function(self) -> str:
        return self.call.function if self.call is not None else "backward"

    def text(self, node: ast.AST | None) -> str:
        return self.code.short(node) if self.code is not None else ""


def pass_call(case: Case, backward: model.Backward) -> PassCall:
    """The call of `backward`; with `roots` and `seeds` empty where the text doesn't tell."""
    place = case.place(backward.stack)
    code = case.code(place.file)
    call = None
    if code is not None and backward.stack:
        name = "grad" if backward.entry == "grad" else "backward"
        written = code.expression(backward.stack[0], name)
        call = as_call(written) or _only_call(written, name)
    if code is None or call is None:
        return PassCall(code, None, place, (), None, None, ())
    if _is_method(code, call):
        first = call.receiver
        roots: tuple[ast.expr, ...] = (first,) if first is not None else ()
        seed = call.argument(0, "gradient")
    else:
        first = call.argument(0, "tensors" if call.function == "backward" else "outputs")
        roots = _items(code, first)
        seed = call.argument(*_SEED_ARGUMENTS.get(call.function, (2, "grad_outputs")))
    if isinstance(seed, ast.Constant) and seed.value is None:
        seed = None
    return PassCall(code, call, code.place(call.node), roots, first, seed, _items(code, seed))


def _only_call(written: ast.AST | None, name: str) -> Call | None:
    found = [n for n in ast.walk(written) if isinstance(n, ast.Call) and called_name(n) == name] if written else []
    return as_call(found[0]) if len(found) == 1 else None


def _is_method(code: Code, call: Call) -> bool:
    return call.receiver is not None and not names_module(code, call.receiver)


def _items(code: Code, argument: ast.expr | None) -> tuple[ast.expr, ...]:
    """The parts of a list argument, one tensor being a list of one; a name that holds a written list is looked up."""
    if argument is None:
        return ()
    if isinstance(argument, (ast.Tuple, ast.List)):
        return tuple(argument.elts)
    if isinstance(argument, ast.Name):
        bound = value_of(last_assignment(code, argument.id, argument), argument.id)
        if isinstance(bound, (ast.Tuple, ast.List)):
            return tuple(bound.elts)
        if isinstance(bound, (ast.ListComp, ast.BinOp)):
            return ()
    return (argument,)


def root_text(case: Case, called: PassCall, backward: model.Backward, index: int) -> str:
    """What the person calls output `index`; "the output" where no name is known."""
    if index < len(called.roots) and len(called.roots) == len(backward.roots):
        text = tight(called.text(called.roots[index]))
        if text:
            return text
    listed = called.text(called.root_argument)
    if isinstance(called.root_argument, ast.Name) and len(backward.roots) > 1:
        return f"{listed}[{index}]"
    return value_name(case, backward.roots[index].value) or (
        case.words("the-output") if len(backward.roots) == 1 else case.words("output-number", number=index)
    )


def seed_text(case: Case, called: PassCall, backward: model.Backward, index: int) -> str:
    if index < len(called.seeds) and len(called.seeds) == len(backward.seeds):
        text = called.text(called.seeds[index])
        if text:
            return text
    listed = called.text(called.seed_argument)
    if isinstance(called.seed_argument, ast.Name) and len(backward.seeds) > 1:
        return f"{listed}[{index}]"
    seed = backward.seeds[index]
    name = value_name(case, seed.value) if seed is not None else ""
    number = case.words("seed-number", number=index)
    return name or (called.text(called.seed_argument) if len(backward.seeds) == 1 else number) or case.words("the-seed")


def rewritten(
    called: PassCall, drop: ast.AST | None = None, swap: dict[ast.AST, str] | None = None, add: str = ""
) -> str:
    """The call as it should be written: an argument dropped, others put in other words, one added at the end."""
    if called.code is None or called.call is None:
        return ""
    swap = swap or {}
    parts = [swap.get(a, called.code.text(a)) for a in called.call.positional if a is not drop]
    for name, value in called.call.keywords.items():
        if value is not drop:
            parts.append(f"{name}={swap.get(value, called.code.text(value))}")
    if add:
        parts.append(add)
    return f"{called.code.text(called.call.node.func)}({', '.join(parts)})"
