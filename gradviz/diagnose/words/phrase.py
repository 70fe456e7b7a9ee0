"""What a finding says, as templates with named parts; a catalogue holds one for each way a rule can speak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Phrase:
    """Templates for str.format. Code, names and shapes come in as parts and are never translated."""

    title: str  # what is wrong, in a few words
    message: str  # one sentence, with the shapes
    explanation: str  # what autograd did and why, two to four plain sentences
    fix: str  # the line to write

    def filled(self, parts: Mapping[str, object]) -> Phrase:
        """Raises KeyError for a part that the caller forgot."""
        return Phrase(
            self.title.format_map(parts),
            self.message.format_map(parts),
            self.explanation.format_map(parts),
            self.fix.format_map(parts),
        )


Catalogue = Mapping[str, Phrase]
