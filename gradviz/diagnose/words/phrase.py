"""What a finding says, as templates with named parts; a catalogue holds one for each way a rule can speak."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.diagnose.precedence import tight

_BINDS_AFTER = re.compile(r"\.\w|\[| [-+*/@] ")
_BINDS_BEFORE = re.compile(r"(?:^|[\w) ]) ?[-+*/@] $")


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
            written(self.fix, parts),
        )


def written(template: str, parts: Mapping[str, object]) -> str:
    """As str.format, but an expression that an operator of the template would tear apart goes in parentheses:
    `{name}.sum()` with a + b is (a + b).sum(). Raises KeyError.
    """
    pieces = list(string.Formatter().parse(template))
    bound = dict(parts)
    text = ""
    for number, (before, name, format_spec, conversion) in enumerate(pieces):
        text += before
        if name is None:
            continue
        after = pieces[number + 1][0] if number + 1 < len(pieces) else ""
        if name in bound and (_BINDS_AFTER.match(after) or _BINDS_BEFORE.search(before)):
            bound[name] = tight(str(parts[name]))
        field = "{" + name + (f"!{conversion}" if conversion else "") + (f":{format_spec}" if format_spec else "") + "}"
        text += field.format_map(bound)
        bound = dict(parts)
    return text


@dataclass(frozen=True)
class Catalogue:
    """All words of one language."""

    phrases: Mapping[str, Phrase]  # by the key that a rule asks for
    fragments: Mapping[str, str]  # templates that stand inside a phrase, see fragments.py
