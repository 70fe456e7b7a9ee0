"""Modules: the tree, its columns, sort and filter; a click selects the group, a double click opens it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.document.leaf_gradients import Fate
from gradviz.gui.panes.modules import ModulesPane
from gradviz.gui.panes.modules_model import BRANCH_ROLE, COLUMNS, GRADIENT, NAME, OWN, PARAMETERS, SHAPES, STATE
from tests import large_recordings
from tests.builders import TraceBuilder
from tests.gui.panes import click, hub_on, press, settle, shown
from tests.modules import NAMES, fates

WIDE = (900, 600)


@pytest.fixture
def transformer(tmp_path: Path) -> Path:
    return large_recordings.transformer(tmp_path / "transformer.gradviz", 3)


@pytest.fixture
def every_fate(tmp_path: Path) -> Path:
    return fates(tmp_path / "fates.gradviz")


def names(pane: ModulesPane, parent: QModelIndex | None = None) -> list[str]:
    above = parent if parent is not None else QModelIndex()
    return [str(pane.model.index(row, 0, above).data()) for row in range(pane.model.rowCount(above))]


def cells(pane: ModulesPane, path: str) -> list[str]:
    index = pane.index_of(path)
    return [str(index.siblingAtColumn(column).data()) for column in COLUMNS]


def header_at(pane: ModulesPane, column: int) -> QPoint:
    header = pane.tree.header()
    return QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, header.height() // 2)


def row_at(pane: ModulesPane, path: str) -> QPoint:
    return pane.tree.visualRect(pane.index_of(path)).center()


def test_the_tree(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    assert names(pane) == ["model"]
    root = pane.model.index(0, 0)
    assert names(pane, root) == ["embed", "encoder", "head"]
    assert cells(pane, "")[:3] == ["model", "[8, 128] → [8, 128, 1000]", "12 M"]
    assert root.data(BRANCH_ROLE).tensors > 30


def test_the_model_keeps_qts_rules(transformer: Path, qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    qtmodeltester.check(pane.model)  # type: ignore[no-untyped-call]  # pytest-qt gives its tester no types
    pane.filter.setText("layers.1")
    pane.model.sort(PARAMETERS, Qt.SortOrder.DescendingOrder)
    qtmodeltester.check(pane.model)  # type: ignore[no-untyped-call]  # as above


def test_every_fate_is_told_in_words(every_fate: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(every_fate), qtbot, WIDE)
    told = {path: (cells(pane, path)[GRADIENT], cells(pane, path)[STATE]) for path in NAMES}
    assert told == {
        "good": ("5", ""),
        "zero": ("zero", "zero"),
        "nan": ("NaN", "NaN"),
        "inf": ("Inf", "Inf"),
        "none": ("None", "no gradient"),
        "cut": ("None", "no gradient"),
        "frozen": ("frozen", "frozen"),
        "other": ("—", "not in this pass"),
        "unkept": ("—", "not measured"),
        "plain": ("", ""),
    }
    root = cells(pane, "")
    assert root[GRADIENT] == "NaN" and "2 of 10 without gradient" in root[STATE] and "1 of 10 frozen" in root[STATE]
    tip = str(pane.index_of("good").data(Qt.ItemDataRole.ToolTipRole))
    assert "good  Good" in tip and "called 2 times" in tip and "20 parameters in 2 tensors" in tip
    assert "gradient norm 5" in tip


def test_parameters_are_told_in_all_and_of_the_module_itself(every_fate: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(every_fate), qtbot, WIDE)
    assert cells(pane, "")[PARAMETERS : OWN + 1] == ["56", ""]
    assert cells(pane, "good")[PARAMETERS : OWN + 1] == ["20", "20"]


def test_another_pass_has_other_gradients(every_fate: Path, qtbot: QtBot) -> None:
    hub = hub_on(every_fate)
    pane = shown(ModulesPane, hub, qtbot)
    hub.change(pass_id=1)
    settle(pane)
    branch = pane.index_of("good").data(BRANCH_ROLE)
    assert branch.fate == Fate.ELSEWHERE and branch.norm is None and branch.shapes == ""
    assert pane.index_of("other").data(BRANCH_ROLE).fate == Fate.UNKNOWN


def test_a_click_selects_the_group(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    index = pane.index_of("encoder")
    click(pane.tree.viewport(), row_at(pane, "encoder"))
    assert hub.view.selection == Selection("group", path="encoder", module=index.data(BRANCH_ROLE).module.id)


@pytest.mark.parametrize("how", ["double click", "enter"])
def test_a_double_click_or_enter_asks_to_open_the_group(how: str, transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    at = row_at(pane, "encoder")
    click(pane.tree.viewport(), at)
    with qtbot.waitSignal(pane.open_requested) as asked:
        if how == "enter":
            press(pane.tree, Qt.Key.Key_Return)
        else:
            click(pane.tree.viewport(), at, double=True)
    assert asked.args[0].path == "encoder"
    assert not pane.tree.isExpanded(pane.index_of("encoder"))


def test_a_group_selected_elsewhere_is_shown(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    hub.change(selection=Selection("group", path="encoder.layers.2.linear1"))
    settle(pane)
    assert pane.tree.currentIndex().data() == "linear1"
    assert pane.tree.isExpanded(pane.index_of("encoder.layers.2"))
    hub.change(selection=Selection())
    settle(pane)
    assert not pane.tree.currentIndex().isValid()


def test_of_a_stack_all_modules_are_shown(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    layers = [f"encoder.layers.{number}" for number in range(3)]
    modules = tuple(pane.index_of(path).data(BRANCH_ROLE).module.id for path in layers)
    hub.change(selection=Selection("group", path=layers[0], title="layers.0 – layers.2", modules=modules))
    settle(pane)
    chosen = {index.data() for index in pane.tree.selectionModel().selectedRows()}
    assert chosen == {"layers.0", "layers.1", "layers.2"}
    # AND a click on one of them selects that one
    click(pane.tree.viewport(), row_at(pane, layers[1]))
    assert hub.view.selection == Selection("group", path=layers[1], module=modules[1])
    assert len(pane.tree.selectionModel().selectedRows()) == 1


def test_of_two_models_with_the_same_paths_the_right_one_is_shown(tmp_path: Path, qtbot: QtBot) -> None:
    trace = TraceBuilder(tmp_path / "run.gradviz")
    for name in ("generator", "critic"):
        root = trace.module("", "Net", 4, root=name)
        trace.module("fc", "Linear", 4, root)
    hub = hub_on(trace.save())
    pane = shown(ModulesPane, hub, qtbot)
    hub.change(selection=Selection("group", path="fc", module=3))
    settle(pane)
    assert pane.tree.currentIndex().parent().data() == "critic"


def test_the_filter_keeps_what_matches_and_the_way_to_it(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    QTest.keyClicks(pane.filter, "layers.1.norm")
    root = pane.model.index(0, 0)
    assert names(pane, root) == ["encoder"]
    layers = pane.model.index(0, 0, pane.model.index(0, 0, root))
    assert names(pane, layers) == ["layers.1"]
    assert names(pane, pane.model.index(0, 0, layers)) == ["norm1", "norm2"]
    assert pane.tree.isExpanded(layers)
    pane.filter.clear()
    assert names(pane, pane.model.index(0, 0)) == ["embed", "encoder", "head"]


def test_the_filter_knows_states(every_fate: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(every_fate), qtbot)
    QTest.keyClicks(pane.filter, "frozen")
    assert names(pane, pane.model.index(0, 0)) == ["frozen"]


def test_the_filter_knows_the_word_that_stands_for_a_gradient(every_fate: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(every_fate), qtbot)
    QTest.keyClicks(pane.filter, "None")
    assert names(pane, pane.model.index(0, 0)) == ["none", "cut"]


def test_a_filter_that_nothing_fits_says_so(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    QTest.keyClicks(pane.filter, "nowhere")
    assert names(pane) == [] and pane.note.text() == "No module fits the filter “nowhere”."
    # AND it stays so when the pane is told of its recording again
    hub.change(trace_grew=True)
    settle(pane)
    assert pane.note.text() == "No module fits the filter “nowhere”."
    pane.filter.clear()
    assert names(pane) and pane.note.text() == "" and pane.note.isHidden()


def test_filtering_neither_selects_nor_forgets(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    click(pane.tree.viewport(), row_at(pane, "encoder"))
    chosen = hub.view.selection
    QTest.keyClicks(pane.filter, "embed")
    assert hub.view.selection == chosen and not pane.tree.currentIndex().isValid()
    pane.filter.clear()
    assert pane.tree.currentIndex().data() == "encoder" and hub.view.selection == chosen


def test_a_click_on_a_header_sorts_and_the_third_sorts_no_more(every_fate: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(every_fate), qtbot)
    viewport, root = pane.tree.header().viewport(), pane.model.index(0, 0)
    click(viewport, header_at(pane, GRADIENT))
    first = names(pane, root)
    assert first[-3:] == ["good", "inf", "nan"] and first[0] == "plain"
    click(viewport, header_at(pane, GRADIENT))
    assert names(pane, root)[:3] == ["nan", "inf", "good"]
    click(viewport, header_at(pane, GRADIENT))
    assert names(pane, root) == list(NAMES)


def test_sorting_keeps_what_is_open_and_selected(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    pane.tree.expand(pane.index_of("encoder"))
    click(pane.tree.viewport(), row_at(pane, "encoder.layers"))
    click(pane.tree.header().viewport(), header_at(pane, PARAMETERS))
    assert pane.tree.isExpanded(pane.index_of("encoder"))
    assert pane.tree.currentIndex().data() == "layers"


def test_a_wide_pane_shows_more_columns(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot, (316, 500))
    assert [column for column in COLUMNS if pane.tree.isColumnHidden(column)] == [SHAPES, OWN, STATE]
    pane.resize(900, 500)
    assert not any(pane.tree.isColumnHidden(column) for column in COLUMNS)


def test_a_column_that_was_asked_for_stays(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot, (316, 500))
    menu = pane.columns.menu()
    next(action for action in menu.actions() if action.text() == "Shapes").trigger()
    assert not pane.tree.isColumnHidden(SHAPES)
    pane.resize(900, 500)
    pane.resize(316, 500)
    assert not pane.tree.isColumnHidden(SHAPES) and pane.tree.isColumnHidden(OWN)
    assert not pane.tree.isColumnHidden(NAME)


def test_what_was_open_stays_open_when_the_script_runs_again(transformer: Path, qtbot: QtBot, tmp_path: Path) -> None:
    from gradviz.trace.reader import Trace

    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    for path in ("encoder", "encoder.layers", "encoder.layers.2"):
        pane.tree.expand(pane.index_of(path))
    hub.change(trace=Trace(large_recordings.transformer(tmp_path / "again.gradviz", 3)))
    settle(pane)
    assert pane.tree.isExpanded(pane.index_of("encoder.layers.2"))
    assert not pane.tree.isExpanded(pane.index_of("encoder.layers.1"))


def test_without_modules(tmp_path: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(TraceBuilder(tmp_path / "run.gradviz").save()), qtbot)
    assert names(pane) == []
    assert pane.note.text() == "This script called no nn.Module."
