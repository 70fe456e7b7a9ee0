"""How a run ended, told from its exit status, from what the recorder said, and from what it wrote."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from gradviz.trace.writer import TraceWriter


@dataclass
class Heard:
    """What the recorder said over the control channel."""

    running: bool = False  # it got as far as the script
    failure: str = ""  # why it stopped writing
    not_found: str = ""  # what Python said of a module that isn't there
    bad_option: str = ""  # one sentence about an expression that was given for the run

    @property
    def unfit(self) -> bool:
        """What was asked for can't be run; nothing is wrong with the recorder."""
        return bool(self.not_found or self.bad_option)

    def take(self, message: dict[str, object]) -> None:
        """One message of the recorder's."""
        said, reason = message.get("said"), str(message.get("reason", ""))
        if said == "running":
            self.running = True
        elif said == "failure":
            self.failure = reason
        elif said == "not-found":
            self.not_found = reason.partition(": ")[2]
        elif said == "bad-option":
            self.bad_option = reason


def status_of(writer: TraceWriter, heard: Heard, returncode: int, sudden: bool) -> str:
    """ok | raised | exited | killed | not-run. `sudden`: it died amid a backward pass, without a word."""
    if heard.unfit:
        return "not-run"
    if returncode < 0:  # Python itself dies of SIGINT when nobody caught KeyboardInterrupt
        return "raised" if returncode == -signal.SIGINT and _main_thread_failed(writer) else "killed"
    if not heard.running and not _introduced(writer):
        return "not-run"
    if sudden:
        return "killed"
    if returncode == 0:
        return "ok"
    return "raised" if _main_thread_failed(writer) else "exited"


def plain_status(returncode: int) -> str:
    """What the exit status alone tells."""
    return "killed" if returncode < 0 else "exited" if returncode else "ok"


def code_and_signal(returncode: int) -> tuple[int | None, int | None]:
    """Of a process that ended: one of the two."""
    return (returncode, None) if returncode >= 0 else (None, -returncode)


def last_words(writer: TraceWriter) -> str:
    """The last line that a recorder which never began wrote to stderr."""
    writer.commit()
    rows = writer.path_connection().execute("SELECT data FROM output WHERE stream = 'stderr' ORDER BY id")
    lines = b"".join(data for (data,) in rows).decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def _introduced(writer: TraceWriter) -> bool:
    (python,) = writer.path_connection().execute("SELECT python FROM run").fetchone()
    return bool(python)


def _main_thread_failed(writer: TraceWriter) -> bool:
    question = "SELECT 1 FROM exception WHERE caught = 0 AND phase != 'thread' AND thread = 0"
    return writer.path_connection().execute(question).fetchone() is not None
