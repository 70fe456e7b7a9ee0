"""The person's editor as a command: `code -g {file}:{line}`. Which one is there, and what to start. No Qt."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable

FILE, LINE = "{file}", "{line}"
KNOWN = (  # in the order in which they are looked for
    "code -g {file}:{line}",
    "codium -g {file}:{line}",
    "cursor -g {file}:{line}",
    "zed {file}:{line}",
    "subl {file}:{line}",
    "pycharm --line {line} {file}",
    "charm --line {line} {file}",
    "notepad++ -n{line} {file}",
    "kate -l {line} {file}",
    "gnome-text-editor +{line} {file}",
    "gedit +{line} {file}",
    "mousepad -l {line} {file}",
    "mate -l {line} {file}",
    "gvim +{line} {file}",
)


def usual_command(which: Callable[[str], str | None] = shutil.which) -> str:
    """The first known editor that is installed; "" without one: then the desktop opens the file, without its line."""
    return next((command for command in KNOWN if which(command.split()[0])), "")


def words_of(command: str, windows: bool = os.name == "nt") -> list[str]:
    """A command line as program and arguments; on Windows a backslash is part of a path. Raises ValueError."""
    words = shlex.split(command, posix=not windows)
    return [word.strip('"') for word in words] if windows else words


def fault_of(command: str) -> str:
    """What is wrong with a command as typed: "" nothing | quotes | file (it doesn't say where the file goes)."""
    try:
        words = words_of(command)
    except ValueError:
        return "quotes"
    return "" if not words or any(FILE in word for word in words[1:]) else "file"


def started_as(command: str, file: str, line: int) -> list[str]:
    """Program and arguments for a place; words that hold spaces in `file` stay one. Raises ValueError."""
    words = words_of(command)
    program = shutil.which(words[0]) or words[0]  # on Windows `code` is a batch file that only the path finds
    return [program, *(word.replace(FILE, file).replace(LINE, str(line)) for word in words[1:])]
