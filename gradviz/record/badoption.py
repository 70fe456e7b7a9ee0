"""What the person gave for a run and can't be used: not the script's fault, so no finding tells of it."""

from __future__ import annotations


class BadOption(Exception):
    """One sentence that names the option."""

    __module__ = "builtins"  # where it is printed after all, without a place that the person doesn't know
