"""What groups say: parameters, shapes, norm; of modules, stacks, loops. What failed inside marks them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from gradviz.scene.build import Shown, build
from gradviz.scene.cards import MISSING
from gradviz.scene.model import Card
from gradviz.scene.sizes import monospaced
from gradviz.trace.reader import Trace
from tests.builders import Stats, TraceBuilder
from tests.example_findings import SEED_MISMATCH
from tests.modules import layered
from tests.unit.scene.scenes import built

NAN = float("nan")
FINE: Stats = (0, 0, 0, -1.0, 1.0, 0.0, 3.0)
MORE: Stats = (0, 0, 0, -1.0, 1.0, 0.0, 4.0)
BROKEN: Stats = (1, 0, 0, NAN, NAN, NAN, NAN)
TEXT = "model = Net()\nfor t in range(steps):\n    h = cell(h)\n    h = h + 1\nloss = h.sum()\n"


def cards(path: Path) -> dict[str, Card]:
    return {card.path: card for card in built(path, shown=Shown(opened=frozenset())).draft.cards}


@pytest.mark.parametrize(
    ("received", "norm", "words"),
    [
        ([FINE, MORE], 5.0, "norm 5"),
        ([FINE, None], 3.0, "norm 3"),
        ([None, None], MISSING, "no gradient"),
        ([FINE, BROKEN], NAN, "norm NaN"),
    ],
)
def test_the_norm_of_a_group(received: list[Stats | None], norm: float, words: str, tmp_path: Path) -> None:
    card = cards(layered(tmp_path / "run.gradviz", [received, [FINE, FINE]]))["part.0"]

    assert card.norm == norm or (math.isnan(norm) and math.isnan(card.norm or 0.0))
    assert card.norm_words == words
    assert (card.parameters, card.shapes) == (30, "[2, 5] → [2, 5]")


def test_at_a_level_without_statistics_no_norm_is_told(tmp_path: Path) -> None:
    unknown: Stats = (-1, -1, -1, NAN, NAN, NAN, NAN)

    card = cards(layered(tmp_path / "run.gradviz", [[FINE, unknown], [FINE, FINE]]))["part.0"]

    assert card.norm is None and card.norm_words == "" and card.bars == ()


def test_a_group_whose_parameters_are_all_frozen_says_so(tmp_path: Path) -> None:
    found = cards(layered(tmp_path / "run.gradviz", [[FINE, MORE], [FINE, MORE], [FINE, MORE]], frozen=(1,)))

    assert [found[f"part.{number}"].norm_words for number in range(3)] == ["norm 5", "frozen", "norm 5"]


def test_what_failed_in_a_folded_group_marks_it(tmp_path: Path) -> None:
    path = layered(tmp_path / "run.gradviz", [[FINE, MORE], [FINE, MORE]], outcome="raised", failed_node=3)
    trace = Trace(path)
    (backward,) = trace.passes()
    assert backward.failed_node is not None
    mark = replace(SEED_MISMATCH.marks[0], kind="node", node=backward.failed_node)
    finding = replace(SEED_MISMATCH, pass_id=0, marks=(mark,))

    draft = build(trace, 0, (finding,), monospaced, Shown(opened=frozenset())).draft

    box = int(draft.box_of[backward.failed_node])
    assert draft.failed[box] and draft.cards[int(draft.card[box])].severity == "error"


def test_a_loop_tells_the_parameters_used_in_it_and_their_norm_once(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz", "/home/me/net.py", TEXT)
    module = trace.module("", "Cell", 25, root="cell")
    one = trace.backward(trace.at(5))
    weight = one.node("AccumulateGrad", [5, 5], leaf=trace.leaf("weight", [5, 5], module=module))
    made: list[int] = []
    for number in range(40):
        for line, name in ((3, "Mm"), (4, "Add")):
            op = trace.op(name, trace.at(line), (), [(trace.value(), [2, 5])])
            to = [*made[-1:], *([weight] if name == "Mm" else [])]
            made.append(one.node(f"{name}Backward0", [2, 5], op=op, to=to, seq=2 * number + (name == "Add")))
    one.root(made[-1], [2, 5]).seed([2, 5]).steps(made[::-1])
    one.step(weight, [5, 5], stats=[FINE])

    loop = next(card for card in built(one.end().save()).draft.cards if card.copies)

    assert (loop.copies, loop.parameters, loop.norm_words) == (40, 25, "norm 3")
    assert loop.shapes == "[2, 5] → [2, 5]"


def test_a_graph_drawn_to_the_right_asks_for_it_and_keeps_air_before_and_behind_its_labels(tmp_path: Path) -> None:
    from gradviz.scene.place import request
    from tests.recordings import eigh_seed_mismatch

    trace = Trace(eigh_seed_mismatch(tmp_path / "run.gradviz"))
    down, right = (
        build(trace, 0, (SEED_MISMATCH,), monospaced, Shown(direction=direction)).draft
        for direction in ("down", "right")
    )
    asked = request(right)
    edge = right.framed[0].edge

    assert asked.options.direction == "right" and request(down).options.direction == "down"
    assert asked.label_sizes[edge, 0] > right.label_width[edge]
    assert asked.label_sizes[edge, 1] == right.label_height[edge]
    assert request(down).label_sizes[edge, 1] > down.label_height[edge]
