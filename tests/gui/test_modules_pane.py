"""Modules: the tree, its filter, its figures; a click selects the group."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gradviz.document.hub import Selection
from gradviz.gui.panes.modules import ModulesPane
from gradviz.gui.panes.modules_model import BRANCH_ROLE
from tests import large_recordings
from tests.builders import TraceBuilder
from tests.gui.panes import click, hub_on, settle, shown


@pytest.fixture
def transformer(tmp_path: Path) -> Path:
    return large_recordings.transformer(tmp_path / "transformer.gradviz", 3)


def names(pane: ModulesPane, parent: QModelIndex | None = None) -> list[str]:
    above = parent if parent is not None else QModelIndex()
    return [str(pane.proxy.index(row, 0, above).data()) for row in range(pane.proxy.rowCount(above))]


def test_the_tree(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    assert names(pane) == ["model"]
    root = pane.proxy.index(0, 0)
    assert names(pane, root) == ["embed", "encoder", "head"]
    assert [str(pane.proxy.index(0, column).data()) for column in range(2)] == ["model", "12 M"]
    branch = root.data(BRANCH_ROLE)
    assert branch.norm > 0 and branch.missing == 0


def test_the_model_keeps_qts_rules(transformer: Path, qtbot: QtBot, qtmodeltester: ModelTester) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    qtmodeltester.check(pane.model)  # type: ignore[no-untyped-call]  # pytest-qt gives its tester no types


def test_a_click_selects_the_group(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    index = pane._index("encoder")
    click(pane.tree.viewport(), pane.tree.visualRect(index).center())
    assert hub.view.selection == Selection("group", path="encoder")


def test_a_group_selected_elsewhere_is_shown(transformer: Path, qtbot: QtBot) -> None:
    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    hub.change(selection=Selection("group", path="encoder.layers.2.linear1"))
    settle(pane)
    assert pane.tree.currentIndex().data() == "linear1"
    assert pane.tree.isExpanded(pane._index("encoder.layers.2"))
    hub.change(selection=Selection())
    settle(pane)
    assert not pane.tree.currentIndex().isValid()


def test_the_filter_keeps_what_matches_and_the_way_to_it(transformer: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(transformer), qtbot)
    pane.filter.setText("layers.1.norm")
    root = pane.proxy.index(0, 0)
    assert names(pane, root) == ["encoder"]
    layers = pane.proxy.index(0, 0, pane.proxy.index(0, 0, root))
    assert names(pane, layers) == ["layers.1"]
    assert names(pane, pane.proxy.index(0, 0, layers)) == ["norm1", "norm2"]
    pane.filter.setText("")
    assert names(pane, pane.proxy.index(0, 0)) == ["embed", "encoder", "head"]


def test_what_was_open_stays_open_when_the_script_runs_again(transformer: Path, qtbot: QtBot, tmp_path: Path) -> None:
    from gradviz.trace.reader import Trace

    hub = hub_on(transformer)
    pane = shown(ModulesPane, hub, qtbot)
    for path in ("encoder", "encoder.layers", "encoder.layers.2"):
        pane.tree.expand(pane._index(path))
    hub.change(trace=Trace(large_recordings.transformer(tmp_path / "again.gradviz", 3)))
    settle(pane)
    assert pane.tree.isExpanded(pane._index("encoder.layers.2"))
    assert not pane.tree.isExpanded(pane._index("encoder.layers.1"))


def test_without_modules(tmp_path: Path, qtbot: QtBot) -> None:
    pane = shown(ModulesPane, hub_on(TraceBuilder(tmp_path / "run.gradviz").save()), qtbot)
    assert names(pane) == []
    assert pane.note.text() == "This script called no nn.Module."
