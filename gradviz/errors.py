"""The one family of errors that gradviz raises itself; each carries the exit code of the command line."""

from __future__ import annotations


class GradvizError(Exception):
    """A failure with one clear sentence for the person: what, where, what to do."""

    exit_code = 3


class NotStartedError(GradvizError):
    """Nothing could be started: no such file, unreadable, bad option, no interpreter."""

    exit_code = 2


class TraceError(NotStartedError):
    """A recording that can't be opened: not a trace, damaged, or from a newer version."""


class ExportError(NotStartedError):
    """A picture that can't be written: unknown format, unwritable folder, full disk."""


class ExportCancelledError(ExportError):
    """The person didn't want to wait; nothing was written."""


class LayoutError(GradvizError):
    """A layout that an engine refused, failed or didn't finish in time."""
