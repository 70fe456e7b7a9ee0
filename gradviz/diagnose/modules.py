"""nn.Modules: which one an op ran in, and the line of the script that made it."""

from __future__ import annotations

import ast

from gradviz.diagnose.case import Case
from gradviz.diagnose.source import Code, Place, called_name
from gradviz.trace import model


def module_of(case: Case, op: model.Op) -> model.Module | None:
    call = case.trace.call(op.call) if op.call >= 0 else None
    modules = case.trace.modules()
    return modules[call.module] if call is not None and 0 <= call.module < len(modules) else None


def label(module: model.Module) -> str:
    """How a sentence calls a module: 'model[3]', 'net.encoder.fc', or its class."""
    text = module.root_name or ""
    for part in module.path.split(".") if module.path else ():
        text += f"[{part}]" if part.isdigit() else f".{part}" if text else part
    return text or module.class_name


def leaf_label(case: Case, leaf: model.Leaf) -> str:
    """A parameter by the way that leads to it: 'enc.weight'; a variable by its name."""
    modules = case.trace.modules()
    at = leaf.module
    while at is not None and 0 <= at < len(modules):
        root = modules[at].root_name
        if root:
            return f"{root}.{leaf.name}" if leaf.name else root
        at = modules[at].parent
    return leaf.name


def made_at(case: Case, module: model.Module) -> Place | None:
    """The call that made a module: found by the name that holds it, or by its place in a Sequential."""
    last = module.path.rpartition(".")[2]
    names = {last} if last and not last.isdigit() else set()
    modules = case.trace.modules()
    owner = modules[module.parent] if module.parent is not None and 0 <= module.parent < len(modules) else None
    if not module.path and module.root_name:
        names = {module.root_name}
    for code in user_codes(case):
        found = [c for c in _makers(code, module.class_name) if _held_by(code, c) & names]
        if not found and last.isdigit():
            holder = owner.path.rpartition(".")[2] or owner.root_name if owner is not None else module.root_name
            found = _numbered(code, holder or "", int(last), module.class_name)
        if len(found) == 1:
            return code.place(found[0])
    return None


def user_codes(case: Case) -> list[Code]:
    """The person's files, the script first."""
    paths = dict.fromkeys(frame.file for op in case.ops[:2000] for frame in op.stack)
    codes = [case.code(path) for path in ([case.run.script] if case.run.script else []) + list(paths)]
    return list(dict.fromkeys(code for code in codes if code is not None))


def _makers(code: Code, class_name: str) -> list[ast.Call]:
    return [n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and called_name(n) == class_name]


def _held_by(code: Code, call: ast.Call) -> set[str]:
    """Names that the call's result is bound to: a variable, an attribute, the first argument of add_module."""
    statement = code.statement_of(call)
    names: set[str] = set()
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = zip(target.elts, statement.value.elts)
                names |= {_name(one) for one, value in pairs if value is call}
            elif statement.value is call:
                names.add(_name(target))
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        first = statement.value.args[0] if statement.value.args else None
        if called_name(statement.value) == "add_module" and isinstance(first, ast.Constant):
            names.add(str(first.value))
    return names


def _name(target: ast.expr) -> str:
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def _numbered(code: Code, holder: str, index: int, class_name: str) -> list[ast.Call]:
    """Child `index` of the Sequential or ModuleList that `holder` names."""
    found = []
    for maker in [*_makers(code, "Sequential"), *_makers(code, "ModuleList")]:
        parts = (
            maker.args[0].elts
            if len(maker.args) == 1 and isinstance(maker.args[0], (ast.List, ast.Tuple))
            else maker.args
        )
        if holder in _held_by(code, maker) and index < len(parts):
            child = parts[index]
            if isinstance(child, ast.Call) and called_name(child) == class_name:
                found.append(child)
    return found
