"""The catalogue: every phrase is whole, in plain words, and asked for by a rule."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradviz.diagnose
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.rules.crash import REPLACEMENTS
from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.fragments import PLACED, PLACES
from gradviz.diagnose.words.phrase import Phrase
from tests.unit.diagnose.fake_trace import FakeTrace

RULES = Path(gradviz.diagnose.__file__).parent


def parts(phrase: Phrase) -> set[str]:
    found: set[str] = set()
    for template in (phrase.title, phrase.message, phrase.explanation, phrase.fix):
        found |= {name.partition(".")[0] for _, name, _, _ in string.Formatter().parse(template) if name}
    return found


@pytest.mark.parametrize("key", sorted(ENGLISH.phrases))
def test_a_phrase_says_what_why_and_what_to_write(key: str) -> None:
    phrase = ENGLISH.phrases[key]

    sentences = [s for s in re.split(r"(?<=[.!?])\s", phrase.explanation) if s]
    assert phrase.title and not phrase.title.endswith(".")
    assert phrase.message and "\n" not in phrase.message
    assert 1 <= len(sentences) <= 5, sentences
    assert phrase.fix
    assert "!" not in phrase.title + phrase.message + phrase.explanation


@pytest.mark.parametrize("key", sorted(ENGLISH.phrases))
def test_a_phrase_takes_named_parts_only_and_misses_none_quietly(key: str) -> None:
    phrase = ENGLISH.phrases[key]

    filled = phrase.filled({name: f"<{name}>" for name in parts(phrase)})
    said = filled.title + filled.message + filled.explanation + filled.fix
    for name in parts(phrase):
        assert f"<{name}>" in said or f"'<{name}>'" in said
    if parts(phrase):
        with pytest.raises(KeyError):
            phrase.filled({})


def named(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(RULES.rglob("*.py")):
        if path.parent.name != "words":
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def asked() -> list[tuple[str, set[str], str]]:
    """Each fragment that the code asks for by a plain key: the key, its parts, and where."""
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if node.func.attr in ("words", "general") and isinstance(key, str):
                found.append((key, {each.arg for each in node.keywords if each.arg}, f"{path.name}:{node.lineno}"))
    return found


def test_fragments_are_asked_for_with_the_parts_that_they_name() -> None:
    wrong = [
        each for each in asked() if each[0] not in ENGLISH.fragments or named(ENGLISH.fragments[each[0]]) != each[1]
    ]

    assert wrong == []


def test_every_fragment_is_asked_for() -> None:
    placed = {f"{name}-{place}" for name in PLACED for place in PLACES}
    removed = {f"removed-{name}" for name in REPLACEMENTS} & set(ENGLISH.fragments)

    assert set(ENGLISH.fragments) - {key for key, _, _ in asked()} == placed | removed


def test_no_word_for_a_person_stands_outside_the_catalogue() -> None:
    """A text with English between its words, other than what is looked for in messages of Python and torch."""
    english = re.compile(
        r"\b(the|this|its|an|another|before|without|instead|itself|Give|Use|Make|Write)\b.* \w|\w \w+ \w+ \w"
    )
    found = []
    for path, tree in sources():
        patterns = {id(part) for node in ast.walk(tree) for part in looked_for(node)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in patterns else None
            is_code = isinstance(text, str) and " = " in text
            if isinstance(text, str) and english.search(text) and not is_code and path.name not in NOT_SHOWN:
                found.append(f"{path.name}:{node.lineno}: {text}")  # type: ignore[attr-defined]  # a constant has a line

    assert found == []


NOT_SHOWN = {"paper.py", "vocabulary.py", "parcel.py"}  # reasons to give up, lists of names, faults of our own
ASKS = {"compile", "search", "match", "findall", "sub", "_words", "startswith", "write"}


def looked_for(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, regular expressions, and what is searched for in a text."""
    if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
        yield node.body[0].value  # type: ignore[attr-defined]  # a docstring is an expression
    if isinstance(node, ast.Compare):
        yield node.left
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ASKS:
            yield from node.args


@pytest.mark.parametrize(("place", "words"), [("window", "in the Output pane"), ("terminal", "on stderr")])
def test_a_finding_says_where_to_look_in_the_words_of_the_place(place: str, words: str) -> None:
    trace = FakeTrace("raise ValueError('no')\n")
    trace.error("ValueError", "no", "raise ValueError('no')")

    (found,) = diagnose(trace, place=place)

    assert found.fix == f"Read the traceback {words}; it ends on line 1."


def test_at_a_terminal_no_finding_speaks_of_the_window() -> None:
    placed = {name: ENGLISH.fragments[f"{name}-terminal"] for name in PLACED}
    for phrase in ENGLISH.phrases.values():
        said = " ".join((phrase.title, phrase.message, phrase.explanation, phrase.fix))
        assert " pane" not in said
    assert " pane" not in " ".join(placed.values())


def test_every_phrase_is_asked_for_by_a_rule() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (RULES / "rules").glob("*.py"))
    made_up = {f"non-finite-{kind}" for kind in re.findall(r'": "(\w+)",', text)}  # chosen by the kind of the node

    unasked = {key for key in ENGLISH.phrases if f'"{key}"' not in text} - made_up

    assert unasked == set()
