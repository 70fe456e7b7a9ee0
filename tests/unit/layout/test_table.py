"""Which engine a request goes to, and what happens when it can't."""

from __future__ import annotations

import pytest

from gradviz.layout import table
from gradviz.layout.model import Engine, Request, Result
from gradviz.layout.simple import SimpleEngine
from tests.unit.layout.graphs import request


class Absent:
    name = "absent"
    limit = 10

    def available(self) -> bool:
        return False

    def arrange(self, request: Request) -> Result:
        raise AssertionError("an engine that isn't there was asked")


class Failing:
    name = "failing"
    limit = 10

    def available(self) -> bool:
        return True

    def arrange(self, request: Request) -> Result:
        raise RuntimeError("out of luck\nand more lines")


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    own = table.ENGINES[0]
    engines: tuple[Engine, ...] = (own, Absent(), Failing(), SimpleEngine())
    monkeypatch.setattr(table, "ENGINES", engines)


@pytest.mark.parametrize(
    ("wanted", "count", "got", "words"),
    [
        ("auto", 2, "own", ""),
        ("simple", 2, "simple", ""),
        ("nonsense", 2, "own", "no layout engine"),
        ("absent", 2, "own", "isn't installed"),
        ("failing", 11, "own", "takes too long for 11 nodes"),
        ("failing", 2, "own", "failed (RuntimeError: out of luck)"),
    ],
)
def test_who_arranges_and_what_is_said(engines: None, wanted: str, count: int, got: str, words: str) -> None:
    result = table.run(request(count, [(0, 1)], engine=wanted))
    assert result.engine == got
    assert words in result.note
    assert bool(words) == bool(result.note)
    assert "\n" not in result.note


def test_when_the_own_engine_fails_the_simple_one_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "ENGINES", (Failing(), SimpleEngine()))
    result = table.run(request(2, [(0, 1)]))
    assert result.engine == "simple"
    assert "so simple arranged the graph" in result.note


def test_every_engine_of_the_table_has_a_name_of_its_own() -> None:
    names = [engine.name for engine in table.ENGINES]
    assert names == ["own", "dot", "pygraphviz", "simple"]
    assert all(table.engine_named(name) is not None for name in names)
