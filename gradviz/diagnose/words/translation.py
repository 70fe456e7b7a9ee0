"""Another language for the findings: a JSON file with the keys of the English catalogue.

    {"silent-broadcast": {"title": "…", "message": "…", "explanation": "…", "fix": "…"}, …}

A part in braces stands for code, a name or a shape, and may be left out or moved, but not invented. What a file leaves
out is said in English, so that a translation may grow.
"""

from __future__ import annotations

import json
import string
from dataclasses import asdict, fields
from pathlib import Path

from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.phrase import Catalogue, Phrase
from gradviz.errors import NotStartedError

TEMPLATES = tuple(field.name for field in fields(Phrase))


def to_translate(catalogue: Catalogue = ENGLISH) -> str:
    """The file that a translator begins with: the English templates."""
    return json.dumps({key: asdict(phrase) for key, phrase in catalogue.items()}, ensure_ascii=False, indent=1)


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue of a translated file. Raises NotStartedError with one sentence for one that can't be spoken."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotStartedError(f"The translation {path} can't be read: {error}.") from error
    if not isinstance(entries, dict):
        raise NotStartedError(f"The translation {path} is no JSON object.")
    unknown = sorted(set(entries) - set(ENGLISH))
    if unknown:
        raise NotStartedError(f"The translation {path} has phrases that gradviz doesn't know: {', '.join(unknown)}.")
    return {key: _phrase(path, key, english, entries.get(key, {})) for key, english in ENGLISH.items()}


def parts_of(phrase: Phrase) -> frozenset[str]:
    """The named parts of its templates. Raises ValueError for a brace that isn't closed."""
    return frozenset().union(*(_parts(getattr(phrase, name)) for name in TEMPLATES))


def _phrase(path: Path, key: str, english: Phrase, entry: object) -> Phrase:
    if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
        raise NotStartedError(f"The translation {path} has no texts under {key}.")
    if set(entry) - set(TEMPLATES):
        raise NotStartedError(f"The translation {path} has texts under {key} that no phrase has.")
    phrase = Phrase(**{name: entry.get(name) or getattr(english, name) for name in TEMPLATES})
    try:
        invented = sorted(parts_of(phrase) - parts_of(english))
    except ValueError as error:
        raise NotStartedError(
            f"The translation {path} has a text under {key} that can't be filled: {error}."
        ) from error
    if invented:
        raise NotStartedError(f"The translation {path} uses parts under {key} that don't exist: {', '.join(invented)}.")
    return phrase


def _parts(template: str) -> set[str]:
    return {name.partition(".")[0].partition("[")[0] for _, name, _, _ in string.Formatter().parse(template) if name}
