"""A recording that grows while it is looked at: panes follow it, and what one looks at stays where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Hub
from gradviz.gui.panes.inspector import InspectorPane
from gradviz.gui.panes.modules import ModulesPane
from gradviz.gui.panes.source import SourcePane
from gradviz.gui.panes.steps import StepsPane
from gradviz.trace import packing
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder
from tests.gui.panes import settle, shown
from tests.pass_builder import NO_STATS, Stats, extend

NODES = 200
TEXT = "x = x * 2\n" * 120


class Recording:
    """A pass of many nodes that runs step by step, as the recorder writes it."""

    def __init__(self, path: Path) -> None:
        self.building = TraceBuilder(path, text=TEXT, status="recording", seconds=None, exit_code=None)
        trace = self.building
        module = trace.module("", "Chain", 0, root="model")
        call = trace.call(module, trace.at(1), [3], [3])
        one = trace.backward(trace.at(120))
        self.spec = trace.spec([3])
        ops = [trace.op("mul", trace.at(1 + at % 120), (), [(trace.value(), [3])], call=call) for at in range(NODES)]
        below = [one.node("AccumulateGrad", [3], leaf=trace.leaf("weight", [3], module=module))]
        for op in ops[:-1]:
            below = [one.node("MulBackward0", [3], op=op, call=call, to=below)]
        one.root(below[0], [3]).seed([3])
        one.end("running")
        trace.commit()
        self.trace = Trace(path)
        self.hub = Hub()
        self.hub.change(trace=self.trace, pass_id=0)
        self.steps = 0

    def run(self, count: int, norm: float | None = None) -> None:
        """More nodes run, and the document notices; `norm` of what each received, None: it wasn't measured."""
        stats: Stats = NO_STATS if norm is None else (0, 0, 0, -1.0, 1.0, 0.0, norm)
        steps, received = packing.new_columns("step"), packing.new_columns("received")
        for number in range(self.steps, self.steps + count):
            extend(received, (self.spec, 0, *stats))
            extend(steps, (number, number, 1, number + 1))
        self.building.writer.segment("step", 0, self.steps, steps)
        self.building.writer.segment("received", 0, self.steps, received)
        self.steps += count
        self.building.writer.update("backward", 0, steps=self.steps)
        self.building.writer.commit()
        assert self.trace.refresh()
        self.hub.change(trace_grew=True)


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    made = Recording(tmp_path / "run.gradviz")
    yield made
    made.trace.close()
    made.building.writer.close()


def test_steps_grow_and_the_view_stays(recording: Recording, qtbot: QtBot) -> None:
    # GIVEN a person who has scrolled away from the present step
    recording.run(10)
    pane = shown(StepsPane, recording.hub, qtbot, size=(320, 300))
    bar = pane.table.verticalScrollBar()
    bar.setValue(80)
    # WHEN more steps run
    recording.run(30)
    settle(pane)
    # THEN they are there, and the view is where it was
    assert pane.model.step_of_row(40) == 39
    assert bar.value() == 80
    assert pane.table.currentIndex().row() == 1


def test_source_keeps_its_place(recording: Recording, qtbot: QtBot) -> None:
    pane = shown(SourcePane, recording.hub, qtbot, size=(500, 160))
    pane.view.reveal(100)
    place = pane.view.verticalScrollBar().value()
    assert place > 0
    index = pane._index
    recording.run(5)
    settle(pane)
    assert pane._index is index and pane.view.counts[1] == 2
    pane.show_line(pane.file, 100)
    assert pane.view.verticalScrollBar().value() == place


def test_a_node_that_has_run_is_not_told_anew(recording: Recording, qtbot: QtBot) -> None:
    recording.run(10)
    pane = shown(InspectorPane, recording.hub, qtbot)
    page = pane.page
    recording.run(10)
    settle(pane)
    assert pane.page is page
    # WHEN it is one that waits
    recording.hub.change(position=20)
    settle(pane)
    waiting = pane.page
    assert waiting is not None and waiting.heading_text == "20 of 200 nodes ran"
    recording.run(1)
    settle(pane)
    # THEN what came is shown
    assert pane.page is not None and pane.page is not waiting
    assert pane.page.heading_text == "MulBackward0"


def test_modules_stay(recording: Recording, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, recording.hub, qtbot)
    tree = pane.model.tree
    recording.run(5)
    settle(pane)
    assert pane.model.tree is tree
    # WHEN the gradient of the model's own parameter comes
    recording.run(NODES - 5, norm=7.0)
    settle(pane)
    # THEN it is told
    assert pane.model.tree is not None and pane.model.tree[0].norm == 7.0
