"""worker-died and uncaught-exception: ends that no other rule explains."""

from __future__ import annotations

import ast
import re
import signal
from typing import Any

from gradviz.diagnose.build import raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.customs import custom_backward
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.rules.forward import first_sentence
from gradviz.diagnose.source import Place, as_call
from gradviz.diagnose.vocabulary import plain
from gradviz.trace import model

_REMOVED = re.compile(r"deprecated since version .* (?:and )?is now removed|module 'torch' has no attribute '(\w+)'")
# Functions that PyTorch dropped, with what took their place; what to mind is a fragment.
REPLACEMENTS = {
    "symeig": "linalg.eigh",
    "eig": "linalg.eig",
    "lstsq": "linalg.lstsq",
    "solve": "linalg.solve",
    "matrix_rank": "linalg.matrix_rank",
    "qr": "linalg.qr",
    "rfft": "fft.rfft",
    "irfft": "fft.irfft",
    "ger": "outer",
    "cholesky_solve": "cholesky_solve",
}
_UNCHANGED = "cholesky_solve"  # there is nothing to mind
_QUIET_ENDS = {"recording", "ok", "timeout", "stopped", "not-run"}


def worker_died(exam: Examination) -> Finding | None:
    """The process ended without a Python error, in the middle of a pass or by a signal."""
    case, run = exam.case, exam.case.run
    if run.status in _QUIET_ENDS or (run.status == "exited" and _by_sys_exit(case)):
        return None
    interrupted = next((e for e in reversed(case.exceptions) if e.type == "KeyboardInterrupt" and not e.caught), None)
    if interrupted is not None and run.signal in (None, signal.SIGINT):
        return _interrupted(exam, interrupted)
    unfinished = (p for p in reversed(case.passes) if p.outcome in ("running", "interrupted") and p.exception is None)
    running = next(unfinished, None)
    how = _how(case)
    if running is not None:
        index = running.running_node if running.running_node is not None else running.failed_node
        if index is not None and 0 <= index < running.nodes:
            return _died_at(exam, running, case.node(running.id, index), how)
    if run.signal is None and run.status != "killed":
        return None
    last = next((op for op in reversed(case.ops) if op.stack), None)
    place = case.place(running.stack if running is not None else last.stack if last is not None else ())
    phrase = "worker-died-forward" if last is not None or running is not None else "worker-died-early"
    return exam.writer.write("worker-died", "error", place, phrase, {"how": how, "line": place.line})


def _interrupted(exam: Examination, error: model.ExceptionInfo) -> Finding:
    """Python ends by SIGINT after a KeyboardInterrupt that nothing caught, and that has a traceback."""
    place = exam.case.place(error.stack)
    told = {"how": _how(exam.case), "line": place.line}
    return exam.writer.write("uncaught-exception", "error", place, "interrupted", told, **raised(error))


def _by_sys_exit(case: Case) -> bool:
    """Whether sys.exit ended the run, from a hook for one; the recorder notes that, and os._exit leaves no note."""
    return any(note.kind == "exited" for note in case.trace.notes())


def _how(case: Case) -> str:
    run = case.run
    if run.signal is not None:
        try:
            return signal.Signals(run.signal).name
        except ValueError:
            return case.words("ended-by-signal", number=run.signal)
    return case.words("ended-with", code=run.exit_code)


def _died_at(exam: Examination, backward: model.Backward, node: model.Node, how: str) -> Finding:
    case = exam.case
    op = case.node_op(node)
    place = case.place(op.stack if op is not None and op.stack else backward.stack)
    made = case.words("an-unknown-call")
    if op is not None:
        made = case.words("call-on-line", op=plain(op.name), line=place.line)
    found = custom_backward(case, node)
    if found is not None:
        body = [s for s in found.method.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        place = found.code.place(body[0]) if len(body) == 1 else found.head
    return exam.writer.write(
        "worker-died",
        "error",
        place,
        "worker-died",
        {"how": how, "node": node.name, "op": made, "line": place.line},
        pass_id=backward.id,
        node=node.name,
        op=plain(op.name) if op is not None else "",
        step=case.steps_of(backward.id).get(node.index),
        symptom_line=backward.stack[0].line if backward.stack else None,
        marks=(Mark("node", node.index),),
    )


def uncaught(exam: Examination, error: model.ExceptionInfo, **more: Any) -> Finding:
    case = exam.case
    gone = _removed(case, error)
    place = case.place(error.stack)
    if not error.stack and error.raised_file and error.raised_line:
        place = Place(error.raised_file, error.raised_line)
    elif not error.stack:  # in the call of a function that is none of Python's, from gradviz
        place = Place("", 0)
    if gone is not None:
        old, fix = gone
        new = REPLACEMENTS[old]
        parts = {
            "old": old,
            "new": new,
            "difference": "" if old == _UNCHANGED else case.words(f"removed-{old}"),
            "framework": case.run.framework or case.words("this-pytorch"),
            "fix": fix,
        }
        return exam.writer.write(
            "uncaught-exception", "error", place, "removed-function", parts, op=old, **raised(error)
        )
    told: dict[str, object] = {
        "type": error.type.rpartition(".")[2],
        "reason": first_sentence(exam.case, error.message),
        "line": place.line,
    }
    phrase = "uncaught-caught" if error.caught else "uncaught" if place.file else "uncaught-nowhere"
    return exam.writer.write("uncaught-exception", "error", place, phrase, told, **(raised(error) | more))


def _removed(case: Case, error: model.ExceptionInfo) -> tuple[str, str] | None:
    """The name of a function that is gone, and the call with its replacement."""
    match = _REMOVED.search(error.message)
    if match is None or not error.stack:
        return None
    code = case.code(error.stack[0].file)
    if code is None:
        return None
    written = code.expression(error.stack[0])
    statement = code.statement_of(written) if written is not None else None
    for node in ast.walk(statement) if statement is not None else ():
        name = node.attr if isinstance(node, ast.Attribute) else ""
        if name in REPLACEMENTS:
            call = (
                next((as_call(n) for n in ast.walk(statement) if isinstance(n, ast.Call) and n.func is node), None)
                if statement
                else None
            )
            arguments = code.text(call.positional[0]) if call is not None and call.positional else "..."
            return name, f"torch.{REPLACEMENTS[name]}({arguments})"
    return None
