"""What the Document asks of files: is this a recording, has the script changed; and a run's outcome in a word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.document.recordings import SUFFIX

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.model import Source

MOST_SHOWN = 5_000_000  # bytes of a script shown before it has run


def outcome_of(findings: tuple[Finding, ...], status: str) -> tuple[str, int]:
    """The words of the recent list: the worst severity and how many there are of it."""
    for severity in ("error", "warning"):
        count = sum(each.severity == severity for each in findings)
        if count:
            return severity, count
    return ("stopped" if status in ("stopped", "killed", "timeout") else "ok"), 0


def stamp(path: Path | None) -> tuple[int, int] | None:
    """Changes when the file does; None without one."""
    try:
        state = path.stat() if path is not None else None
    except OSError:
        return None
    return (state.st_mtime_ns, state.st_size) if state is not None else None


def script_source(path: Path) -> Source | None:
    """The script as it lies there, to be shown before it has run; None where it can't be read."""
    from gradviz.trace.intern import declared_encoding  # the welcome page does without the trace's modules
    from gradviz.trace.interned import decoded
    from gradviz.trace.model import Source

    try:
        data = path.read_bytes() if path.stat().st_size <= MOST_SHOWN else None
    except OSError:
        return None
    encoding = declared_encoding(data)
    return Source(str(path), None if data is None else decoded(data, encoding), encoding)


def is_recording(path: Path) -> bool:
    """By its name, or under another one by what it begins with."""
    if path.suffix == SUFFIX:
        return True
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def differs(script: Path, recorded: Source) -> bool:
    """Whether the script's text is another one than what was recorded; False where nobody can tell."""
    if recorded.text is None:
        return False
    try:
        now = script.read_bytes().decode(recorded.encoding or "utf-8", "replace")
    except (OSError, LookupError):
        return False
    return now.replace("\r\n", "\n") != recorded.text.replace("\r\n", "\n")
