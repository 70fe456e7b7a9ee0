"""The options of all commands, and what they are read into."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from gradviz import __version__
from gradviz.document.paths import plain_path
from gradviz.document.run_request import LEVELS, SCRIPT_SUFFIXES, Target, read_target
from gradviz.errors import NotStartedError

CHECK_TIMEOUT = 60.0
DESCRIPTION = """\
A desktop debugger for gradients: runs a script, records its backward passes, says where they go wrong.

  gradviz [FILE]                     open the window, on a script or a recording
  gradviz check TARGET [-- ARGS]     run, diagnose, report
  gradviz record TARGET -o FILE      run, keep the recording
  gradviz export TARGET -o FILE      run, draw the graph

TARGET is script.py, -m package.module, script.py::function or a .gradviz recording. One whose name begins with a
dash follows a --, as in: gradviz check -- -script.py [-- ARGS]"""


@dataclass(frozen=True)
class Options:
    """All that can be asked for; a command looks at its own."""

    command: str
    target: Target | None
    recording: Path | None  # TARGET where it is a recording
    output: Path | None
    as_json: bool
    interpreter: str
    cwd: Path
    level: str
    passes: str
    timeout: float
    seed_gradient: str | None
    function_arguments: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]  # the script's
    tries: bool = False  # --try of check
    drawing: tuple[tuple[str, str], ...] = ()  # --theme, --scale, ... of export


DRAWING = ("theme", "direction", "scale", "pass_number")


class Parser(argparse.ArgumentParser):
    """Raises instead of exiting, so that --json holds for bad options too."""

    def error(self, message: str) -> NoReturn:
        raise NotStartedError(f"{message[:1].upper()}{message[1:]}. See gradviz --help.")


def parse(given: Sequence[str], commands: Sequence[str]) -> Options:
    """Raises NotStartedError for what can't be understood; --help and --version exit."""
    own, arguments = _parted(given)
    named = own[0] if own and own[0] in commands else ""
    found = _parser(named).parse_args(_without_dashed(own[1:] if named else own))
    if arguments and "target" in found and not (found.target or getattr(found, "module", None)):
        found.target, arguments = arguments[0], arguments[1:]  # a name that begins with a dash
        arguments = arguments[1:] if arguments[:1] == ["--"] else arguments
    command = named or "open"
    target, recording = _target(found, command)
    function_arguments = tuple(_pair(text) for text in getattr(found, "arg", ()))
    if function_arguments and (target is None or target.kind != "function"):
        raise NotStartedError("--arg belongs to a function: name it as script.py::function.")
    if arguments and (target is None or target.kind == "function"):
        raise NotStartedError("Arguments after -- belong to a script; a function gets its own with --arg NAME=EXPR.")
    return Options(
        command=command,
        target=target,
        recording=recording,
        output=getattr(found, "output", None),
        as_json=getattr(found, "json", False),
        interpreter=getattr(found, "python", None) or "",
        cwd=Path(getattr(found, "cwd", None) or Path.cwd()).absolute(),
        level=getattr(found, "level", "summaries"),
        passes=getattr(found, "passes", "all"),
        timeout=getattr(found, "timeout", 0.0),
        seed_gradient=getattr(found, "seed_gradient", None),
        function_arguments=function_arguments,
        arguments=tuple(arguments),
        tries=getattr(found, "tries", False),
        drawing=tuple((name, getattr(found, name)) for name in DRAWING if getattr(found, name, None)),
    )


def _parted(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what follows the first --."""
    at = given.index("--") if "--" in given else len(given)
    return list(given[:at]), list(given[at + 1 :])


def _without_dashed(own: Sequence[str]) -> list[str]:
    """Raises NotStartedError for the name of a script where only an option can stand."""
    for word in own:
        if (
            word.startswith("-")
            and "=" not in word
            and word.partition("::")[0].endswith((*SCRIPT_SUFFIXES, ".gradviz"))
        ):
            raise NotStartedError(f"A TARGET that begins with a dash is named after --: gradviz check -- {word}.")
    return list(own)


def _parser(command: str) -> Parser:
    title = f"gradviz {command}".strip()
    description = DESCRIPTION if not command else None
    parser = Parser(prog=title, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traceback", action="store_true", help="show where gradviz itself failed, if it does")
    if not command:
        parser.add_argument("--version", action="version", version=f"gradviz {__version__}")
    if command == "selftest":
        return parser
    parser.add_argument("target", nargs="?", metavar="FILE" if command in ("", "open") else "TARGET")
    if command in ("", "open"):
        return parser
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as python -m does")
    _add_run_options(parser, CHECK_TIMEOUT if command == "check" else 0.0)
    if command == "check":
        parser.add_argument("--json", action="store_true", help="the report as JSON, alone on stdout")
        parser.add_argument(
            "--try",
            dest="tries",
            action="store_true",
            help="try the fixes that replace a seed: the script runs once more for each (what it writes or sends, it"
            " writes or sends again), its files and the recording stay as they are",
        )
    else:
        parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="what to write")
    if command == "export":
        parser.add_argument("--theme", choices=("light", "dark"), help="colours (default: light)")
        parser.add_argument("--direction", choices=("down", "right"), help="the gradient's way (default: down)")
        parser.add_argument("--scale", metavar="N", help="of a PNG: pixels per unit")
        parser.add_argument("--pass", dest="pass_number", metavar="N", help="which backward pass, from 0")
    return parser


def _add_run_options(parser: Parser, timeout: float) -> None:
    ends = f"{timeout:g}, 0 = never" if timeout else "never"
    parser.add_argument(
        "--python", metavar="INTERPRETER", help="the Python that runs the script (default: gradviz's own)"
    )
    parser.add_argument("--cwd", metavar="DIR", help="the folder to run in (default: this one)")
    parser.add_argument("--level", choices=LEVELS, default="summaries", help="what is recorded (default: summaries)")
    parser.add_argument(
        "--passes",
        default="all",
        metavar="all|first|last|N[,M...]",
        help="which backward passes to keep; numbers count from 0, as in the report",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=timeout,
        metavar="S",
        help=f"end the script after S seconds (default: {ends})",
    )
    parser.add_argument("--seed-gradient", metavar="EXPR", help="seed for a function's result that is no scalar")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=EXPR", help="an argument of the function")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _target(found: argparse.Namespace, command: str) -> tuple[Target | None, Path | None]:
    text, module = getattr(found, "target", None), getattr(found, "module", None)
    if command in ("open", "selftest"):
        return (read_target(text), None) if text else (None, None)
    if bool(text) == bool(module):
        raise NotStartedError(
            f"gradviz {command} needs one TARGET: script.py, -m package.module or script.py::function."
        )
    if module:
        return Target("module", module), None
    text = str(text)
    if text.endswith(".gradviz"):
        return None, plain_path(Path(text))
    return read_target(text), None


def _pair(text: str) -> tuple[str, str]:
    name, mark, expression = text.partition("=")
    if not mark or not name.strip().isidentifier() or not expression.strip():
        raise NotStartedError(f"--arg wants NAME=EXPR such as x=torch.ones(3), not {text!r}.")
    return name.strip(), expression.strip()
