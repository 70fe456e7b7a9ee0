"""From the supervisor's config to a running script, and what is written about the way it ended."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from json import loads
from pathlib import Path
from typing import Any, NoReturn, Union

from gradviz.record import ending
from gradviz.record.badoption import BadOption
from gradviz.record.control import Channel, end_with_the_app
from gradviz.record.exceptiontext import shown as shown_value
from gradviz.record.importing import leave_own_copies
from gradviz.record.mainmodule import forget_file
from gradviz.record.passes import chosen_passes
from gradviz.record.seedreplacement import Numbers, seed_replacement
from gradviz.record.session import RecorderSession
from gradviz.record.source import COMPILE_ERRORS
from gradviz.record.target import FunctionTarget, ModuleTarget, ScriptTarget

Target = Union[ScriptTarget, ModuleTarget, FunctionTarget]
BAD_OPTION = 2  # exit status
# Frames of ours below the script's first: its recursion limit is meant without them. Before 3.12, exec counts as one.
OWN_DEPTH = 4 if sys.version_info >= (3, 12) else 5


class Launch:
    """A target about to run in this process, with its session."""

    def __init__(self, target: Target, session: RecorderSession) -> None:
        self._target = target
        self._session = session

    def run(self) -> None:
        """The script's code, to its end."""
        self._target.run(self._session)

    def ended(self) -> None:
        """Its code ran through."""
        ending.flush_output()
        self._forget_file()

    def exited(self, error: SystemExit) -> None:
        """It raised SystemExit, which goes on to Python itself."""
        ending.flush_output()
        code = error.code
        if isinstance(self._target, ModuleTarget) and not self._target.was_found:
            self._session.requests.answer({"said": "not-found", "reason": str(code)})
            return
        if code is not None and code != 0 and self._session.recording:
            stack = self._session.frames.stack_of_traceback(error.__traceback__)
            shown = code if isinstance(code, int) else shown_value(code)[:200]
            self._session.note("exited", f"The script ended itself with sys.exit({shown!r}).", stack, code=shown)

    def raised(self, error: BaseException) -> NoReturn:
        """Nobody caught it."""
        ending.flush_output()
        if isinstance(error, BadOption):
            self._session.requests.answer({"said": "bad-option", "reason": str(error)})
            raise SystemExit(BAD_OPTION)
        self._session.uncaught(error, "start" if isinstance(error, (ImportError, SyntaxError)) else "user")
        ending.print_error(error)
        self._forget_file()
        ending.leave_after(error)

    def _forget_file(self) -> None:
        if self._target.main is not None:
            forget_file(self._target.main)


def prepare(argv: Sequence[str], modules_before: set[str]) -> Launch:
    """Read the config, open the trace, patch what surrounds the script. A script that doesn't compile is left to
    Python.
    """
    config = loads(Path(argv[1]).read_bytes())
    arguments = list(argv[argv.index("--") + 1 :])
    target = _target(config, arguments[0])
    session = RecorderSession(config["trace"], config["level"], chosen_passes(config["passes"]), target.file)
    session.seed_replacement = seed_replacement(config.get("seed_replacement"))
    if session.seed_replacement is not None:
        session.pass_numbers = Numbers()
    if config.get("address"):
        session.channel = channel = _channel(config, session)
        atexit.register(channel.step_aside)  # the first to be registered is the last to be called
    atexit.register(session.end)
    _hide(target, arguments)
    if target.file is not None:
        session.writer.source(target.file)
    try:
        target.prepare()
    except COMPILE_ERRORS as error:
        _give_up(target, session, arguments, error)
    session.begin(own_process=True)
    leave_own_copies(modules_before, target.search_path)
    sys.setrecursionlimit(sys.getrecursionlimit() + OWN_DEPTH)
    return Launch(target, session)


def _target(config: dict[str, Any], given: str) -> Target:
    if config["kind"] == "module":
        return ModuleTarget(given)
    if config["kind"] == "function":
        return FunctionTarget(given, config["function"], config["arguments"], config.get("seed_gradient"))
    return ScriptTarget(given, config.get("offered", ""), config.get("seed_gradient"))


def _channel(config: dict[str, Any], session: RecorderSession) -> Channel:
    own_group = bool(config.get("own_group"))
    address = config["address"]
    if isinstance(address, list):  # a host and its port: JSON has no tuples
        address = tuple(address)
    channel = Channel(address, bytes.fromhex(config["authkey"]), session.requests, lambda: end_with_the_app(own_group))
    channel.start()
    return channel


def _hide(target: Target, arguments: list[str]) -> None:
    """The command line and the search path as a bare run has them."""
    sys.argv[:] = arguments
    if not getattr(sys.flags, "safe_path", False):
        assert target.search_path is not None
        sys.path.insert(0, target.search_path)
    original: list[str] | None = getattr(sys, "orig_argv", None)
    if original is not None:
        module = ["-m"] if isinstance(target, ModuleTarget) else []
        sys.orig_argv = [original[0], *module, *arguments]


def _give_up(target: Target, session: RecorderSession, arguments: list[str], error: BaseException) -> NoReturn:
    """It doesn't compile. Note the error; then Python itself shall say so, in its own words."""
    session.recording = True
    session.introduce()
    session.uncaught(error, "start")
    if isinstance(target, FunctionTarget):
        ending.print_error(error)
        ending.leave_after(error)
    session.end(error)
    command = [sys.executable, *arguments]
    if os.name == "nt":  # exec there would tell the supervisor that the process has ended
        import subprocess  # only here: the script shall find as few modules loaded as can be

        raise SystemExit(subprocess.run(command).returncode)
    os.execv(sys.executable, command)
