"""Inspector: what it says of seeds, nodes, edges, groups and the whole pass; its links, folding and plots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.gui.panes.inspector import InspectorPane
from gradviz.gui.panes.inspector_cells import ShapeTable
from gradviz.gui.panes.inspector_section import Rows, Section
from gradviz.gui.panes.inspector_values import ValuesView, figure_texts, limits_of
from gradviz.gui.panes.leaf_table import LeafTable, bar_length
from gradviz.gui.panes.long_words import BREAK, WordsLabel, breakable
from gradviz.trace.model import Stats
from tests import large_recordings
from tests import recordings as built
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, FORWARD, SEED_MISMATCH
from tests.gui.panes import click, hub_on, press, settle, shown
from tests.modules import layered

PLAIN = (0, 0, 0, -1.0, 1.0, 0.0, 3.0)
LOADED = 20_000  # ms for pyqtgraph to be imported on a busy machine


W = TypeVar("W", bound=QWidget)


def found(pane: InspectorPane, kind: type[W], at: int = 0) -> W:
    whole(pane)
    assert pane.page is not None
    widget = pane.page.findChildren(kind)[at]
    assert isinstance(widget, kind)
    return widget


def whole(pane: InspectorPane) -> None:
    """All of the page is built."""
    settle(pane)
    for _ in range(20):
        QApplication.processEvents()
    assert pane.page is not None and pane.page.whole()


def rows(pane: InspectorPane, title: str) -> dict[str, str]:
    """Labels and values of a section."""
    whole(pane)
    assert pane.page is not None
    section = next(section for section in pane.page.sections if section.title() == title)
    return dict(pair for part in section.findChildren(Rows) for pair in part.plain())


def chips(pane: InspectorPane) -> list[str]:
    assert pane.page is not None
    return [chip.text for chip in pane.page.chips]


def table(pane: InspectorPane, at: int = 0) -> ShapeTable:
    return found(pane, ShapeTable, at)


def values(pane: InspectorPane, at: int = 0) -> ValuesView:
    return found(pane, ValuesView, at)


def test_the_seed_of_a_refused_pass(recordings: dict[str, Path], qtbot: QtBot) -> None:
    seed = Selection("seed", node=0)
    pane = shown(InspectorPane, hub_on(recordings["eigh"], (SEED_MISMATCH,), finding=0, selection=seed), qtbot)
    assert pane.page is not None and pane.page.heading_text == "z → SumBackward0 slot 0"
    assert chips(pane) == ["Shape mismatch"]
    assert table(pane).spoken() == "Expected [\u2009]\nReceived [164]"
    assert table(pane).verdict_texts() == ["≠ one too many"]
    assert rows(pane, "Shape, dimension by dimension") == {"dtype": "float64 = float64", "device": "cpu = cpu"}
    passed = rows(pane, "What was passed")
    assert passed == {"Tensor": "z", "Made at": "eigh_energy.py:9", "In the graph": "AccumulateGrad z"}
    assert rows(pane, "Formula of SumBackward0") == {"input": "grad.expand([79])"}


def test_the_present_step(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["mlp"], position=6), qtbot)
    assert pane.page is not None and pane.page.heading_text == "ReluBackward0"
    assert chips(pane) == ["Current", "Shapes match"]
    assert table(pane).verdict_texts() == ["=", "="]
    assert rows(pane, "Saved for backward") == {"result": "[32, 64] float32"}
    forward = rows(pane, "Forward call")
    assert forward["Call"] == "relu" and forward["input"] == "[32, 64] float32"
    assert (forward["Line"], forward["Module"]) == ("mlp_train.py:19", "1")
    assert rows(pane, "Hands on to") == {"Gradient 0": "AddmmBackward0"}
    assert rows(pane, "Formula of ReluBackward0") == {"input": "grad * (result > 0)"}
    assert rows(pane, "Made by your lines") == {"<module>": "mlp_train.py:19"}


def test_dimensions_are_named_where_the_code_names_them(tmp_path: Path, qtbot: QtBot) -> None:
    hub = hub_on(built.named_sizes(tmp_path / "named.gradviz"), position=3)
    pane = shown(InspectorPane, hub, qtbot)
    assert pane.page is not None and pane.page.heading_text == "AddmmBackward0"
    assert table(pane).verdict_texts() == ["= batch", "= hidden"]
    assert table(pane).spoken().endswith("dim −2 = batch\ndim −1 = hidden")
    # WHEN the node before it in the graph, of the same size, is followed to
    hub.change(position=4)
    settle(pane)
    # THEN nothing is claimed of it
    assert table(pane).verdict_texts() == ["=", "="]


def test_a_relu_tells_how_much_it_stops(tmp_path: Path, qtbot: QtBot) -> None:
    hub = hub_on(built.half_stopped(tmp_path / "run.gradviz"), position=1)
    pane = shown(InspectorPane, hub, qtbot)
    whole(pane)
    assert pane.page is not None and pane.page.heading_text == "ReluBackward0"
    words = [label.text() for label in pane.page.findChildren(QLabel)]
    assert "50 % of the entries are stopped here: the unit was off in forward." in words


def test_operands_that_were_stretched(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["broadcast"], (BROADCAST,), finding=0, position=2), qtbot)
    assert chips(pane) == ["Current", "Silent broadcast"]
    assert pane.page is not None and pane.page.titles()[:2] == ["Operands in forward", "What backward does with it"]
    assert table(pane).verdict_texts() == ["target stretched", "pred stretched"]
    assert rows(pane, "What backward does with it") == {
        "Received": "[20, 20]",
        "Summed over": "dim −1",
        "Handed on": "[20, 1]",
    }


def test_a_leaf_tells_its_grad_at_the_end(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["mlp"], position=3), qtbot)
    assert pane.page is not None and pane.page.heading_text == "2.bias AccumulateGrad"
    end = rows(pane, "At the end of the run")
    assert end == {"Kind": "parameter", "Tensor": "[10] float32", ".grad": "[10] float32"}
    assert ".grad at the end" in pane.page.titles()


def test_values_that_are_not_finite(tmp_path: Path, qtbot: QtBot) -> None:
    hub = hub_on(built.non_finite(tmp_path / "run.gradviz"), position=3)
    pane = shown(InspectorPane, hub, qtbot)
    assert "NaN 4" in chips(pane)
    assert dict(values(pane).figures.figures)["NaN"] == "4"
    hub.change(position=2)
    settle(pane)
    assert "Inf 4" in chips(pane)


def test_nothing_selected_is_the_pass(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=11)
    pane = shown(InspectorPane, hub, qtbot)
    assert pane.page is not None and pane.page.heading_text == "11 of 11 nodes ran"
    summary = rows(pane, "This pass")
    assert (summary["Called at"], summary["Nodes"], summary["Steps"]) == ("mlp_train.py:21", "11", "11")
    leaves = found(pane, LeafTable)
    assert [leaves.name(leaf) for leaf in leaves.leaves] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    # WHEN a leaf of the table is clicked
    click(leaves, QPoint(6, 6))
    # THEN its node is selected
    settle(pane)
    assert pane.page.heading_text == "0.weight AccumulateGrad"


def test_the_table_of_leaves_by_keyboard(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=11)
    pane = shown(InspectorPane, hub, qtbot)
    leaves = found(pane, LeafTable)
    press(leaves, Qt.Key.Key_Down)
    press(leaves, Qt.Key.Key_Down)
    press(leaves, Qt.Key.Key_Return)
    settle(pane)
    assert pane.page is not None and pane.page.heading_text == "0.bias AccumulateGrad"


def test_an_edge_is_compared(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["mlp"], selection=Selection("edge", node=1, tail=0)), qtbot)
    assert pane.page is not None and pane.page.heading_text == "NllLossBackward0 → LogSoftmaxBackward0 slot 0"
    assert chips(pane) == ["Shapes match"]


def test_a_sum_of_two_gradients_is_told(tmp_path: Path, qtbot: QtBot) -> None:
    hub = hub_on(built.non_finite(tmp_path / "run.gradviz"), selection=Selection("edge", node=3, tail=2))
    assert "Σ of 2 gradients" in chips(shown(InspectorPane, hub, qtbot))


def test_a_forward_call_that_raised(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a script that never came to its backward
    hub = hub_on(built.forward_error(tmp_path / "run.gradviz"), (FORWARD,), finding=0)
    pane = shown(InspectorPane, hub, qtbot)
    # THEN the page is of the call, with expected beside received and the operands
    assert pane.page is not None and pane.page.heading_text == "linear"
    assert chips(pane) == ["Forward shape error"]
    assert table(pane).spoken() == "Expected [2, 256]\nReceived [2, 144]"
    assert rows(pane, "Forward call")["weight"] == "[10, 256] float32"
    assert "What Python said" in pane.page.titles()
    # AND a node above it was neither reached nor left out
    hub.change(selection=Selection("node", node=0))
    settle(pane)
    assert chips(pane)[0] == "No backward ran"
    assert pane.page.titles()[0] == "Where it goes wrong"


def test_an_edge_whose_gradient_never_arrived(recordings: dict[str, Path], qtbot: QtBot) -> None:
    mark = replace(SEED_MISMATCH.marks[0], kind="edge", node=2, tail=1, expected=(4, 3), received=(3,))
    finding = replace(SEED_MISMATCH, rule="custom-backward-wrong-shape", marks=(mark,))
    hub = hub_on(recordings["eigh"], (finding,), selection=Selection("edge", node=2, tail=1))
    pane = shown(InspectorPane, hub, qtbot)
    assert chips(pane) == ["Custom backward wrong shape", "Nothing arrived"]
    assert table(pane).spoken() == "Expected [4, 3]\nReceived [3]"


def test_a_module_group(tmp_path: Path, qtbot: QtBot) -> None:
    path = large_recordings.transformer(tmp_path / "run.gradviz", 2)
    group = Selection("group", path="encoder.layers.1.self_attn")
    pane = shown(InspectorPane, hub_on(path, selection=group), qtbot)
    assert pane.page is not None
    assert pane.page.heading_text == "encoder.layers.1.self_attn MultiheadAttention"
    shapes = rows(pane, "Shapes")
    assert shapes["In"] == shapes["Out"] == "[8, 128, 256] float32"
    leaves = found(pane, LeafTable)
    assert leaves.name(leaves.leaves[0]) == "q_proj.weight"


def test_a_stack_of_modules_tells_the_norm_of_each(tmp_path: Path, qtbot: QtBot) -> None:
    path = layered(tmp_path / "run.gradviz", [[PLAIN, PLAIN], [PLAIN, None]])
    hub = hub_on(path, selection=Selection("group", path="part.0", title="part.0 – part.1", modules=(1, 2)))
    pane = shown(InspectorPane, hub, qtbot)
    assert pane.page is not None and pane.page.heading_text == "part.0 – part.1 Part0"
    assert rows(pane, "Shapes") == {"In": "[2, 5] float32", "Out": "[2, 5] float32", "Parameters": "60"}
    norms = rows(pane, "Gradient norm of each")
    assert list(norms.items()) == [("part.1", "3"), ("part.0", "4.24")]
    # AND each leads to its module
    pane._follow("module:2")
    assert hub.view.selection == Selection("group", path="part.1", module=2)


def test_a_stack_of_one_module_called_again_and_again_is_told_as_that_module(tmp_path: Path, qtbot: QtBot) -> None:
    path = large_recordings.rounds(tmp_path / "run.gradviz")
    pane = shown(InspectorPane, hub_on(path, selection=Selection("group", title="cell", modules=(0,))), qtbot)
    assert pane.page is not None and pane.page.heading_text == "cell RNNCell"
    assert rows(pane, "Shapes")["Called"].startswith("100")


def test_a_module_that_got_no_gradient(tmp_path: Path, qtbot: QtBot) -> None:
    path = layered(tmp_path / "run.gradviz", [[PLAIN, PLAIN], [None, None]])
    pane = shown(InspectorPane, hub_on(path, selection=Selection("group", path="part.1", module=2)), qtbot)
    assert chips(pane) == ["2 parameters get no gradient"]
    shapes = rows(pane, "Shapes")
    assert (shapes["Gradient norm"], shapes["Parameters"]) == ("None", "30")


def test_a_frozen_module_is_quietly_called_so(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a module whose parameters were to get no gradient, beside one that got some
    path = layered(tmp_path / "run.gradviz", [[PLAIN, PLAIN], [None, None]], frozen=(1,))
    pane = shown(InspectorPane, hub_on(path, selection=Selection("group", path="part.1", module=2)), qtbot)
    # THEN its norm is one quiet word, and none of its parameters is told as missing
    assert chips(pane) == ["frozen"]
    whole(pane)
    assert pane.page is not None
    entries = [row for part in pane.page.findChildren(Rows) for row in part.entries if row.label == "Gradient norm"]
    assert [(row.value, row.rest) for row in entries] == [("", "frozen")]
    table = found(pane, LeafTable)
    assert [table.figure(leaf) for leaf in table.leaves] == ["frozen", "frozen"]
    # AND nothing in the table has the colour of errors
    picture, wrong = table.grab().toImage(), pane.theme.color("error")
    colors = {picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}
    assert wrong.rgb() not in colors


def test_slices_of_three_dimensions(tmp_path: Path, qtbot: QtBot) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(1))
    node = one.node("MulBackward0", [3, 4, 5])
    trace.sample(np.arange(60, dtype="float32").reshape(3, 4, 5), one.id, one.step(node))
    pane = shown(InspectorPane, hub_on(one.end().save()), qtbot)
    view = values(pane)
    qtbot.waitUntil(lambda: view.plots is not None, timeout=LOADED)
    assert view.slice is not None and view.slice.words.text() == "slice 1 of 3"
    assert not view.slice.back.isEnabled()
    click(view.slice.forth)
    assert view.slice.words.text() == "slice 2 of 3"
    assert view.value_text(1, 2) == "[1, 1, 2] = 27"


def test_values_that_were_not_kept(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a recording with shapes alone
    pane = shown(InspectorPane, hub_on(built.chain(tmp_path / "run.gradviz", 3), position=1), qtbot)
    view = values(pane)
    # THEN the pane says so and offers another run
    assert not view.kept() and view.figures.figures == ()
    assert view.record is not None and view.record.text() == "Record again with values"
    with qtbot.waitSignal(pane.record_requested):
        click(view.record)


def test_links_are_followed(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=6)
    pane = shown(InspectorPane, hub, qtbot)
    assert pane.page is not None
    with qtbot.waitSignal(pane.line_requested) as asked:
        pane.page.link_followed.emit("line:19:/home/me/mlp_train.py")
    assert asked.args == ["/home/me/mlp_train.py", 19]
    pane.page.link_followed.emit("node:7")
    settle(pane)
    assert hub.view.selection == Selection("node", node=7)


def test_folded_sections_stay_folded(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=6)
    pane = shown(InspectorPane, hub, qtbot)
    section = found(pane, Section)
    click(section, QPoint(40, 18))
    assert section.body.isHidden()
    hub.change(position=7)
    settle(pane)
    again = found(pane, Section)
    assert again is not section and again.body.isHidden()


def test_heat_map_and_histogram(recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["mlp"], position=6), qtbot)
    view = values(pane)
    qtbot.waitUntil(lambda: view.plots is not None, timeout=LOADED)
    assert view.plots is not None and view.plots.heat._shape == (32, 64)
    assert "zeros not drawn in the histogram" in view._read_out.text()
    # WHEN the pointer is on a cell
    view._point(3, 12)
    # THEN its index and value are read out, and a click keeps them
    assert view._read_out.text().startswith("[3, 12] = ")
    view._pick(3, 12)
    view._point(-1, -1)
    assert view._read_out.text().startswith("[3, 12] = ")
    # AND what is handed on can be chosen
    assert [view.chooser.itemText(at) for at in range(view.chooser.count())] == [
        "Received",
        "Handed on to AddmmBackward0",
    ]
    view.chooser.setCurrentIndex(1)
    assert view.description == "float32 · [32, 64]"


@pytest.mark.parametrize(
    ("numbers", "figures"),
    [
        ([2.0] * 6, ("1", "2", "3")),
        ([-4.0] * 6, ("-6", "-4", "-2")),
        ([0.0, 1.0, 3.0], ("1", "2", "3")),
        ([-1.0, 3.0], ("-3", "0", "3")),
        ([0.0] * 4, None),
    ],
)
def test_the_histogram_has_an_axis(
    numbers: list[float], figures: tuple[str, str, str] | None, tmp_path: Path, qtbot: QtBot
) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(1))
    node = one.node("MulBackward0", [len(numbers)])
    trace.sample(np.array(numbers, dtype="float32"), one.id, one.step(node))
    view = values(shown(InspectorPane, hub_on(one.end().save()), qtbot))
    qtbot.waitUntil(lambda: view.plots is not None, timeout=LOADED)

    assert view.plots is not None
    assert view.plots.axis.isHidden() == (figures is None)
    if figures is not None:
        assert view.plots.axis.texts() == figures


def test_plots_are_made_once(recordings: dict[str, Path], qtbot: QtBot) -> None:
    hub = hub_on(recordings["mlp"], position=6)
    pane = shown(InspectorPane, hub, qtbot)
    qtbot.waitUntil(lambda: values(pane).plots is not None, timeout=LOADED)
    first = values(pane).plots
    hub.change(position=2)
    settle(pane)
    qtbot.waitUntil(lambda: values(pane).plots is not None)
    assert values(pane).plots is first


def test_samples_with_strides_say_where_a_value_stands(tmp_path: Path, qtbot: QtBot) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    one = trace.backward(trace.at(1))
    node = one.node("MulBackward0", [100, 300])
    kept = np.arange(10 * 300, dtype="float32").reshape(10, 300)
    trace.sample(kept, one.id, one.step(node), whole=[100, 300], strides=[10, 1])
    pane = shown(InspectorPane, hub_on(one.end().save()), qtbot)
    view = values(pane)
    qtbot.waitUntil(lambda: view.plots is not None, timeout=LOADED)
    assert view.value_text(2, 5).startswith("[20, 10] = ")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_both_themes_paint(mode: str, recordings: dict[str, Path], qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(recordings["mlp"], position=6), qtbot, mode=mode)
    image = pane.grab().toImage()
    assert image.pixelColor(2, 2) == pane.theme.color("pane")
    pane.theme.set_mode("light" if mode == "dark" else "dark")
    qtbot.waitUntil(lambda: not pane.theme.changing())
    settle(pane)
    assert pane.grab().toImage().pixelColor(2, 2) == pane.theme.color("pane")


def test_no_recording_and_no_pass(tmp_path: Path, qtbot: QtBot) -> None:
    pane = shown(InspectorPane, hub_on(TraceBuilder(tmp_path / "run.gradviz").save()), qtbot)
    assert pane.page is None


def test_scales_and_figures() -> None:
    values_ = np.array([-1.0, 3.0, np.nan, np.inf])
    assert limits_of(values_, symmetric=True) == (-3.0, 3.0)
    assert limits_of(values_, symmetric=False) == (-1.0, 3.0)
    assert limits_of(np.array([np.nan]), symmetric=True) == (-1.0, 1.0)
    assert figure_texts(Stats(-1, -1, -1, 0, 0, 0, 0), None) == []
    assert bar_length(1e-9) < bar_length(1e-3) < bar_length(1.0) <= bar_length(100.0) == 1.0
    assert bar_length(float("nan")) == 0.0


LONG_NAME = "BinaryCrossEntropyWithLogitsOfAVeryLongNameBackward0"


def test_nothing_is_wider_than_a_narrow_pane(tmp_path: Path, qtbot: QtBot) -> None:
    # GIVEN a node whose name is a single long word, made by a call of a long name
    path = tmp_path / "run.gradviz"
    trace = TraceBuilder(path)
    op = trace.op("binary_cross_entropy_with_logits_of_a_very_long_name", trace.at(1), [], [(trace.value(), [4, 1])])
    one = trace.backward(trace.at(1))
    one.root(one.node(LONG_NAME, [4, 1], op=op), [4, 1]).end()
    trace.save()
    # WHEN
    pane = shown(InspectorPane, hub_on(path, selection=Selection("node", node=0)), qtbot, (316, 900))
    whole(pane)
    # THEN the page is as wide as the pane, and no line of it is cut
    assert pane.page is not None and pane.page.width() < 316
    labels = [label for label in pane.page.findChildren(QLabel) if label.isVisible()]
    assert any(LONG_NAME[:6] in label.text() for label in labels)
    for label in labels:
        assert label.mapTo(pane.page, QPoint(label.width(), 0)).x() <= pane.page.width()
        for document in label.findChildren(QTextDocument):
            assert document.idealWidth() <= label.width() + 1, document.toPlainText()


def test_a_long_name_is_copied_as_it_is_written(qtbot: QtBot) -> None:
    # GIVEN a label with a long name that may break, all of it selected
    label = WordsLabel()
    qtbot.addWidget(label)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setText(breakable(LONG_NAME))
    assert BREAK in label.text()
    label.show()
    label.setSelection(0, len(label.text()))
    # WHEN
    label.copy()
    # THEN
    assert QApplication.clipboard().text() == LONG_NAME


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("short", "short"),
        ("many short words are left alone", "many short words are left alone"),
        ("BinaryCrossEntropyBackward0", "Binary|Cross|Entropy|Backward0"),
        ("blocks.11.attention.weight", "blocks.|11.|attention.|weight"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqr|stuvwxyz"),
    ],
)
def test_where_long_words_break(text: str, broken: str) -> None:
    assert breakable(text).split(BREAK) == broken.split("|")
