"""Groups that only the code tells of: calls of its functions, and sections of what is too long to be read."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.scene.build import Build, Shown
from gradviz.scene.code_rows import _cuts
from gradviz.scene.groups import READABLE
from gradviz.trace.model import Dim
from tests.builders import PassBuilder, TraceBuilder
from tests.large_recordings import rounds
from tests.unit.scene.scenes import built, names

SCRIPT = "def block(x):\n    return x\n" * 200


class Code:
    """Nodes in a row, each made at a chain of lines: (function, line), outermost first."""

    def __init__(self, path: Path, text: str = SCRIPT) -> None:
        self.trace = TraceBuilder(path, "/home/me/code.py", text)
        self.one: PassBuilder = self.trace.backward(self.trace.at(1))
        self.made: list[int] = []
        self.loose: list[int] = []  # to be handed on to by the next

    def node(
        self, *places: tuple[str, int], shape: tuple[Dim, ...] = (2, 4), name: str = "Mul", column: int = -1
    ) -> int:
        op = -1
        if places:
            lines = self.trace.stack(*[("/home/me/code.py", line, function) for function, line in reversed(places)])
            if column >= 0:
                lines = self.trace.at(places[-1][1], (column, column + 1))
            op = self.trace.op(name.lower(), lines, (), [(self.trace.value(), list(shape))])
        to = self.loose or self.made[-1:]
        self.loose = []
        self.made.append(self.one.node(f"{name}Backward0", list(shape), op=op, to=to, seq=len(self.made)))
        return self.made[-1]

    def save(self) -> Path:
        self.one.root(self.made[-1], [2, 4]).seed([2, 4])
        return self.one.steps(self.made[::-1]).end().save()


def titles(made: Build) -> list[tuple[str, str]]:
    return [(card.title, card.class_name) for card in made.draft.cards]


def two_calls(path: Path) -> Path:
    """Two functions called from the top, with a node between and a helper in the second."""
    code = Code(path)
    for at in range(30):
        code.node(("<module>", 100), ("encode", 10 + at), shape=(2, 4 + at))
    code.node(("<module>", 101), shape=(2, 99))
    for at in range(20):
        code.node(("<module>", 102), ("decode", 50 + at), shape=(3, 4 + at))
    for at in range(20):
        code.node(("<module>", 102), ("decode", 70), ("head", 80 + at), shape=(5, 4 + at))
    return code.save()


def test_what_a_call_made_is_one_group_with_the_functions_name_and_the_calls_line(tmp_path: Path) -> None:
    made = built(two_calls(tmp_path / "run.gradviz"))

    found = {card.title: card for card in made.draft.cards}
    assert (found["encode"].class_name, found["encode"].nodes) == ("line 100", 30)
    assert (found["decode"].class_name, found["decode"].nodes) == ("line 102", 40)
    assert made.draft.cards[found["head"].parent].title == "decode"
    assert found["encode"].shapes == "[2, 33]" and found["decode"].shapes == "[2, 99] → [5, 23]"


def test_the_view_opens_with_what_can_be_read(tmp_path: Path) -> None:
    made = built(two_calls(tmp_path / "run.gradviz"))

    assert len(made.draft) <= READABLE + 1  # the seed
    assert len(made.draft) > 3


def test_a_call_that_holds_nearly_all_gets_no_frame(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for at in range(80):
        code.node(("<module>", 100), ("main", 5), ("run", 10 + at), shape=(1, at))
    code.node(("<module>", 101))

    assert not any(title in ("main", "run") for title, _ in titles(built(code.save())))


def test_a_recursion_of_many_levels_is_no_tower_of_frames(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for depth in range(300):
        code.node(("<module>", 100), *[("power", 5)] * depth, ("power", 6), shape=(1, depth))

    made = built(code.save())

    depth_of = [0]
    for card in made.draft.cards:
        depth_of.append(depth_of[card.parent + 1] + 1)
    assert max(depth_of) <= 12
    assert len(made.draft) <= READABLE + 1


@pytest.mark.parametrize("count", [61, 200, 3000])
def test_a_long_script_opens_in_sections_by_its_lines(count: int, tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for at in range(count):
        code.node(("<module>", 1 + at), shape=(2, at))

    made = built(code.save())

    top = [card for card in made.draft.cards if card.parent < 0]
    assert 2 <= len(top) <= 40 and len(made.draft) <= READABLE + 1
    assert sum(card.nodes for card in top) == count
    assert top[0].title.startswith("lines 1–") and top[-1].title.endswith(f"–{count}")
    assert {card.class_name for card in top} == {f"part {at} of {len(top)}" for at in range(1, len(top) + 1)}


def test_a_section_ends_with_its_line(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for at in range(300):  # several calls in a line, at different columns
        code.node(("<module>", 1 + at // 3), shape=(2, at), column=at % 3)

    lines = [title.removeprefix("lines ").split("–") for title, _ in titles(built(code.save()))]

    assert all(int(last) + 1 == int(first) for (_, last), (first, _) in zip(lines, lines[1:]))


def test_nodes_of_which_no_line_is_known_are_in_sections_too(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for at in range(100):
        code.node(shape=(2, at))

    assert titles(built(code.save()))[0] == ("part 1 of 12", "")


def test_a_graph_that_can_be_read_is_left_alone(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for at in range(READABLE - 1):
        code.node(("<module>", 1 + at), shape=(2, at))

    assert titles(built(code.save())) == []


def test_a_section_ends_where_the_least_goes_across(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz")
    for block in range(10):  # eight nodes that the last one joins
        inside: list[int] = []
        for at in range(7):
            code.loose = code.made[-1:] if at == 0 else [inside[0]]
            inside.append(code.node(("<module>", 1 + 8 * block + at), shape=(block, at)))
        code.loose = inside
        code.node(("<module>", 8 + 8 * block), shape=(block, 9))

    made = built(code.save())

    assert [card.nodes for card in made.draft.cards] == [8] * 10


def test_more_rounds_than_can_be_read_are_opened_in_sections(tmp_path: Path) -> None:
    code = Code(tmp_path / "run.gradviz", "x = start\nfor t in range(500):\n    x = x * w\n    x = x.relu()\n")
    for _ in range(500):
        code.node(("<module>", 3))
        code.node(("<module>", 4), name="Relu")

    path = code.save()
    stack = built(path).draft.cards[0]
    made = built(path, shown=Shown(opened=frozenset({stack.key})))

    assert stack.copies == 500 and stack.parent < 0
    assert len(made.draft) <= READABLE + 1
    assert any(" – " in name for name in names(made))


def test_sections_of_one_module_called_again_and_again_are_told_apart(tmp_path: Path) -> None:
    path = rounds(tmp_path / "run.gradviz")
    stack = built(path).draft.cards[0]
    made = built(path, shown=Shown(opened=frozenset({stack.key})))

    assert (stack.title, stack.class_name, stack.copies) == ("cell", "RNNCell", 100)
    titles = [card.title for card in made.draft.cards if card.parent == 0]
    assert len(titles) > 1 and len(set(titles)) == len(titles)
    assert titles[0].startswith("cell 1 – ") and titles[-1].endswith(" – 100")


@pytest.mark.parametrize("cut", [0, 1, 2, 5, 20, 1000])
def test_folding_never_makes_a_circle(cut: int, tmp_path: Path) -> None:
    path = two_calls(tmp_path / "run.gradviz")
    keys = [each.key for each in built(path).draft.cards]

    draft = built(path, shown=Shown(opened=frozenset(keys[:cut]))).draft

    assert len(set(keys)) == len(keys)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(zip(draft.tail.tolist(), draft.head.tolist())))


@given(st.lists(st.integers(1, 5), min_size=2, max_size=300), st.integers(2, 36))
def test_cuts_rise_and_leave_no_piece_empty(boxes: list[int], count: int) -> None:
    crossing = np.random.default_rng(len(boxes)).integers(0, 4, len(boxes))

    found = _cuts(np.array(boxes), crossing, crossing > 2, count)

    assert found == sorted(set(found)) and len(found) < count
    assert all(0 < cut < len(boxes) for cut in found)
