"""Fixes tried from the window: one second run at a time, in a thread; what it showed stays with the open recording."""

from __future__ import annotations

import json
import shlex
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gradviz.document.hub import Hub
from gradviz.document.settings import RunSettings
from gradviz.document.state import Trying
from gradviz.errors import NotStartedError

if TYPE_CHECKING:  # they bring what the first paint doesn't wait for
    from gradviz.diagnose.finding import SeedRewrite
    from gradviz.document.attempt import Attempt
    from gradviz.document.supervisor import Supervisor
    from gradviz.document.trial import Trial
    from gradviz.trace.model import RunInfo

Post = Callable[[Callable[[], object]], None]


@dataclass(frozen=True)
class Surroundings:
    """How the first run was made: what the second one has again."""

    script: Path
    settings: RunSettings
    offered: str = ""
    typed: tuple[str, ...] = ()  # lines that the person gave it


class Trials:
    """All methods belong to the window's thread; the hub's `trying` tells how things stand."""

    def __init__(self, hub: Hub, post: Post) -> None:
        self._hub, self._post = hub, post
        self._wish = 0
        self._attempt: Attempt | None = None
        self._thread: threading.Thread | None = None

    def offer(self, possible: bool) -> None:
        """Whether there is something to try fixes with."""
        self._change(replace(self._trying, possible=possible))

    def start(self, rewrite: SeedRewrite, surroundings: Surroundings) -> None:
        """Run the script again with this rewrite; nothing while another fix is being tried."""
        if self._trying.running is not None:
            return
        self._wish += 1
        wish = self._wish
        self._change(replace(self._trying, running=rewrite, started=time.time(), stopping=False))

        def deliver(trial: Trial | None) -> None:
            if wish == self._wish:
                self._attempt = None
                self._keep(trial)

        def work() -> None:
            trial: Trial | None = None  # stands if a fault of ours passes through to threading's hook
            try:
                trial = self._tried(wish, rewrite, surroundings)
            finally:
                self._post(lambda: deliver(trial))

        self._thread = threading.Thread(target=work, name="trial", daemon=True)
        self._thread.start()

    def refuse(self, rewrite: SeedRewrite, reason: str) -> None:
        """It can't be tried now."""
        from gradviz.document.trial import not_run

        self._keep(not_run(rewrite, reason))

    def stop(self) -> None:
        """End the second run; what it showed until then is told."""
        if self._trying.running is not None:
            self._change(replace(self._trying, stopping=True))
            if self._attempt is not None:
                self._attempt.stop()

    def forget(self) -> None:
        """Another recording comes: end the second run, and drop what was tried."""
        self._wish += 1
        if self._attempt is not None:
            self._attempt.abandon()
            self._attempt = None
        self._change(Trying(possible=self._trying.possible))

    def join(self, seconds: float) -> None:
        if self._thread is not None:
            self._thread.join(seconds)

    # -- inside
    @property
    def _trying(self) -> Trying:
        return self._hub.view.trying

    def _keep(self, trial: Trial | None) -> None:
        others = tuple(each for each in self._trying.trials if trial is not None and each.rewrite != trial.rewrite)
        trials = self._trying.trials if trial is None else (*others, trial)
        self._change(replace(self._trying, running=None, stopping=False, trials=trials))

    def _change(self, trying: Trying) -> None:
        self._hub.change(None, trying=trying)

    def _tried(self, wish: int, rewrite: SeedRewrite, surroundings: Surroundings) -> Trial:
        """In the thread."""
        from gradviz.document.attempt import Attempt
        from gradviz.document.running import make_request, stdin_of
        from gradviz.document.trial import not_run

        settings, opened = surroundings.settings, None
        try:
            request = make_request(surroundings.script, settings, Path())
            stdin, opened = stdin_of(settings)
            request = replace(request, offered=surroundings.offered)
            attempt = Attempt(request, rewrite, stdin=stdin, started=lambda running: _type(running, surroundings))
            self._attempt = attempt
            if wish != self._wish:  # forgotten meanwhile
                attempt.abandon()
            elif self._trying.stopping:
                attempt.stop()
            return attempt.run()
        except NotStartedError as error:
            return not_run(rewrite, str(error))
        finally:
            _close(opened)


def surroundings_of(info: RunInfo, settings: RunSettings, script: Path) -> Surroundings:
    """Of a recording that was opened: how it was made, as far as it tells; the rest as this script was run last."""
    pairs: Sequence[Sequence[str]] = info.arguments if info.function else ()
    words = () if info.function else info.arguments
    function = info.function or ""
    made = replace(
        settings,
        interpreter=info.interpreter,
        arguments=shlex.join(map(str, words)) if sys.platform != "win32" else " ".join(map(json.dumps, words)),
        cwd=info.cwd,
        level=info.level,
        function=function,
        function_arguments={**settings.function_arguments, function: {str(name): str(text) for name, text in pairs}},
        seed_expressions={**settings.seed_expressions, function: info.seed_expression or ""},
    )
    return Surroundings(script, made)


def _type(supervisor: Supervisor, surroundings: Surroundings) -> None:
    """Begin to give the script what it was given before; in a thread, since one that doesn't read would block."""
    settings = surroundings.settings
    text = settings.stdin if settings.stdin_kind == "text" else "".join(f"{line}\n" for line in surroundings.typed)

    def write() -> None:
        supervisor.write_input(text.encode("utf-8", "surrogateescape"))
        supervisor.close_input()

    if settings.stdin_kind in ("text", "typed"):
        threading.Thread(target=write, name="stdin", daemon=True).start()


def _close(opened: IO[bytes] | None) -> None:
    if opened is not None:
        opened.close()
