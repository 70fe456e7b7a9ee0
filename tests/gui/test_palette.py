"""The search palette: typed text filters, arrows and Enter go there, Escape gives the keyboard back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.document.find import Hit
from gradviz.document.hub import Selection
from gradviz.gui.palette.palette import Palette
from gradviz.gui.palette.rows import Row
from gradviz.gui.window import Window
from gradviz.scene.model import Kind
from tests.example_findings import SEED_MISMATCH
from tests.gui.driving import Person
from tests.large_recordings import transformer

CONTROL = Qt.KeyboardModifier.ControlModifier


class Searcher(Person):
    """A person who searches."""

    @property
    def palette(self) -> Palette:
        return self.controller.search.palette

    @property
    def rows(self) -> list[Row]:
        return self.palette.model.rows

    def call(self, key: Qt.Key = Qt.Key.Key_K) -> None:
        self.press(key, CONTROL)
        self.until(lambda: self.palette.isVisible() and self.palette.field.hasFocus())

    def type(self, text: str) -> None:
        """Letter by letter, and wait for what it brings."""
        self.palette.field.clear()
        with self.qtbot.waitSignal(self.palette.searched, check_params_cb=lambda query, _count: query == text):
            for letter in text:
                self.qtbot.keyClick(self.palette.field, letter)
        self.until(lambda: not any(row.text.startswith("Reading") for row in self.rows))

    def of(self, kind: str) -> list[Row]:
        """Hits of one kind, or rows of one."""
        return [row for row in self.rows if row.kind == kind or (isinstance(row.what, Hit) and row.what.kind == kind)]

    def key(self, key: Qt.Key) -> None:
        self.qtbot.keyClick(self.palette.field, key)


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Searcher:
    person = Searcher(window, qtbot)
    person.open(recordings["mlp"])
    person.canvas.view.setFocus()
    return person


@pytest.mark.parametrize("key", [Qt.Key.Key_K, Qt.Key.Key_F])
def test_both_keys_open_it_and_escape_gives_the_keyboard_back(person: Searcher, key: Qt.Key) -> None:
    person.steps.table.setFocus()
    person.call(key)
    person.type("relu")
    person.key(Qt.Key.Key_Escape)
    assert not person.palette.isVisible()
    assert person.steps.table.hasFocus()
    # AND the next time it is empty again
    person.call(key)
    assert person.palette.field.text() == ""


def test_another_recording_closes_it(person: Searcher, recordings: dict[str, Path]) -> None:
    # GIVEN
    person.call()
    person.type("norm")
    # WHEN
    person.open(recordings["broadcast"])
    # THEN
    assert not person.palette.isVisible()


def test_the_button_in_the_toolbar_opens_it(person: Searcher) -> None:
    person.click(person.window.toolbar.find_button)
    person.until(lambda: person.palette.field.hasFocus())
    # WHEN something else is clicked THEN it closes, and the keyboard stays there
    person.click(person.steps.table.viewport())
    person.until(lambda: not person.palette.isVisible())


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("relu", "node"),
        ("0.weight", "leaf"),
        ("Linear", "module"),
        (":20", "line"),
        ("[32, *]", "shape"),
        ("32x64", "shape"),
    ],
)
def test_each_kind_is_found_and_marked(person: Searcher, query: str, kind: str) -> None:
    person.call()
    person.type(query)
    found = person.of(kind)
    assert found and all(row.marks or row.detail_marks for row in found)
    assert person.palette.current() in person.rows and person.palette.current().can_be_chosen  # type: ignore[union-attr]  # there is one


def test_enter_goes_to_a_node(person: Searcher) -> None:
    person.call()
    person.type("relu")
    person.key(Qt.Key.Key_Return)
    selection = person.window.hub.view.selection
    assert selection.kind == "node" and not person.palette.isVisible()
    assert person.canvas.view.hasFocus()
    draft = person.canvas.loaded.scene.draft  # type: ignore[union-attr]  # open
    assert draft.names[int(draft.name[person.canvas.view.selected.at])] == "ReluBackward0"


def test_enter_before_the_list_has_followed_takes_what_was_typed(person: Searcher) -> None:
    person.call()
    person.type("addmm")
    person.palette.field.setText("relu")
    person.key(Qt.Key.Key_Return)
    draft = person.canvas.loaded.scene.draft  # type: ignore[union-attr]  # open
    assert draft.names[int(draft.name[person.canvas.view.selected.at])] == "ReluBackward0"


def test_a_shape_rings_all_its_nodes(person: Searcher) -> None:
    person.call()
    person.type("[32, 64]")
    (shape,) = person.of("shape")
    assert shape.right == "2 nodes"
    person.key(Qt.Key.Key_Return)
    assert len(person.canvas.view.highlighted) == 2


def test_a_line_is_shown_and_its_nodes_ringed(person: Searcher) -> None:
    person.call()
    person.type(":20")
    person.key(Qt.Key.Key_Return)
    selection = person.window.hub.view.selection
    assert (selection.kind, selection.line) == ("line", 20)
    assert len(person.canvas.view.highlighted) == 2


def test_a_command_is_found_and_given(person: Searcher) -> None:
    person.call()
    person.type(">last step")
    assert {row.kind for row in person.rows} == {"head", "command"}
    person.key(Qt.Key.Key_Return)
    assert person.position == 11
    # AND one that can't be given says why, and can't be chosen
    person.call()
    person.type("> next problem")
    (row,) = person.of("command")
    assert not row.can_be_chosen and row.detail == "No problems were found."
    person.key(Qt.Key.Key_Return)
    assert person.palette.isVisible()


def test_a_problem_is_found_and_gone_to(person: Searcher, recordings: dict[str, Path]) -> None:
    person.window.hub.change(None, findings=(SEED_MISMATCH,))
    person.call()
    person.type("seed")
    (row,) = person.of("finding")
    assert row.icon == "error"
    at = person.rows.index(row)
    while person.palette.list.currentIndex().row() != at:
        person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Return)
    assert person.window.hub.view.finding == 0


def test_arrows_walk_over_headings_and_round_the_end(person: Searcher) -> None:
    person.call()
    person.type("backward")
    seen = []
    for _ in person.rows:
        seen.append(person.palette.list.currentIndex().row())
        person.key(Qt.Key.Key_Down)
    walked = [at for at, row in enumerate(person.rows) if row.can_be_chosen]
    assert seen[: len(walked)] == walked and seen[len(walked)] == walked[0]
    person.key(Qt.Key.Key_Up)
    person.key(Qt.Key.Key_Up)


def test_more_of_a_kind_is_shown_when_asked(person: Searcher) -> None:
    person.call()
    person.type("backward0")
    before = len(person.of("node"))
    (more,) = person.of("more")
    assert more.text == "Show 1 more"
    while person.palette.current() is not more:
        person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Return)
    assert len(person.of("node")) == before + 1 and person.palette.isVisible()


def test_a_click_goes_there(person: Searcher) -> None:
    person.call()
    person.type("softmax")
    (row,) = person.of("node")
    place = person.palette.list.visualRect(person.palette.model.index(person.rows.index(row), 0)).center()
    QTest.mouseClick(person.palette.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert person.window.hub.view.selection.kind == "node"


def test_nothing_found_says_so(person: Searcher) -> None:
    person.call()
    person.type("nothing like it")
    assert [row.text for row in person.rows] == ["Nothing found for “nothing like it”."]
    person.key(Qt.Key.Key_Return)
    assert person.palette.isVisible()


def test_on_the_welcome_page_there_are_commands(window: Window, qtbot: QtBot) -> None:
    person = Searcher(window, qtbot)
    person.call()
    person.type("keyboard")
    assert [row.text for row in person.of("command")] == ["Keyboard shortcuts"]


def test_what_is_folded_away_is_opened(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    # GIVEN a transformer whose blocks are folded
    person = Searcher(window, qtbot)
    person.open(transformer(tmp_path / "run.gradviz", 4))
    person.canvas.view.setFocus()
    person.until(lambda: person.canvas.loaded.build.opened is not None)  # type: ignore[union-attr]  # open
    # WHEN a module deep inside is chosen THEN its group opens
    person.call()
    person.type("layers.2.linear1")
    row = person.of("module")[0]
    while person.palette.current() != row:
        person.key(Qt.Key.Key_Down)
    person.key(Qt.Key.Key_Return)
    assert person.window.hub.view.selection.kind == "group"
    person.until(lambda: any("layers.2" in key for key in person.canvas.loaded.build.opened))  # type: ignore[union-attr]  # open
    # AND a node is seen itself, not the group that it was in
    person.call()
    person.type("layers.3.linear2.bias")
    person.key(Qt.Key.Key_Return)
    person.until(lambda: person.canvas.view.selected.kind == "box")
    node = person.window.hub.view.selection.node
    person.until(lambda: _kind_of(person, node) == Kind.LEAF)
    assert person.window.hub.view.selection == Selection("node", node=node)


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("layers.2.linear1.bias", "Neighbours of encoder.layers.2.linear1.bias"),
        ("encoder.layers.2.self_attn", "Neighbours of self_attn"),
    ],
)
def test_a_focus_right_after_a_jump_is_on_what_was_jumped_to(
    typed: str, title: str, window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    # GIVEN folded blocks
    window.theme.smooth = False
    person = Searcher(window, qtbot)
    person.open(transformer(tmp_path / "run.gradviz", 4))
    person.canvas.folding.fold_all()
    person.until(lambda: person.canvas.loaded.build.opened == frozenset())  # type: ignore[union-attr]  # open
    person.canvas.view.setFocus()
    # WHEN one goes to what lies inside, and presses N before they have opened
    person.call()
    person.type(typed)
    person.key(Qt.Key.Key_Return)
    assert person.canvas.busy
    person.press(Qt.Key.Key_N)
    # THEN it is on that, not on the group that still stands there; and it stays there once they are open
    wanted = person.canvas.focus.wanted
    person.until(lambda: not person.canvas.busy)
    assert person.canvas.focus.wanted == wanted
    assert person.canvas.header.crumbs.text().rpartition(" › ")[2] == title


def test_a_module_of_just_this_name_comes_first(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    # GIVEN a module, and parameters whose names begin as its path does
    person = Searcher(window, qtbot)
    person.open(transformer(tmp_path / "run.gradviz", 4))
    person.canvas.view.setFocus()
    # WHEN its path is typed THEN it is what Enter goes to
    person.call()
    person.type("encoder.layers.2")
    row = person.palette.current()
    assert row is not None and (row.icon, row.text) == ("module", "encoder.layers.2")
    assert any(each.text.startswith("encoder.layers.2.") for each in person.rows)


def _kind_of(person: Searcher, node: int) -> int:
    loaded = person.canvas.loaded
    assert loaded is not None
    return int(loaded.scene.draft.kind[loaded.scene.draft.box_of[node]])
