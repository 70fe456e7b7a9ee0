"""`gradviz selftest`: does this installation work? Records an example and opens a window unseen; one line per look."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from gradviz.cli.options import Options
from gradviz.cli.streams import say
from gradviz.document.interpreters import probe
from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Supervisor
from gradviz.errors import GradvizError
from gradviz.resources_path import resources_path
from gradviz.trace.reader import Trace


def run(options: Options) -> int:
    """Exit code 0 when all holds, else 3."""
    failed = 0
    for name, look in LOOKS:
        try:
            line = f"ok    {name}: {look()}"
        except (GradvizError, ImportError, OSError) as error:
            failed += 1
            line = f"FAIL  {name}: {error}"
        say(f"{line}\n")
    return 3 if failed else 0


def _resources() -> str:
    return f"{len(list(resources_path('examples').glob('*.py')))} examples"


def _interpreter() -> str:
    found = probe(sys.executable)
    return f"{found.path}, Python {found.version}, {', '.join(found.frameworks) or 'no framework'}"


def _recorder() -> str:
    """A script of one line, which needs no framework."""
    with TemporaryDirectory(prefix="gradviz-selftest-") as folder:
        script = Path(folder, "selftest.py")
        script.write_text("print('hello')\n", encoding="utf-8")
        request = RunRequest(Target("script", str(script)), sys.executable, Path(folder), Path(folder, "run.gradviz"))
        supervisor = Supervisor(request)
        supervisor.start()
        outcome = supervisor.wait()
        if outcome is None or outcome.status != "ok":
            raise GradvizError(f"a script of one line ended with {outcome}")
        with Trace(outcome.trace) as trace:
            printed = b"".join(chunk.data for _, chunk in trace.output())
        if printed.strip() != b"hello":
            raise GradvizError(f"it printed {printed!r}")
    return "a script was run and its recording read"


def _window() -> str:
    import PySide6

    return f"PySide6 {PySide6.__version__}"


LOOKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("resources", _resources),
    ("interpreter", _interpreter),
    ("recorder", _recorder),
    ("window", _window),
)
