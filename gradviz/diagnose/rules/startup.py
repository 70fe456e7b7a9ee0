"""syntax-error, missing-import, relative-import, needs-input, missing-argument: scripts that get to no gradient."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath

from gradviz.diagnose.build import raised
from gradviz.diagnose.case import Case
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.source import Place, as_call, called_name
from gradviz.trace import model

_SYNTAX = {"SyntaxError", "IndentationError", "TabError"}
_IMPORT = {"ImportError", "ModuleNotFoundError"}
# What a package is called on the index where its import name differs.
_PACKAGES = {
    "cv2": "opencv-python",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
}
_REQUIRED = re.compile(r"error: the following arguments are required: (.+)")


def find(exam: Examination, error: model.ExceptionInfo) -> Finding | None:
    """The finding for an error that has nothing to do with tensors."""
    kind = error.type.rpartition(".")[2]
    if kind in _SYNTAX:
        return _syntax(exam, error)
    if "shadowed_by" in error.detail:
        return _shadowed(exam, error, "missing-import" if kind in _IMPORT else "uncaught-exception")
    if kind in _IMPORT:
        return _import(exam, error)
    if kind == "EOFError" and _reads_input(exam.case, error):
        return _needs_input(exam, error)
    if kind == "IndexError" and "argv" in _line(exam.case, error):
        return _missing_argument(exam, error, "argv")
    return None


def _line(case: Case, error: model.ExceptionInfo) -> str:
    if not error.stack:
        return ""
    code = case.code(error.stack[0].file)
    return code.line(error.stack[0].line) if code is not None else ""


def _number(detail: dict[str, object], name: str, default: int = -1) -> int:
    value = detail.get(name)
    return value if isinstance(value, int) else default


def _syntax(exam: Examination, error: model.ExceptionInfo) -> Finding:
    detail = error.detail
    file = (
        detail.get("file")
        or detail.get("filename")
        or error.raised_file
        or exam.case.run.script
        or exam.case.run.target
    )
    line = max(1, _number(detail, "line", error.raised_line or 1))
    column, end = _number(detail, "column"), _number(detail, "end_column")
    zeros = _first_zero(exam.case, str(file))
    if zeros:
        parts = {"file": PurePath(str(file)).name, "line": zeros}
        told = {"raised_line": zeros, "raised_file": str(file)}
        return exam.writer.write("syntax-error", "error", Place(str(file), zeros), "not-text", parts, **told)
    place = Place(str(file), line, max(-1, column - 1), line, max(-1, end - 1))
    text = detail.get("text")
    code = exam.case.code(str(file))
    shown = (str(text) if text else code.line(line) if code is not None else "").strip()
    undeclared = "no encoding declared" in error.message or "utf-8" in error.message.lower()
    return exam.writer.write(
        "syntax-error",
        "error",
        place,
        "encoding-undeclared" if undeclared else "syntax-error",
        {"reason": error.message.partition(" (")[0], "line": line, "text": shown},
        raised_line=line,
        raised_file=str(file),
    )


def _first_zero(case: Case, file: str) -> int:
    """The line of the first zero byte, which no text has; 0 = there is none."""
    source = case.trace.source(file)
    text = source.text if source is not None and source.text is not None else ""
    return text.count("\n", 0, text.index("\0")) + 1 if "\0" in text else 0


def _import(exam: Examination, error: model.ExceptionInfo) -> Finding:
    place = exam.case.place(error.stack)
    if "relative import" in error.message:
        return exam.writer.write(
            "relative-import",
            "error",
            place,
            "relative-import",
            {"text": _line(exam.case, error).strip(), "script": exam.case.run.script or exam.case.run.target},
            **raised(error),
        )
    name = str(error.detail.get("name") or "") or error.message.rpartition("'")[0].rpartition("'")[2] or "?"
    top = name.partition(".")[0]
    parts = {
        "name": name,
        "package": _PACKAGES.get(top, top),
        "interpreter": exam.case.run.interpreter,
        "reason": error.message,
    }
    phrase = "missing-import" if error.type.endswith("ModuleNotFoundError") else "import-name"
    return exam.writer.write("missing-import", "error", place, phrase, parts, **raised(error))


def _shadowed(exam: Examination, error: model.ExceptionInfo, rule: str) -> Finding:
    file = PurePath(str(error.detail["shadowed_by"]))
    parts = {
        "module": error.detail.get("shadowed"),
        "file": file.parent.name if file.name == "__init__.py" else file.name,
        "reason": error.message.partition(" (")[0],
    }
    return exam.writer.write(rule, "error", exam.case.place(error.stack), "shadowed-module", parts, **raised(error))


def _reads_input(case: Case, error: model.ExceptionInfo) -> bool:
    return "input" in _line(case, error) or "stdin" in _line(case, error) or "reading a line" in error.message


def _needs_input(exam: Examination, error: model.ExceptionInfo) -> Finding:
    case = exam.case
    code = case.code(error.stack[0].file) if error.stack else None
    statement = code.statement(error.stack[0].line) if code is not None else None
    calls = (
        [n for n in ast.walk(statement) if isinstance(n, ast.Call) and called_name(n) == "input"] if statement else []
    )
    call = as_call(calls[0]) if calls else None
    prompt = code.text(call.positional[0]) if code is not None and call is not None and call.positional else ""
    place = case.place(error.stack)
    return exam.writer.write(
        "needs-input", "error", place, "needs-input", {"prompt": prompt or "input()"}, **raised(error)
    )


def _missing_argument(exam: Examination, error: model.ExceptionInfo, what: str) -> Finding:
    return exam.writer.write(
        "missing-argument",
        "error",
        exam.case.place(error.stack),
        "missing-argument-argv",
        {"what": what},
        **raised(error),
    )


def ended_early(exam: Examination) -> Finding | None:
    """What a script's own exit tells: arguments that argparse missed, or a status of its own."""
    run = exam.case.run
    if run.status != "exited" or not run.exit_code:
        return None
    errors = b"".join(chunk.data for _, chunk in exam.case.trace.output() if chunk.stream == "stderr")
    required = _REQUIRED.search(errors.decode("utf-8", "replace"))
    script = run.script or run.target
    if run.exit_code == 2 and required is not None:
        place = _call_place(exam.case, script, {"parse_args", "parse_known_args"})
        return exam.writer.write(
            "missing-argument", "error", place, "missing-argument", {"names": required.group(1).strip()}
        )
    place = _call_place(exam.case, script, {"exit", "_exit", "quit"})
    return exam.writer.write("exit-code", "note", place, "exit-code", {"code": run.exit_code})


def _call_place(case: Case, file: str, names: set[str]) -> Place:
    code = case.code(file)
    if code is not None:
        for statement in sorted(code.statements(), key=lambda s: s.lineno):
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and called_name(node) in names:
                    return code.place(node)
    return Place(file, 1)
