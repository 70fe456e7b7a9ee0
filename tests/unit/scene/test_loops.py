"""Loops of the script's as groups: found at their lines, nested, in whole rounds; never where nothing tells of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

from gradviz.scene.build import Build, Shown
from gradviz.scene.model import Card, Kind
from tests.builders import PassBuilder, TraceBuilder
from tests.large_recordings import transformer
from tests.unit.scene.scenes import built, names

SCRIPT = """\
h = start
for t in range(steps):  # time
    h = cell(h)
    for k in range(3):
        h = relu(h)
        h = h * 2
    h = h + x[t]
loss = h.sum()
"""
Line = int


class Chain:
    """Nodes in a row, each handing its gradient on to the one made before it."""

    def __init__(self, path: Path, text: str = SCRIPT) -> None:
        self.trace = TraceBuilder(path, "/home/me/loop.py", text)
        self.one: PassBuilder = self.trace.backward(self.trace.at(8))
        self.made: list[int] = []
        self.weight = self.one.node(
            "AccumulateGrad", [4, 4], leaf=self.trace.leaf("W", [4, 4], self.trace.at(1)), seq=-1
        )

    def node(
        self,
        name: str,
        line: Line,
        shape: tuple[int, ...] = (2, 4),
        weighted: bool = False,
        columns: tuple[int, int] = (-1, -1),
    ) -> None:
        stack = self.trace.at(line, columns)
        op = self.trace.op(name, stack, (), [(self.trace.value(), list(shape))]) if line else -1
        to = self.made[-1:] + [self.weight] * weighted
        self.made.append(self.one.node(f"{name}Backward0", list(shape), op=op, to=to, seq=len(self.made)))

    def save(self) -> Path:
        self.one.root(self.made[-1], [2, 4]).seed([2, 4])
        return self.one.steps([*self.made[::-1], self.weight]).end().save()


def unrolled(path: Path, rounds: int = 20, inner: Callable[[int], int] = lambda number: 3) -> Path:
    chain = Chain(path)
    chain.node("Exp", 1)
    for number in range(rounds):
        chain.node("Mm", 3, weighted=True)
        for _ in range(inner(number)):
            chain.node("Relu", 5)
            chain.node("Mul", 6)
        chain.node("Add", 7)
    chain.node("Sum", 8, ())
    return chain.save()


def card(made: Build, title: str) -> Card:
    return next(each for each in made.draft.cards if each.title == title)


def loops(made: Build) -> list[Card]:
    """Stacks, not the sections that a long row is cut into."""
    return [each for each in made.draft.cards if each.copies]


def test_a_loop_is_one_box_with_its_first_line(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz", 200))

    loop = card(made, "for t in range(steps)")

    assert (loop.copies, loop.class_name, loop.nodes) == (200, "lines 3–7", 200 * 8 + 1)
    assert loop.shapes == "[2, 4] → [2, 4]" and loop.is_code
    assert names(made).count("for t in range(steps)") == 1 and len(made.draft) < 10


def test_the_rounds_of_a_short_loop_are_shown_where_nothing_else_is(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz", 20))

    assert [name for name in names(made) if name.startswith("iteration")] == [
        f"iteration {number}" for number in range(20, 0, -1)
    ]


def test_a_loop_in_a_loop_is_inside_its_round(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz"))

    inner = card(made, "for k in range(3)")
    around = made.draft.cards[inner.parent]

    assert (inner.copies, inner.class_name, inner.nodes) == (3, "lines 5–6", 6)
    assert around.title == "iteration 1" and made.draft.cards[around.parent].title == "for t in range(steps)"


def test_rounds_with_more_or_fewer_inner_rounds_are_still_one_loop(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz", 20, lambda number: 3 + number % 4))

    assert card(made, "for t in range(steps)").copies == 20


def test_a_round_begins_at_the_line_that_comes_first(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    chain.node("Add", 7)  # the first round's beginning left no nodes
    for _ in range(30):
        chain.node("Mm", 3)
        chain.node("Add", 7)
    made = built(chain.save(), shown=Shown(opened=frozenset({"loop 3-7#0"})))

    assert card(made, "rounds 2–31 of for t in range(steps)").copies == 30
    assert names(made).count("AddBackward0") == 1  # what belongs to no whole round stands outside


def test_a_nested_expression_begins_with_its_innermost_call(tmp_path: Path) -> None:
    # h = torch.tanh(W @ h + w): the outer call stands leftmost and runs last; the first round made one node less
    chain = Chain(tmp_path / "run.gradviz")
    spans = {"Mm": (19, 24), "Add": (19, 28), "Tanh": (8, 29)}
    for name in ("Add", "Tanh", *("Mm", "Add", "Tanh") * 30):
        chain.node(name, 3, columns=spans[name])
    chain.node("Sum", 8, ())
    made = built(chain.save(), shown=Shown(opened=frozenset({"loop 3-3#0"})))

    assert next(each for each in made.draft.cards if each.is_code).copies == 30
    assert names(made).count("TanhBackward0") == names(made).count("AddBackward0") == 1


def test_rounds_that_fill_their_stretch_are_all_in_it(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    chain.node("Exp", 1)
    for _ in range(40):
        chain.node("Cos", 3, columns=(20, 27))
        chain.node("Mul", 3, columns=(14, 27))
        chain.node("Add", 3, columns=(8, 27))
    chain.node("Sum", 8, ())

    assert card(built(chain.save()), "for t in range(steps)").copies == 40


def test_rounds_that_alternate_are_told_together(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    for number in range(60):
        chain.node("Sin" if number % 2 else "Cos", 5 + number % 2)
        chain.node("Mul", 7)
    made = built(chain.save())

    loop = card(made, "for t in range(steps)")

    assert (loop.copies, loop.class_name) == (30, "lines 5–7, 2 rounds each")
    assert {"iterations 1–2", "iterations 59–60"} <= set(names(made))


def test_an_inner_loop_of_two_rounds_is_no_second_round(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz", 40, lambda number: 2))

    loop = card(made, "for t in range(steps)")

    assert (loop.copies, loop.class_name) == (40, "lines 3–7")


def test_leaves_stand_in_the_round_that_uses_them(tmp_path: Path) -> None:
    made = built(unrolled(tmp_path / "run.gradviz", 20))

    folded = made.draft.kind == Kind.GROUP

    assert int(folded.sum()) == 20 and "W" not in names(made)


def test_lines_that_nothing_tells_of_make_no_loop(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    for _ in range(50):
        chain.node("Mm", 0)
        chain.node("Add", 0)

    assert loops(built(chain.save())) == []


@pytest.mark.parametrize(("rounds", "told"), [(8, True), (7, False)])
def test_many_rounds_of_one_node_are_a_stack(rounds: int, told: bool, tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    for at in range(55):
        chain.node(f"Other{at}", 1)
    for _ in range(rounds):
        chain.node("Relu", 5)
    chain.node("Sum", 8, ())
    made = built(chain.save())

    assert [(each.title, each.copies) for each in loops(made)] == [("for k in range(3)", 8)] * told
    if told:
        (stack,) = loops(made)
        opened = built(chain.trace.path, shown=Shown(opened=frozenset({stack.key})))
        assert stack.shapes == "[2, 4] → [2, 4]" and stack.nodes == 8
        assert names(made).count("ReluBackward0") == 0 and names(opened).count("ReluBackward0") == 8
        assert opened.draft.open_cards == (0,)


def uneven(path: Path, rounds: int, odd: Callable[[int], bool]) -> Path:
    """Rounds of Mm and Add; in the odd ones a Tanh between them."""
    chain = Chain(path)
    chain.node("Exp", 1)
    for number in range(1, rounds + 1):
        chain.node("Mm", 3, weighted=True)
        if odd(number):
            chain.node("Tanh", 5)
        chain.node("Add", 7)
    chain.node("Sum", 8, ())
    return chain.save()


def test_where_rounds_differ_each_stack_says_which_it_holds(tmp_path: Path) -> None:
    made = built(uneven(tmp_path / "run.gradviz", 40, lambda number: number in (10, 25)))

    loops = [(each.title, each.copies) for each in made.draft.cards if each.copies]

    assert loops == [
        ("rounds 1–9 of for t in range(steps)", 9),
        ("rounds 11–24 of for t in range(steps)", 14),
        ("rounds 26–40 of for t in range(steps)", 15),
    ]
    inner = [each.title for each in made.draft.cards if each.title.startswith("iteration")]
    assert {"iteration 1", "iteration 9", "iteration 11", "iteration 40"} <= set(inner)
    assert "iteration 10" not in inner


def test_an_odd_round_amid_rounds_that_alternate_is_counted(tmp_path: Path) -> None:
    made = built(uneven(tmp_path / "run.gradviz", 41, lambda number: number % 2 == 0 and number != 20))

    assert [(each.title, each.copies) for each in made.draft.cards if each.copies] == [
        ("rounds 1–16 of for t in range(steps)", 8),  # two each
        ("rounds 19–21 of for t in range(steps)", 3),
        ("rounds 23–40 of for t in range(steps)", 9),  # two each
    ]


def test_whole_rounds_are_found_where_pieces_of_them_repeat_by_themselves(tmp_path: Path) -> None:
    made = built(uneven(tmp_path / "run.gradviz", 45, lambda number: number % 3 == 0))

    assert [(each.title, each.class_name, each.copies) for each in made.draft.cards if each.copies] == [
        ("for t in range(steps)", "lines 3–7, 3 rounds each", 15)
    ]


def test_a_loop_that_runs_again_counts_anew(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    for _ in range(2):
        for _ in range(20):
            chain.node("Mm", 3)
            chain.node("Add", 7)
        chain.node("Exp", 1)
    made = built(chain.save())

    assert [(each.title, each.copies) for each in made.draft.cards if each.copies] == [
        ("for t in range(steps)", 20)
    ] * 2


def test_a_graph_that_can_be_read_as_it_is_has_no_loops(tmp_path: Path) -> None:
    assert built(unrolled(tmp_path / "run.gradviz", 4)).draft.cards == ()


@pytest.mark.parametrize(("columns", "told"), [((4, 9), True), ((-1, -1), False)])
def test_without_its_source_a_loop_is_told_by_columns_alone(
    columns: tuple[int, int], told: bool, tmp_path: Path
) -> None:
    chain = Chain(tmp_path / "run.gradviz", "this is (no program")
    for _ in range(40):
        chain.node("Mm", 3, columns=columns)
        chain.node("Add", 7, columns=columns)

    found = loops(built(chain.save()))

    assert [(each.title, each.copies) for each in found] == [("lines 3–7", 40)] * told


def test_equal_calls_side_by_side_in_a_line_are_no_loop(tmp_path: Path) -> None:
    chain = Chain(tmp_path / "run.gradviz")
    for _ in range(40):
        chain.node("Mm", 8)  # q, k, v = turn(x), turn(x), turn(x), as Python 3.10 tells of it
        chain.node("Add", 8)

    assert loops(built(chain.save())) == []


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 10, 1000])
def test_folding_never_makes_a_circle(cut: int, tmp_path: Path) -> None:
    path = unrolled(tmp_path / "run.gradviz", 12, lambda number: 3 + number % 2)
    keys = [each.key for each in built(path).draft.cards]

    draft = built(path, shown=Shown(opened=frozenset(keys[:cut]))).draft

    assert nx.is_directed_acyclic_graph(nx.DiGraph(zip(draft.tail.tolist(), draft.head.tolist())))


def test_a_stack_of_equal_modules_has_no_loop_in_it(tmp_path: Path) -> None:
    made = built(transformer(tmp_path / "run.gradviz", 5))

    assert not any(each.is_code for each in made.draft.cards)


def test_keys_stay_the_same_however_often_it_is_built(tmp_path: Path) -> None:
    path = unrolled(tmp_path / "run.gradviz")

    first, again = built(path).draft.cards, built(path).draft.cards

    assert first == again and len({each.key for each in first}) == len(first)


@pytest.mark.parametrize(("called_at", "told"), [(3, False), (1, True)])
def test_what_one_module_call_makes_is_one_round_of_the_loop_around_it(
    called_at: int, told: bool, tmp_path: Path
) -> None:
    """q, k and v, say, of which the library's lines aren't known."""
    chain = Chain(tmp_path / "run.gradviz")
    module = chain.trace.module("block", "Block", 0)
    call = chain.trace.call(module, chain.trace.at(called_at, (4, 20)), [2, 4], [2, 4])
    stack = chain.trace.at(3, (4, 20))
    for at in range(55):
        chain.node(f"Other{at}", 1)
    for name in ["Select", "Squeeze"] * 3:
        op = chain.trace.op(name, stack, (), [(chain.trace.value(), [2, 4])], call=call)
        to, seq = chain.made[-1:], len(chain.made)
        chain.made.append(chain.one.node(f"{name}Backward0", [2, 4], op=op, to=to, seq=seq, call=call))
    chain.node("Sum", 8, ())

    cards = built(chain.save()).draft.cards

    assert [each.copies for each in cards if each.title == "for t in range(steps)"] == [3] * told
