"""The words of findings in another language: one file replaces them all, and a broken one is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.diagnose.build import Writer
from gradviz.diagnose.case import Case
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.source import Place
from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.translation import parts_of, read_catalogue, to_translate
from gradviz.errors import NotStartedError
from tests.unit.diagnose.fake_trace import FakeTrace

OPEN, CLOSE = "«", "»"


def pseudo(path: Path) -> Path:
    """Every template in marks, its parts in place."""
    entries = json.loads(to_translate())
    marked = {key: {name: f"{OPEN}{text}{CLOSE}" for name, text in entry.items()} for key, entry in entries.items()}
    path.write_text(json.dumps(marked, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("key", sorted(ENGLISH.phrases))
def test_a_full_translation_replaces_every_sentence(key: str, tmp_path: Path) -> None:
    catalogue = read_catalogue(pseudo(tmp_path / "xx.json"))
    parts = dict.fromkeys(parts_of(ENGLISH.phrases[key]), "a")
    writer = Writer(Case(FakeTrace("x = 1\n")), catalogue)

    found = writer.write("uncaught-exception", "note", Place("script.py", 1), key, parts)

    for text in (found.title, found.message, found.explanation, found.fix):
        assert (text[0], text[-1]) == (OPEN, CLOSE)


def test_findings_speak_it(tmp_path: Path) -> None:
    trace = FakeTrace("err = pred - y\nerr.pow(2).mean()\n")
    pred, y, err = trace.tensor((4, 1), grad=True), trace.tensor((4,)), trace.tensor((4, 4), grad=True)
    trace.op("sub", "pred - y", (pred, y), err)
    trace.op("mean", "err.pow(2).mean()", (err,), trace.tensor((), grad=True))

    (found,) = diagnose(trace, read_catalogue(pseudo(tmp_path / "xx.json")))

    assert found.rule == "silent-broadcast"
    assert all(text.startswith(OPEN) for text in (found.title, found.message, found.explanation))
    assert "[4, 1]" in found.message


def test_what_is_left_out_is_said_in_english(tmp_path: Path) -> None:
    path = tmp_path / "zh.json"
    path.write_text(json.dumps({"silent-broadcast": {"title": "悄悄的广播"}}), encoding="utf-8")

    catalogue = read_catalogue(path)

    assert set(catalogue.phrases) == set(ENGLISH.phrases)
    assert catalogue.fragments == ENGLISH.fragments
    assert catalogue.phrases["silent-broadcast"].title == "悄悄的广播"
    assert catalogue.phrases["silent-broadcast"].message == ENGLISH.phrases["silent-broadcast"].message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "can't be read"),
        ("[]", "no JSON object"),
        ('{"no-such-phrase": {}}', "doesn't know: no-such-phrase"),
        ('{"silent-broadcast": []}', "no texts under silent-broadcast"),
        ('{"silent-broadcast": {"titel": "x"}}', "that no phrase has"),
        ('{"silent-broadcast": {"title": "{shape}"}}', "don't exist: shape"),
        ('{"silent-broadcast": {"title": "{a"}}', "can't be filled"),
        ('{"fragments": []}', "no texts under fragments"),
        ('{"fragments": {"the-input": 1}}', "no texts under fragments"),
        ('{"fragments": {"no-such": "x"}}', "fragments that gradviz doesn't know: no-such"),
        ('{"fragments": {"the-input": "{x}"}}', "parts under the-input that don't exist: x"),
        ('{"fragments": {"with-dim": "{line"}}', "text under with-dim that can't be filled"),
    ],
)
def test_a_broken_file_is_refused_in_one_sentence(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "xx.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(NotStartedError, match=reason):
        read_catalogue(path)
    with pytest.raises(NotStartedError, match="can't be read"):
        read_catalogue(tmp_path / "missing.json")


def test_fragments_are_said_in_it_too(tmp_path: Path) -> None:
    path = tmp_path / "zh.json"
    words = {"traceback-window": "在输出窗格中", "an-unknown-call": "某个调用"}
    path.write_text(json.dumps({"fragments": words}), encoding="utf-8")
    trace = FakeTrace("raise ValueError('no')\n")
    trace.error("ValueError", "no", "raise ValueError('no')")

    catalogue = read_catalogue(path)
    (found,) = diagnose(trace, catalogue)

    assert "在输出窗格中" in found.fix
    assert catalogue.fragments["the-input"] == ENGLISH.fragments["the-input"]
