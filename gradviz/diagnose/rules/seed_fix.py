"""What to write instead of a seed that doesn't fit, and the same as something that gradviz can try."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.diagnose.calls import PassCall, rewritten
from gradviz.diagnose.dataflow import last_assignment, value_of
from gradviz.diagnose.finding import SeedRewrite
from gradviz.trace import model

_TORCH = ("backward", "grad", "engine")  # entries whose seed the recorder can replace


@dataclass(frozen=True)
class SeedFix:
    """The line to write, and the kind of SeedRewrite that does what it says; "" = nothing that can be tried."""

    text: str
    kind: str
    one_only: bool = False  # of several seeds only the one that doesn't fit is another


def seed_fix(
    called: PassCall, kind: str, root: str, seed: str, argument: ast.expr | None, written: ast.expr | None
) -> SeedFix:
    """For the phrase `kind` of seed-shape-mismatch; `written` is the expression of the one seed that doesn't fit."""
    if kind in ("seed-is-input", "seed-for-scalar") and argument is not None and len(called.seeds) <= 1:
        single = called.call is not None and argument in (*called.call.positional, *called.call.keywords.values())
        if single and (not isinstance(argument, ast.Name) or len(called.roots) == 1) and len(called.roots) <= 1:
            return SeedFix(rewritten(called, drop=argument) or f"{root}.backward()", "none")
    if kind == "seed-not-batched":
        flag = called.call.argument(9, "is_grads_batched") if called.call is not None else None
        return SeedFix(rewritten(called, drop=flag), "unbatched")
    if kind == "seed-is-stack":
        if called.function == "grad":
            return SeedFix(rewritten(called, add="is_grads_batched=True"), "batched")
        return SeedFix(f"for row in {seed}: {root}.backward(row, retain_graph=True)", "rows")
    new, tried = _new_seed(kind, root, seed)
    known = root.isidentifier() or "." in root or "[" in root
    target = written if written is not None else argument
    if target is None or called.call is None or not known:
        return SeedFix(new, tried, one_only=True)
    bound = (
        last_assignment(called.code, argument.id, argument) if called.code and isinstance(argument, ast.Name) else None
    )
    value = value_of(bound, argument.id) if isinstance(argument, ast.Name) else None
    if isinstance(value, (ast.List, ast.ListComp, ast.BinOp)) and isinstance(argument, ast.Name):
        roots = called.text(called.root_argument) or "outputs"
        return SeedFix(f"{argument.id} = [torch.ones_like(out) for out in {roots}]", "ones")
    swap: dict[ast.AST, str] = {target: new}
    if target is not argument and argument is not None:
        items = [new if one is target else called.text(one) for one in called.seeds]
        swap = {argument: f"[{', '.join(items)}]"}
    return SeedFix(rewritten(called, swap=swap), tried, one_only=True)


def _new_seed(kind: str, root: str, seed: str) -> tuple[str, str]:
    """The expression to pass, and its kind of rewrite."""
    if kind == "seed-same-count" and seed.isidentifier():
        return f"{seed}.reshape({root}.shape)", "reshape"
    if kind == "seed-expands" and seed.isidentifier():
        return f"{seed}.expand_as({root})", "expand"
    return f"torch.ones_like({root})", "ones"


def seed_rewrite(backward: model.Backward, kind: str, output: int = -1) -> SeedRewrite | None:
    """The rewrite `kind` of the call that started `backward`; None for "".

    Ones of a stacked seed's shape are not what ones_like writes: with is_grads_batched only the flag can be tried.
    """
    if not kind or backward.entry not in _TORCH or (backward.batched and kind not in ("batched", "unbatched")):
        return None
    function = "grad" if backward.entry == "grad" else "backward"
    if not backward.stack:
        return SeedRewrite(kind, backward.id, function, output=output)
    frame = backward.stack[0]
    return SeedRewrite(kind, backward.id, function, frame.file, frame.line, frame.column, output)
