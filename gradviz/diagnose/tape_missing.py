"""The gradients that are None, as the recorder's notes tell of them."""

from __future__ import annotations

from gradviz.diagnose.case import Case
from gradviz.trace import model

NOTE = "tape-none"


class Missing:
    """One gradient that is None, as the recorder tells of it. A recording may come from anywhere: all is checked."""

    def __init__(self, note: model.Note) -> None:
        self._detail = note.detail
        self.stack = note.stack
        self.reason = str(note.detail.get("reason"))
        self.name = str(note.detail.get("name") or "")
        self.dtype = str(note.detail.get("dtype") or "")
        self.is_variable = bool(note.detail.get("variable"))
        self.value = self.number("value")
        self.pass_id = self.number("pass")
        self.position = self.number("position", 0)
        self.first_op = self.number("first_op")
        self.last_op = self.number("last_op")
        self.made = note.detail.get("made")
        self.shape = tuple(self.numbers("shape"))

    def number(self, key: str, otherwise: int = -1) -> int:
        found = self._detail.get(key)
        return found if isinstance(found, int) else otherwise

    def numbers(self, key: str) -> list[int]:
        found = self._detail.get(key)
        return [each for each in found if isinstance(each, int)] if isinstance(found, list) else []

    @property
    def is_whole(self) -> bool:
        """Whether no source of the call got a gradient."""
        return self.number("missing") == self.number("sources")


def all_missing(case: Case) -> list[Missing]:
    """In the order of the passes."""
    return [Missing(note) for note in case.trace.notes() if note.kind == NOTE]
