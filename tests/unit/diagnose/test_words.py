"""The catalogue: every phrase is whole, in plain words, and asked for by a rule."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import gradviz.diagnose
from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.phrase import Phrase

RULES = Path(gradviz.diagnose.__file__).parent


def parts(phrase: Phrase) -> set[str]:
    found: set[str] = set()
    for template in (phrase.title, phrase.message, phrase.explanation, phrase.fix):
        found |= {name.partition(".")[0] for _, name, _, _ in string.Formatter().parse(template) if name}
    return found


@pytest.mark.parametrize("key", sorted(ENGLISH))
def test_a_phrase_says_what_why_and_what_to_write(key: str) -> None:
    phrase = ENGLISH[key]

    sentences = [s for s in re.split(r"(?<=[.!?])\s", phrase.explanation) if s]
    assert phrase.title and not phrase.title.endswith(".")
    assert phrase.message and "\n" not in phrase.message
    assert 1 <= len(sentences) <= 5, sentences
    assert phrase.fix
    assert "!" not in phrase.title + phrase.message + phrase.explanation


@pytest.mark.parametrize("key", sorted(ENGLISH))
def test_a_phrase_takes_named_parts_only_and_misses_none_quietly(key: str) -> None:
    phrase = ENGLISH[key]

    filled = phrase.filled({name: f"<{name}>" for name in parts(phrase)})
    said = filled.title + filled.message + filled.explanation + filled.fix
    for name in parts(phrase):
        assert f"<{name}>" in said or f"'<{name}>'" in said
    if parts(phrase):
        with pytest.raises(KeyError):
            phrase.filled({})


def test_every_phrase_is_asked_for_by_a_rule() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (RULES / "rules").glob("*.py"))
    made_up = {f"non-finite-{kind}" for kind in re.findall(r'": "(\w+)",', text)}  # chosen by the kind of the node

    unasked = {key for key in ENGLISH if f'"{key}"' not in text} - made_up

    assert unasked == set()
