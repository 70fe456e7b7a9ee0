"""`gradviz`: picks the command, and turns every failure into one sentence and an exit code.

0 nothing at warning or above, 1 findings, 2 nothing could be started, 3 a fault of gradviz itself.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence

from gradviz.cli.options import parse
from gradviz.cli.streams import close_stdout, say, tell
from gradviz.errors import GradvizError, NotStartedError

OWN_FAULT = 3
READER_GONE = 141  # as of a Unix tool that SIGPIPE ended
COMMANDS = {  # command -> its module, loaded only when it is called: none shall wait for what another needs
    "open": "gradviz.cli.open_window",
    "check": "gradviz.cli.check",
    "record": "gradviz.cli.record",
    "export": "gradviz.cli.export",
    "selftest": "gradviz.cli.selftest",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the process's exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = _wants_json(given)
    _replace_closed_streams()
    try:
        options = parse(given, tuple(COMMANDS))
        return int(importlib.import_module(COMMANDS[options.command]).run(options))
    except GradvizError as error:
        return _not_run(str(error), error.exit_code, as_json)
    except KeyboardInterrupt:
        return _not_run("Stopped.", NotStartedError.exit_code, as_json)
    except BrokenPipeError:  # whoever read our output has enough
        close_stdout()
        return READER_GONE
    except Exception as error:  # noqa: BLE001  # any fault of ours shall be one sentence, not a traceback
        if "--traceback" in given:
            traceback.print_exc()
        place = traceback.extract_tb(error.__traceback__)[-1]
        sentence = f"gradviz failed: {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
        return _not_run(sentence, OWN_FAULT, as_json)


def _not_run(sentence: str, exit_code: int, as_json: bool) -> int:
    sentence = " ".join(sentence.split())
    tell(f"gradviz: {sentence}")
    if as_json:
        say(json.dumps({"format": 1, "status": "not-run", "error": sentence}, ensure_ascii=True) + "\n")
    return exit_code


def _wants_json(given: Sequence[str]) -> bool:
    own = given[: given.index("--")] if "--" in given else given
    return "--json" in own


def _replace_closed_streams() -> None:
    """A caller may have closed them (`>&-`); what is written then goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123  # for as long as we run
