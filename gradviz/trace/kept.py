"""Whether a recording without backward passes is one of a script that ran none, or of one whose passes weren't kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gradviz.trace.model import Note

NONE_KEPT = "no-pass-kept"  # the recorder's kind of note for it


class HasNotes(Protocol):
    def notes(self) -> Sequence[Note]: ...


def passes_not_kept(trace: HasNotes) -> int:
    """How many passes ran, where --passes kept none of them; they are numbered from 0. 0 in any other recording."""
    counts = [note.detail.get("count", 0) for note in trace.notes() if note.kind == NONE_KEPT]
    return next((count for count in counts if isinstance(count, int) and count > 0), 0)
