"""Reads a script that uses HIPS autograd: which library a written name comes from, and its like in autograd's."""

from __future__ import annotations

import ast

from gradviz.diagnose.source import Code

BOXES = "autograd.numpy"
# What is called otherwise in numpy than in math.
_RENAMED = {
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh", "atanh": "arctanh",
    "atan2": "arctan2", "pow": "power", "dist": "linalg.norm", "fsum": "sum",
}  # fmt: skip
# What autograd.scipy has with a gradient.
_SCIPY = {
    "special": frozenset(
        (
            "beta", "betainc", "betaln", "polygamma", "psi", "digamma", "gamma", "gammaln", "gammainc", "gammaincc",
            "rgamma", "multigammaln", "j0", "y0", "j1", "y1", "jn", "yn", "i0", "i1", "iv", "ive", "erf", "erfc",
            "erfinv", "erfcinv", "logit", "expit", "logsumexp",
        )
    ),
    "linalg": frozenset(("sqrtm", "solve_triangular", "solve_sylvester", "solve_banded")),
    "signal": frozenset(("convolve",)),
    "integrate": frozenset(("odeint",)),
    "stats": frozenset(("norm", "multivariate_normal", "beta", "gamma", "poisson", "t", "chi2", "dirichlet")),
}  # fmt: skip
_IN_SPECIAL = {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln"}  # math's


def imported(code: Code) -> dict[str, tuple[str, ast.Import | ast.ImportFrom]]:
    """What each name that an import binds stands for, in full, and the import."""
    found: dict[str, tuple[str, ast.Import | ast.ImportFrom]] = {}
    for statement in code.statements():
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                found[alias.asname or name] = (name, statement)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                found[alias.asname or alias.name] = (f"{statement.module}.{alias.name}", statement)
    return found


def full_name(code: Code, written: ast.expr) -> str:
    """'numpy.linalg.norm' of `onp.linalg.norm`; "" of what comes from no import."""
    parts: list[str] = []
    while isinstance(written, ast.Attribute):
        parts.append(written.attr)
        written = written.value
    found = imported(code).get(written.id) if isinstance(written, ast.Name) else None
    return ".".join([found[0], *reversed(parts)]) if found is not None else ""


def name_of(code: Code, module: str) -> str:
    """What a module is called in this script; "" where it isn't imported."""
    names = [name for name, (full, _) in imported(code).items() if full == module]
    if not names and any(
        alias.name == module and not alias.asname
        for statement in code.statements()
        if isinstance(statement, ast.Import)
        for alias in statement.names
    ):
        return module
    return names[-1] if names else ""


def own_numpy(code: Code | None) -> str:
    """What remedies call autograd.numpy: as the script does; `np` where it has no name, unless that is numpy itself."""
    if code is None:
        return "np"
    plain_np = imported(code).get("np")
    return name_of(code, BOXES) or (BOXES if plain_np is not None and plain_np[0] == "numpy" else "np")


def is_plain(full: str) -> bool:
    """Whether this is a function of numpy itself."""
    return full.startswith("numpy.")


def is_boxes(full: str) -> bool:
    """Whether this is a function of autograd's own, which knows boxes."""
    return full.startswith(("autograd.numpy.", "autograd.scipy."))


def like(code: Code, call: ast.Call) -> str:
    """The same call by a function of autograd's, or the import of that; "" where autograd has none."""
    full = full_name(code, call.func)
    boxes = own_numpy(code)
    arguments = code.text(call)[len(code.text(call.func)) :]
    library, _, rest = full.partition(".")
    if library == "numpy":
        return f"{boxes}.{rest}{arguments}"
    if library in ("math", "cmath"):
        if rest in _IN_SPECIAL:
            return f"from autograd.scipy.special import {_IN_SPECIAL[rest]}"
        return f"{boxes}.{_RENAMED.get(rest, rest)}{arguments}"
    module, _, function = rest.partition(".")
    if library == "scipy" and function.partition(".")[0] in _SCIPY.get(module, ()):
        return _of_scipy(code, call, f"{module}.{function}")
    if not full and isinstance(call.func, ast.Attribute) and call.func.attr == "dot" and len(call.args) == 1:
        return f"{boxes}.dot({code.text(call.func.value)}, {code.text(call.args[0])})"
    return ""


def _of_scipy(code: Code, call: ast.Call, name: str) -> str:
    root: ast.expr = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    full, statement = imported(code)[root.id]
    module, _, last = full.rpartition(".")
    alias = "" if last == root.id else f" as {root.id}"
    if isinstance(statement, ast.ImportFrom):
        return f"from autograd.{module} import {last}{alias}"
    if full != "scipy":
        return f"import autograd.{full} as {root.id}"
    arguments = code.text(call)[len(code.text(call.func)) :]
    return f"autograd.scipy.{name}{arguments}  # import autograd.scipy.{name.partition('.')[0]}"
