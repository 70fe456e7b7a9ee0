"""wrong-axis: shapes that fit although the dimensions mean something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.diagnose import shapes
from gradviz.diagnose.axes import walk_users
from gradviz.diagnose.build import replacement
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.modules import made_at, module_of
from gradviz.diagnose.naming import operand_name
from gradviz.diagnose.rules.broadcast import node_fields
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import UNARY, plain, shown
from gradviz.trace import model
from gradviz.trace.packing import VALUE_REQUIRES_GRAD

_RECURRENT = frozenset({"lstm", "gru", "rnn_tanh", "rnn_relu"})


def softmax_over_batch(exam: Examination) -> Iterator[Finding]:
    """Softmax over dimension 0 of rows from which then one class each is picked."""
    case = exam.case
    told: set[tuple[str, int]] = set()
    for op in case.ops:
        if plain(op.name) not in ("softmax", "log_softmax") or not op.operands or not op.results:
            continue
        shape, dim = op.operands[0].spec.shape, op.arguments.get("dim")
        if (
            len(shape) != 2
            or not isinstance(dim, int)
            or dim % 2 != 0
            or not op.operands[0].flags & VALUE_REQUIRES_GRAD
        ):
            continue
        place = case.place(op.stack)
        if (place.file, place.line) in told or not _picked_by_row(case, op):
            continue
        told.add((place.file, place.line))
        code = case.code(place.file)
        call = as_call(case.op_expression(op))
        axis = call.argument(1, "dim") if call is not None else None
        if axis is None and call is not None:
            axis = call.argument(0, "dim")
        line = code.line(place.line).strip() if code is not None else ""
        change = replacement(code, code.place(axis), "1") if code is not None and axis is not None else ()
        yield exam.writer.write(
            "wrong-axis",
            "warning",
            place,
            "axis-softmax",
            {
                "op": shown(op.name),
                "name": operand_name(case, op, 0) or case.words("the-scores"),
                "shape": shapes.text(shape),
                "rows": shape[0],
                "classes": shape[1],
                "new": change[0].new[0].strip() if change else case.words("with-dim", line=line),
            },
            op=shown(op.name),
            expected_shape="dim=1 (classes)",
            received_shape="dim=0 (batch)",
            changes=change,
            confidence=0.8,
            **node_fields(case, op),
        )


def _picked_by_row(case: Case, op: model.Op) -> bool:
    found = False

    def visit(user: model.Op) -> bool:
        nonlocal found
        name, tensors = plain(user.name), sum(v.name == "index" for v in user.operands)
        picks = name == "getitem" and tensors == 2
        gathers = name == "gather" and user.arguments.get("dim") in (1, -1)
        found = found or picks or gathers or name in ("nll_loss", "cross_entropy")
        return name in UNARY and not found

    for result in op.results:
        walk_users(case, result.number, op.number, visit)
    return found


def batch_first(exam: Examination) -> Iterator[Finding]:
    """A recurrent layer that takes dimension 0 as time, of whose output the last entry of dimension 1 is then taken."""
    case = exam.case
    for op in case.ops:
        if plain(op.name) not in _RECURRENT or not op.results or not op.operands:
            continue
        given, out = op.operands[0].spec.shape, op.results[0]
        module = module_of(case, op)
        made = made_at(case, module) if module is not None else None
        if len(given) != 3 or given[1] == 1 or len(out.spec.shape) != 3 or op.arguments.get("batch_first") is True:
            continue
        if made is None or _says_batch_first(case, made) or not _last_of_second(case, out.number, op.number):
            continue
        code = case.code(made.file)
        calls = [n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and code.place(n) == made] if code else []
        text = code.text(calls[-1]) if code is not None and calls else ""
        new = f"{text[:-1]}, batch_first=True)" if text else "batch_first=True"
        yield exam.writer.write(
            "wrong-axis",
            "warning",
            made,
            "axis-batch-first",
            {
                "name": operand_name(case, op, 0) or case.words("the-sequence"),
                "shape": shapes.text(given),
                "steps": given[0],
                "rows": given[1],
                "new": new,
            },
            op=module.class_name if module is not None else shown(op.name),
            expected_shape=f"(T,B,F) = [{given[1]},{given[0]},{given[2]}]",
            received_shape=given,
            changes=replacement(code, made, new),
            symptom_line=op.stack[0].line if op.stack else None,
            confidence=0.8,
            **node_fields(case, op),
        )
        return


def _says_batch_first(case: Case, made: Place) -> bool:
    code = case.code(made.file)
    if code is None:
        return True
    calls = [n for n in ast.walk(code.tree) if isinstance(n, ast.Call) and code.place(n) == made]
    return any("batch_first" in code.text(call) or any(k.arg is None for k in call.keywords) for call in calls)


def _last_of_second(case: Case, value: int, after: int) -> bool:
    """Whether `out[:, -1]` is taken: the last time step of a batch that comes first."""
    for user in case.users(value, after):
        if plain(user.name) == "getitem":
            index = str(user.arguments.get("index", "")).replace(" ", "")
            if index in (":,-1", ":,-1,:"):
                return True
    return False
