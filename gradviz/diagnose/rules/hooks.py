"""hook-wrong-shape and hook-wrong-return: hooks that hand back a gradient that doesn't fit."""

from __future__ import annotations

import ast
import re
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.build import raised_at_call
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import inside
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.modules import user_codes
from gradviz.diagnose.source import Code, Place, called_name, method_of
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

CHANGED = re.compile(r"hook '(?P<name>[^']+)' has changed the (?P<what>size|type|device|dtype|layout)")
RETURNED = re.compile(
    r"Backward hook returned an invalid number of grad_input, got (?P<got>\d+), but expected (?P<want>\d+)|"
    r"hook.*(?:should return|must return|expected)|expected Variable, but hook returned|hook returned",
    re.I,
)
_REGISTERS = (
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_backward_hook",
    "register_hook",
    "register_prehook",
    "register_post_accumulate_grad_hook",
    "register_multi_grad_hook",
)


def raised_by_hook(
    exam: Examination, backward: model.Backward, node: model.Node | None, error: model.ExceptionInfo
) -> Finding | None:
    match = CHANGED.search(error.message)
    if match is not None:
        return _changed(exam, backward, node, error, match["name"], match["what"])
    match = RETURNED.search(error.message)
    if match is not None:
        return _returned(exam, backward, node, error, match)
    return None


def hook_functions(case: Case, name: str = "", registers: tuple[str, ...] = _REGISTERS) -> list[tuple[Code, ast.AST]]:
    """The functions that the script registers as hooks; only those called `name` when it is given."""
    found: list[tuple[Code, ast.AST]] = []
    for code in user_codes(case):
        for call in (
            n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and called_name(n) in registers and n.args
        ):
            hook = call.args[-1] if called_name(call) == "register_multi_grad_hook" else call.args[0]
            if isinstance(hook, ast.Lambda) and name in ("", "<lambda>") and not _gives_nothing(hook.body):
                found.append((code, hook))
            label = called_name(hook) if isinstance(hook, ast.Call) else ""
            owner = code.class_named(label) if label else None
            called = method_of(owner, "__call__") if owner is not None else None
            if called is not None and name in ("", label):
                found.append((code, called))
            label = hook.id if isinstance(hook, ast.Name) else hook.attr if isinstance(hook, ast.Attribute) else ""
            function = code.function_named(label) if label else None
            if function is not None and name in ("", label):
                found.append((code, function))
    return found


def _gives_nothing(body: ast.expr) -> bool:
    return isinstance(body, ast.Constant) and body.value is None


def _result(code: Code, hook: ast.AST) -> Place:
    """The line that gives the hook's result."""
    if isinstance(hook, ast.Lambda):
        return code.place(hook.body)
    if isinstance(hook, ast.FunctionDef):
        returns = [s for s in inside(code, hook) if isinstance(s, ast.Return)]
        return code.place(returns[-1]) if returns else Place(code.path, hook.lineno)
    return Place(code.path, 1)


def _expression(code: Code, hook: ast.AST) -> str:
    if isinstance(hook, ast.Lambda):
        return code.text(hook.body)
    returns = [s for s in inside(code, hook) if isinstance(s, ast.Return)] if isinstance(hook, ast.FunctionDef) else []
    return code.text(returns[-1].value) if returns else ""


def _parameter(hook: ast.AST, position: int) -> str:
    arguments = hook.args.args if isinstance(hook, (ast.FunctionDef, ast.Lambda)) else []
    return arguments[position].arg if position < len(arguments) else "grad"


def _fields(
    exam: Examination, backward: model.Backward, node: model.Node | None, error: model.ExceptionInfo
) -> dict[str, Any]:
    op = exam.case.node_op(node) if node is not None else None
    return {
        "pass_id": backward.id,
        "node": node.name if node is not None else "",
        "op": plain(op.name) if op is not None else "",
        "step": exam.case.steps_of(backward.id).get(node.index) if node is not None else None,
        "symptom_line": backward.stack[0].line if backward.stack else None,
        **raised_at_call(error, backward.stack),
    }


def _changed(
    exam: Examination,
    backward: model.Backward,
    node: model.Node | None,
    error: model.ExceptionInfo,
    name: str,
    what: str,
) -> Finding:
    hooks = _told_hook(exam.case, error) or hook_functions(exam.case, name)
    place = _result(*hooks[0]) if hooks else exam.case.place(backward.stack)
    expected = _told_shape(error, "received")
    if expected is None and node is not None and node.expected:
        expected = node.expected[0].shape
    got = _told_shape(error, "returned")
    written = _expression(*hooks[0]) if hooks else ""
    if got is None and expected is not None:
        got = _reduced(written, expected)
    parameter = _parameter(hooks[0][1], 0) if hooks else "grad"
    size = what == "size"
    return exam.writer.write(
        "hook-wrong-shape" if size else "hook-wrong-return",
        "error",
        place,
        "hook-shape" if size else "hook-kind",
        {
            "name": name,
            "expected": shapes.text(expected) if expected is not None else exam.case.words("shape-of-gradient"),
            "got": shapes.text(got) if got is not None else exam.case.words("another-shape"),
            "what": what,
            "new": f"return ({written or parameter}).expand_as({parameter})" if size else f"return {parameter}",
        },
        expected_shape=expected,
        received_shape=got,
        marks=(Mark("node", node.index, expected=expected, received=got),) if node is not None else (),
        **_fields(exam, backward, node, error),
    )


def _told(error: model.ExceptionInfo) -> dict[str, Any]:
    hook = error.detail.get("hook")
    return hook if isinstance(hook, dict) else {}


def _told_hook(case: Case, error: model.ExceptionInfo) -> list[tuple[Code, ast.AST]]:
    """The hook that the recorder saw raise, by the line that its function begins on."""
    hook = _told(error)
    code = case.code(str(hook.get("file", "")))
    if code is None:
        return []
    for found in ast.walk(code.tree):
        if isinstance(found, (ast.Lambda, ast.FunctionDef)) and found.lineno == hook.get("line"):
            return [(code, found)]
    return []


def _told_shape(error: model.ExceptionInfo, which: str) -> shapes.Shape | None:
    described = _told(error).get(which)
    shape = described.get("shape") if isinstance(described, dict) else None
    return tuple(shape) if isinstance(shape, list) and all(isinstance(d, (int, str)) for d in shape) else None


def _reduced(written: str, shape: shapes.Shape) -> shapes.Shape | None:
    """The shape that a reduction over one dimension, as it is written, makes of `shape`."""
    match = re.search(r"\.(?:mean|sum|amax|amin|prod)\((?:dim=|axis=)?(-?\d+)\)$", written)
    if match is not None and -len(shape) <= int(match.group(1)) < len(shape):
        position = int(match.group(1)) % len(shape)
        return shape[:position] + shape[position + 1 :]
    return () if re.search(r"\.(?:mean|sum|norm)\(\)$", written) else None


def _returned(
    exam: Examination,
    backward: model.Backward,
    node: model.Node | None,
    error: model.ExceptionInfo,
    match: re.Match[str],
) -> Finding:
    modules = tuple(name for name in _REGISTERS if "full" in name or name == "register_backward_hook")
    hooks = hook_functions(exam.case, registers=modules if match["want"] else _REGISTERS)
    place = _result(*hooks[-1]) if hooks else exam.case.place(backward.stack)
    written = _expression(*hooks[-1]) if hooks else ""
    expected = node.expected[0].shape if node is not None and node.expected else None
    if node is None or "Hook" not in node.name:
        node = _hook_node(exam.case, backward) or node
        expected = node.expected[0].shape if node is not None and node.expected else expected
    want = match["want"] or "1"
    shape = shapes.text(expected) if expected is not None else ""
    return exam.writer.write(
        "hook-wrong-return",
        "error",
        place,
        "hook-return",
        {"want": want, "written": written or exam.case.words("its-result"), "new": f"return ({written or 'grad'},)"},
        expected_shape=f"tuple of {want} gradient{'' if want == '1' else 's'} {shape}".strip(),
        received_shape=f"tensor {shape}".strip(),
        marks=(Mark("node", node.index),) if node is not None else (),
        **_fields(exam, backward, node, error),
    )


def _hook_node(case: Case, backward: model.Backward) -> model.Node | None:
    graph = case.trace.graph(backward.id)
    for index in range(len(graph)):
        node = case.node(backward.id, index)
        if "BackwardHookFunction" in node.name:
            return node
    return None
