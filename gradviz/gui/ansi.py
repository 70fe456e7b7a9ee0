"""Colours in terminal output: splits text with ANSI escape sequences into runs of one look; drops other codes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_SEQUENCE = re.compile(r"\x1b\[([0-9;:?]*)([ -/]*[@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
# the eight colours of terminals by the tokens that come nearest, so that they can be read in both themes
COLORS = ("text2", "error", "done", "warn", "accent", "changed", "note", "text")


@dataclass(frozen=True)
class Look:
    """How a run of text is shown; "" = the stream's own colour."""

    color: str = ""
    bold: bool = False


class Ansi:
    """Keeps the look from one piece of output to the next."""

    def __init__(self) -> None:
        self._look = Look()
        self._rest = ""

    def runs(self, text: str) -> list[tuple[str, Look]]:
        """The text without its codes, cut where the look changes. An unfinished code waits for the next piece."""
        text, self._rest = self._rest + text, ""
        start = text.rfind("\x1b")
        if start >= 0 and len(text) - start < 32 and not _SEQUENCE.match(text, start):
            text, self._rest = text[:start], text[start:]
        runs: list[tuple[str, Look]] = []
        at = 0
        for found in _SEQUENCE.finditer(text):
            if found.start() > at:
                runs.append((text[at : found.start()], self._look))
            at = found.end()
            if found[2] == "m":
                self._look = _after(self._look, found[1])
        if at < len(text):
            runs.append((text[at:], self._look))
        return runs


def _after(look: Look, codes: str) -> Look:
    """The look after a "select graphic rendition": bold, the eight colours and the bright ones; no others."""
    numbers = [int(code) if code.isdecimal() else 0 for code in codes.split(";")]
    if numbers and numbers[0] in (38, 48):
        return look  # 256 colours and RGB: not worth being unreadable in one of the themes
    for number in numbers:
        if number == 0:
            look = Look()
        elif number in (1, 22):
            look = replace(look, bold=number == 1)
        elif 30 <= number <= 37 or 90 <= number <= 97:
            look = replace(look, color=COLORS[number % 10])
        elif number == 39:
            look = replace(look, color="")
    return look
