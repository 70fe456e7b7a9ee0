"""non-leaf-grad: reading .grad of a tensor that keeps none. torch itself only warns on stderr."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradviz.diagnose.build import new_line, raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.dataflow import last_assignment
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules import replaced_parameter
from gradviz.diagnose.source import Code, Place, root_name
from gradviz.trace import model

_WARNING = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+): UserWarning: The \.grad attribute of a Tensor that is not a leaf", re.M
)
_ASKED = re.compile(r",?\s*\brequires_grad\s*=\s*True\b")


@dataclass(frozen=True)
class Read:
    """A line that reads .grad, and the tensor's name there."""

    code: Code
    line: int
    name: str
    bound: ast.AST | None  # the statement that gave the name its value

    def led_to(self, error: model.ExceptionInfo) -> bool:
        """Whether it is the None that was read here which couldn't be used."""
        at = error.stack[0] if error.stack else None
        here = at is not None and at.file == self.code.path
        return here and at is not None and at.line == self.line and "NoneType" in error.message


def find(exam: Examination) -> Iterator[Finding]:
    """A finding for each such read: an error where the script then failed on the None."""
    case = exam.case
    for read in _reads(case):
        place = read.code.place(read.bound) if read.bound is not None else Place(read.code.path, read.line)
        error = next((each for each in case.exceptions if read.led_to(each)), None)
        new = _leaf_in_the_end(read)
        yield exam.writer.write(
            "non-leaf-grad",
            "warning" if error is None else "error",
            place,
            "non-leaf-made" if new else "non-leaf-grad",
            {"name": read.name or case.words("the-tensor"), "new": new},
            changes=new_line(read.code, place.line, new) if new else (),
            symptom_line=read.line,
            op="grad",
            **_made(case, place),
            **raised(error),
        )


def is_effect(exam: Examination, error: model.ExceptionInfo) -> bool:
    """Whether an error is told with the read of a .grad that is None."""
    return "NoneType" in error.message and any(read.led_to(error) for read in _reads(exam.case))


def _reads(case: Case) -> list[Read]:
    errors = b"".join(chunk.data for _, chunk in case.trace.output() if chunk.stream == "stderr")
    told, found = replaced_parameter.reads(case), list[Read]()
    for match in _WARNING.finditer(errors.decode("utf-8", "replace")):
        file, line = match["file"], int(match["line"])
        code = case.code(file)
        if code is None or (file, line) in told:
            continue
        told.add((file, line))
        statement = code.statement(line)
        reads = (
            [n for n in ast.walk(statement) if isinstance(n, ast.Attribute) and n.attr == "grad"] if statement else []
        )
        name = code.short(reads[0].value) if reads else ""
        bound = last_assignment(code, root_name(reads[0].value), reads[0]) if reads else None
        found.append(Read(code, line, name, bound))
    return found


def _leaf_in_the_end(read: Read) -> str:
    """The assignment with requires_grad where all is computed, where it stands at a call in the midst of it."""
    bound, code = read.bound, read.code
    if not isinstance(bound, ast.Assign) or len(bound.targets) != 1:
        return ""
    asking = [
        call
        for call in ast.walk(bound.value)
        if isinstance(call, ast.Call) and any(_asks(word) for word in call.keywords) and call is not bound.value
    ]
    if len(asking) != 1:
        return ""
    value = _ASKED.sub("", code.text(bound.value)).replace("(, ", "(")
    whole = value if isinstance(bound.value, ast.Call) else f"({value})"
    return f"{code.text(bound.targets[0])} = {whole}.requires_grad_()"


def _asks(word: ast.keyword) -> bool:
    return word.arg == "requires_grad" and isinstance(word.value, ast.Constant) and word.value.value is True


def _made(case: Case, place: Place) -> dict[str, Any]:
    """The node and shape of what a line made, for the finding's fields."""
    ops = [
        op
        for op in case.ops
        if op.stack and any(f.file == place.file and f.line == place.line for f in op.stack) and op.results
    ]
    for op in reversed(ops):
        for backward in case.passes:
            graph = case.trace.graph(backward.id)
            found = (graph.op == op.number).nonzero()[0].tolist()
            if found:
                node = case.node(backward.id, found[0])
                return {"node": node.name, "pass_id": backward.id, "expected_shape": op.results[0].spec.shape}
    return {}
