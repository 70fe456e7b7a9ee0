"""tape-unwatched and its like: a gradient that is None, and why. TensorFlow raises nothing, or only later."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any

from gradviz.diagnose import shapes
from gradviz.diagnose.ancestry import ancestors
from gradviz.diagnose.build import new_line, raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import assignments, value_of
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.naming import made_name, operand_name
from gradviz.diagnose.source import Code, Place, as_call, called_name
from gradviz.diagnose.tape_blocks import Left, in_block, left_at, left_for_numpy
from gradviz.diagnose.tape_calls import TapeCall, made_place, tape_call, works_with_gradients
from gradviz.diagnose.tape_exits import assigned, came_back
from gradviz.diagnose.tape_missing import Missing, all_missing
from gradviz.diagnose.vocabulary import LEAVES_FOR_PYTHON, last_word, plain, shown
from gradviz.trace import model
from gradviz.trace.packing import OP_LEAVES_GRAPH

MOST_LOOKED_AT = 1_000  # calls behind one that is looked at
# What the Nones lead to: arithmetic with them, and what optimizers say.
EFFECT = re.compile(r"NoneType|No gradients provided for any variable|None values not supported")
ASSIGNING = {ast.Sub: "assign_sub", ast.Add: "assign_add"}


def find(exam: Examination) -> Iterator[Finding]:
    """One finding for each call of gradient(), of its first missing gradient."""
    told: set[tuple[str, int]] = set()
    for missing in all_missing(exam.case):
        backward = exam.case.backward(missing.pass_id)
        stack = backward.stack if backward is not None else missing.stack
        where = (stack[0].file, stack[0].line) if stack else ("", 0)
        if backward is None or where in told:
            continue
        told.add(where)
        yield _Explained(exam, missing, backward).finding()


def is_effect(exam: Examination, error: model.ExceptionInfo) -> bool:
    """Whether an error is what a missing gradient led to: it is told with that."""
    told = all_missing(exam.case) if EFFECT.search(error.message) is not None else []
    return any(_led_to(exam.case, one, error) for one in told)


def _led_to(case: Case, missing: Missing, error: model.ExceptionInfo) -> bool:
    """One gradient of several that is None matters where the code works with them."""
    return missing.is_whole or works_with_gradients(case, case.backward(missing.pass_id), error)


class _Explained:
    """Finds the words for one missing gradient."""

    def __init__(self, exam: Examination, missing: Missing, backward: model.Backward) -> None:
        self._exam = exam
        self._case = exam.case
        self._missing = missing
        self._backward = backward
        self._called: TapeCall = tape_call(exam.case, backward)
        self._made = made_place(exam.case, missing.made)
        self._name = self._called.source(missing.position) if missing.number("sources") == 1 else ""
        self._name = self._name or missing.name or exam.case.words("the-source")
        errors = (each for each in exam.case.exceptions if EFFECT.search(each.message))
        self._effect = next((each for each in errors if _led_to(exam.case, missing, each)), None)
        self._is_grave = missing.is_whole or self._effect is not None

    def finding(self) -> Finding:
        missing = self._missing
        if missing.reason == "integer":
            return self._write("dtype-mismatch", "error", self._source_place(), "tape-integer")
        if missing.reason in ("unwatched", "frozen"):
            return self._unwatched()
        loss = self._lost_on_the_way()
        if loss is not None:
            return loss
        if missing.reason == "target":
            return self._target()
        between = self._between()
        if between is not None:
            return between
        severity = "error" if self._is_grave else "note"
        return self._write("unused-input", severity, self._called.place, "tape-unconnected")

    def _write(self, rule: str, severity: str, place: Place, phrase: str, **more: Any) -> Finding:
        missing = self._missing
        parts: dict[str, object] = {
            "target": self._called.target(),
            "name": self._name,
            "tape": self._called.tape,
            "shape": shapes.text(missing.shape),
            "dtype": missing.dtype,
            "line": place.line,
        }
        parts.update(more.pop("parts", {}))
        error = self._effect
        effects = (f"{error.type.rpartition('.')[2]}: {error.message.splitlines()[0]}",) if error is not None else ()
        return self._exam.writer.write(
            rule,
            severity,
            place,
            phrase,
            parts,
            pass_id=self._backward.id,
            expected_shape=missing.shape,
            received_shape="None",
            symptom_line=self._called.place.line,
            effects=effects,
            **(more | raised(error)),
        )

    # -- a source that isn't watched

    def _unwatched(self) -> Finding:
        missing, case = self._missing, self._case
        severity = "error" if self._is_grave else "warning"
        place = self._made or self._called.place
        if missing.reason == "frozen":
            return self._write("tape-unwatched", severity, place, "tape-frozen")
        if missing.is_variable:
            return self._write("tape-unwatched", severity, place, "tape-unwatched-variable")
        maker = case.producer(missing.value)
        rebound = self._rebound(maker) if maker is not None else None
        if rebound is not None:
            return rebound
        return self._write("tape-unwatched", severity, place, "tape-unwatched", op="gradient")

    def _rebound(self, maker: model.Op) -> Finding | None:
        """The name stood for a variable, until arithmetic gave it a tensor."""
        case = self._case
        place = case.place(maker.stack)
        code = case.code(place.file)
        statement = code.statement(place.line) if code is not None and maker.stack else None
        name = made_name(case, maker, self._missing.value)
        if code is None or statement is None or not name.isidentifier():
            return None
        others = [value_of(s, name) for s in assignments(code, name, statement) if s is not statement]
        if not any(isinstance(v, ast.Call) and called_name(v) == "Variable" for v in others):
            return None
        new = self._assigned(name, statement)
        return self._write(
            "tape-unwatched",
            "error",
            place,
            "tape-rebound",
            parts={
                "name": name,
                "text": code.short(statement) or case.words("line-number", line=place.line),
                "new": new,
            },
            node="".join(part.capitalize() for part in plain(maker.name).split("_")),
            op=shown(maker.name),
            changes=new_line(code, place.line, new),
        )

    def _assigned(self, name: str, statement: ast.stmt) -> str:
        """The statement with the variable changed in its place."""
        code = self._called.code
        value = value_of(statement, name)
        if code is None or value is None:
            return f"{name}.assign(...)"
        if isinstance(statement, ast.AugAssign) and type(statement.op) in ASSIGNING:
            return f"{name}.{ASSIGNING[type(statement.op)]}({code.text(value)})"
        if isinstance(value, ast.BinOp) and type(value.op) in ASSIGNING and code.text(value.left) == name:
            return f"{name}.{ASSIGNING[type(value.op)]}({code.text(value.right)})"
        return f"{name}.assign({code.text(value)})"

    @cached_property
    def _nodes(self) -> dict[int, int]:
        """The node of each call that is on the tape."""
        ops = self._case.trace.graph(self._backward.id).op
        return {int(number): index for index, number in enumerate(ops) if number >= 0}

    def _hangs_on_tape(self) -> bool:
        """Whether the target was computed from what is on the tape, and by calls alone: elsewhere, then."""
        targets = self._missing.numbers("targets")
        behind = ancestors(self._case, targets[0]) if targets else iter(())
        for op in islice(behind, MOST_LOOKED_AT):
            if op.number in self._nodes or op.flags & OP_LEAVES_GRAPH:
                return not op.flags & OP_LEAVES_GRAPH
        return False

    def _at_last_node(self, op: model.Op) -> dict[str, Any]:
        """Points to the last node on the way from the source to this call: what there is of it on the tape."""
        case, pass_id, nodes = self._case, self._backward.id, self._nodes
        behind = (each for value in op.operands for each in ancestors(case, value.number, op.number))
        last = next((each for each in chain((op,), islice(behind, MOST_LOOKED_AT)) if each.number in nodes), None)
        if last is None:
            return {}
        return {"marks": (Mark("node", nodes[last.number]),), "node": case.node(pass_id, nodes[last.number]).name}

    def _source_place(self) -> Place:
        maker = self._case.producer(self._missing.value)
        if maker is not None and maker.stack:
            return self._case.place(maker.stack)
        return self._made or self._called.place

    # -- a way that breaks off

    def _lost_on_the_way(self) -> Finding | None:
        """A call that handed a followed tensor to Python, or that has no gradient."""
        case, missing = self._case, self._missing
        exits = [case.op_by_number[n] for n in missing.numbers("exits") if n in case.op_by_number]
        ends = [case.op_by_number[n] for n in missing.numbers("dead_ends") if n in case.op_by_number]
        if missing.reason == "target" and self._hangs_on_tape():
            return None
        severity = "error" if self._is_grave else "warning"
        outside = next((op for op in reversed(exits) if plain(op.name).strip("_") in _PYTHON), None)
        if outside is not None and missing.reason == "target":
            value = operand_name(case, outside, 0) or case.words("a-tensor")
            name = plain(outside.name)
            parts = {
                "op": _spoken(case, outside),
                "value": value,
                "new": _in_tensors(case, self._called, value),
            }
            op = "numpy" if name == "__array__" else name.strip("_")
            more = self._at_last_node(outside)
            return self._write(
                "detached", severity, case.place(outside.stack), "tape-numpy", parts=parts, op=op, **more
            )
        cut = ends[0] if ends else exits[-1] if exits and missing.reason == "target" else None
        if cut is None or not cut.stack:
            return None
        more = self._at_last_node(cut)
        return self._write(
            "detached",
            severity,
            case.place(cut.stack),
            "tape-cut",
            parts={"op": shown(cut.name)},
            op=shown(cut.name),
            **more,
        )

    def _target(self) -> Finding:
        case, missing = self._case, self._missing
        severity = "error" if self._is_grave else "warning"
        targets = missing.numbers("targets")
        maker = case.producer(targets[0]) if targets else None
        inside = maker is not None and in_block(case, maker.stack, self._made, self._called.tape)
        left = self._left_for_numpy(maker, "tape-numpy", severity)
        if left is not None:
            return left
        after = maker is not None and maker.operands and maker.number > missing.first_op
        if maker is not None and maker.stack and after and not inside:
            more = self._at_last_node(maker)
            place = case.place(maker.stack)
            return self._write("tape-unwatched", severity, place, "tape-ended", op=shown(maker.name), **more)
        put = self._assigned_between()
        return put or self._write("detached", severity, self._called.place, "tape-constant")

    # -- a target that hangs on the tape, by other ways than the one from the source

    def _between(self) -> Finding | None:
        case, missing = self._case, self._missing
        targets = missing.numbers("targets")
        exits = sorted(missing.numbers("exits"))
        out = came_back(case, missing.value, exits, targets[0]) if targets else None
        if out is None:
            maker = case.producer(targets[0]) if targets else None
            return self._assigned_between() or self._left_for_numpy(maker, "tape-between", "error")
        place = case.place(out.stack)
        code, written = case.code(place.file), case.op_expression(out)
        left = left_at(code, written) if code is not None and isinstance(written, ast.Call) else None
        value = operand_name(case, out, 0) or case.words("a-tensor")
        left = left or Left(place, _spoken(case, out), value)
        more = self._at_last_node(out)
        return self._numpy(code, left, "tape-between", "error", **more)

    def _assigned_between(self) -> Finding | None:
        """A variable was assigned what came of the source, and the target was computed from the variable."""
        case, missing = self._case, self._missing
        targets = missing.numbers("targets")
        put = assigned(case, missing.value, targets[0], missing.first_op) if targets else None
        if put is None:
            return None
        place = case.place(put.stack)
        code, call = case.code(place.file), as_call(case.op_expression(put))
        variable = code.short(call.receiver) if code is not None and call is not None else ""
        value = code.short(call.argument(0, "value")) if code is not None and call is not None else ""
        parts = {
            "variable": variable or case.words("a-variable"),
            "value": value or case.words("the-value"),
            "op": last_word(put.name),
        }
        return self._write("detached", "error", place, "tape-assigned", parts=parts, op=shown(put.name))

    def _left_for_numpy(self, maker: model.Op | None, phrase: str, severity: str) -> Finding | None:
        """A variable hands out its numbers unseen by the tape: only the text tells of it."""
        case, code = self._case, self._called.code
        written = case.op_expression(maker) if maker is not None else None
        if maker is not None and maker.stack:
            code = case.code(maker.stack[0].file)
        elif code is not None and self._called.call is not None:
            written = self._called.call.argument(0, "target")
        left = left_for_numpy(code, written, self._name) if code is not None and written is not None else None
        return self._numpy(code, left, phrase, severity) if left is not None else None

    def _numpy(self, code: Code | None, left: Left, phrase: str, severity: str, **more: Any) -> Finding:
        new = left.new or _in_tensors(self._case, self._called, left.value)
        parts = {"op": left.op, "value": left.value, "new": new}
        changes = new_line(code, left.place.line, left.new) if left.new else ()
        return self._write("detached", severity, left.place, phrase, parts=parts, op="numpy", changes=changes, **more)


_PYTHON = {name.strip("_") for name in LEAVES_FOR_PYTHON}


def _spoken(case: Case, out: model.Op) -> str:
    """What a sentence calls the way out to Python."""
    name = plain(out.name)
    if name == "__array__":
        return case.words("conversion-to-array")
    return f"{name.strip('_')}()" if name.startswith("__") else f".{name}()"


def _in_tensors(case: Case, called: TapeCall, value: str) -> str:
    return case.words("tensors-for-numpy", target=called.target(), value=value)
