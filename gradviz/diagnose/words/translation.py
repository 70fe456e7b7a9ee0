"""Another language for the findings: a JSON file with the keys of the English catalogue.

    {"silent-broadcast": {"title": "…", "message": "…", "explanation": "…", "fix": "…"}, …,
     "fragments": {"the-output": "…", …}}

A part in braces stands for code, a name or a shape, and may be left out or moved, but not invented. What a file leaves
out is said in English, so that a translation may grow.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path

from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.fragments import PLACED
from gradviz.diagnose.words.phrase import Catalogue, Phrase
from gradviz.errors import NotStartedError

TEMPLATES = tuple(field.name for field in fields(Phrase))
INSIDE = "fragments"  # key of the words that stand inside a phrase


def to_translate(catalogue: Catalogue = ENGLISH) -> str:
    """The file that a translator begins with: the English templates."""
    phrases = {key: asdict(phrase) for key, phrase in catalogue.phrases.items()}
    return json.dumps({**phrases, INSIDE: dict(catalogue.fragments)}, ensure_ascii=False, indent=1)


def read_catalogue(path: Path) -> Catalogue:
    """The catalogue of a translated file. Raises NotStartedError with one sentence for one that can't be spoken."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotStartedError(f"The translation {path} can't be read: {error}.") from error
    if not isinstance(entries, dict):
        raise NotStartedError(f"The translation {path} is no JSON object.")
    inside = entries.pop(INSIDE, {})
    unknown = sorted(set(entries) - set(ENGLISH.phrases))
    if unknown:
        raise NotStartedError(f"The translation {path} has phrases that gradviz doesn't know: {', '.join(unknown)}.")
    phrases = {key: _phrase(path, key, english, entries.get(key, {})) for key, english in ENGLISH.phrases.items()}
    return Catalogue(phrases, _fragments(path, inside))


def parts_of(phrase: Phrase) -> frozenset[str]:
    """The named parts of its templates. Raises ValueError for a brace that isn't closed."""
    return frozenset().union(*(_parts(getattr(phrase, name)) for name in TEMPLATES))


def _phrase(path: Path, key: str, english: Phrase, entry: object) -> Phrase:
    if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
        raise NotStartedError(f"The translation {path} has no texts under {key}.")
    if set(entry) - set(TEMPLATES):
        raise NotStartedError(f"The translation {path} has texts under {key} that no phrase has.")
    phrase = Phrase(**{name: entry.get(name) or getattr(english, name) for name in TEMPLATES})
    texts, known = [getattr(phrase, name) for name in TEMPLATES], parts_of(english)
    _require_known(path, key, texts, known | frozenset(PLACED))
    return phrase


def _fragments(path: Path, entries: object) -> Mapping[str, str]:
    if not isinstance(entries, dict) or not all(isinstance(text, str) for text in entries.values()):
        raise NotStartedError(f"The translation {path} has no texts under {INSIDE}.")
    unknown = sorted(set(entries) - set(ENGLISH.fragments))
    if unknown:
        raise NotStartedError(f"The translation {path} has fragments that gradviz doesn't know: {', '.join(unknown)}.")
    found = {key: entries.get(key) or english for key, english in ENGLISH.fragments.items()}
    for key, english in ENGLISH.fragments.items():
        _require_known(path, key, [found[key]], frozenset(_parts(english)))
    return found


def _require_known(path: Path, key: str, texts: Iterable[str], known: frozenset[str]) -> None:
    try:
        invented = sorted(frozenset().union(*map(_parts, texts)) - known)
    except ValueError as error:
        raise NotStartedError(
            f"The translation {path} has a text under {key} that can't be filled: {error}."
        ) from error
    if invented:
        raise NotStartedError(f"The translation {path} uses parts under {key} that don't exist: {', '.join(invented)}.")


def _parts(template: str) -> set[str]:
    return {name.partition(".")[0].partition("[")[0] for _, name, _, _ in string.Formatter().parse(template) if name}
