"""What a Document is, at one moment, and what it says to whoever shows it: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # they bring what the first paint doesn't wait for
    from gradviz.diagnose.finding import SeedRewrite
    from gradviz.document.trial import Trial


@dataclass(frozen=True)
class State:
    """What is open. `phase`: empty | ready (opened, never run) | running | stopping | ended (a recording is there)."""

    script: Path | None = None  # None: a recording whose script isn't on this machine
    function: str = ""
    recording: Path | None = None  # the file that is shown
    saved: bool = True  # False: the recording lies in the app's own folder and will expire
    phase: str = "empty"
    started: float = 0.0  # time.time() of the run that goes on
    waiting: bool = False  # the script waits for a line of input
    diagnosing: bool = False
    changed: bool = False  # the script's file differs from what was recorded

    @property
    def running(self) -> bool:
        return self.phase in ("running", "stopping")

    @property
    def title(self) -> str:
        """The name for the window's title: the script's, with its function; else the recording's."""
        named = self.script if self.script is not None else self.recording
        if named is None:
            return ""
        return named.name + (f"::{self.function}" if self.function else "")


@dataclass(frozen=True)
class Trying:
    """Fixes that are or were tried on the recording that is open. `possible`: there is a script to run again."""

    possible: bool = False
    running: SeedRewrite | None = None
    started: float = 0.0  # time.time() of the second run that goes on
    stopping: bool = False
    trials: tuple[Trial, ...] = ()  # one for each rewrite, the newest

    def trial_of(self, rewrite: SeedRewrite | None) -> Trial | None:
        return next((each for each in self.trials if each.rewrite == rewrite), None)


@dataclass(frozen=True)
class Notice:
    """Something to be told in a strip. `key` says what it speaks of: a later one with the same key replaces it,
    one without text takes it back. `action`: run_again | choose_interpreter | details | save | "" ."""

    key: str
    kind: str = "note"  # error | warning | note
    text: str = ""
    action: str = ""
    details: str = ""


@dataclass(frozen=True)
class Output:
    """A piece of what the script printed, decoded."""

    stream: str  # stdout | stderr
    text: str
