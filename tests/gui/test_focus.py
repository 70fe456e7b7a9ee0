"""Focus on the canvas: by keys, by the panel over the graph, by commands; the rest dimmed or gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.window import Window
from tests.gui.driving import Person
from tests.large_recordings import transformer


class Looker(Person):
    """Looks at a part."""

    def box(self, name: str) -> int:
        assert self.canvas.loaded is not None
        draft = self.canvas.loaded.scene.draft
        return next(box for box in range(len(draft)) if draft.names[int(draft.name[box])] == name)

    def at(self, box: int) -> QPoint:
        view = self.canvas.view
        assert view.picture is not None
        scene, look = view.picture.scene, view.view
        return QPoint(
            round((float(scene.x[box]) - look.x) * look.zoom), round((float(scene.y[box]) - look.y) * look.zoom)
        )

    def select(self, name: str) -> int:
        box = self.box(name)
        self.click(self.canvas.view, self.at(box))
        assert self.canvas.view.selected == Hit("box", box)
        return box

    @property
    def shown(self) -> set[str]:
        """Names of what stands out."""
        veil = self.canvas.view.veil
        assert veil is not None
        draft = veil.own.scene.draft
        return {draft.names[int(name)] for name in draft.name}

    @property
    def crumb(self) -> str:
        return self.canvas.header.crumbs.text().rpartition(" › ")[2]

    def picture(self) -> QImage:
        return self.canvas.view.grab().toImage()


@pytest.fixture
def person(window: Window, qtbot: QtBot, recordings: dict[str, Path]) -> Looker:
    window.theme.smooth = False
    person = Looker(window, qtbot)
    person.open(recordings["mlp"])
    person.canvas.view.setFocus()
    return person


@pytest.mark.parametrize(
    ("key", "title", "inside", "outside"),
    [
        (Qt.Key.Key_N, "Neighbours of ReluBackward0", {"AddmmBackward0"}, {"0.bias", "LogSoftmaxBackward0"}),
        (Qt.Key.Key_I, "What leads to ReluBackward0", {"NllLossBackward0", "Seed gradient"}, {"0.bias", "2.bias"}),
        (Qt.Key.Key_O, "What follows from ReluBackward0", {"0.bias", "0.weight"}, {"NllLossBackward0", "2.bias"}),
        (Qt.Key.Key_B, "What leads to ReluBackward0 and follows from it", {"NllLossBackward0", "0.bias"}, {"2.bias"}),
    ],
)
def test_keys_focus_on_what_is_selected_and_escape_leaves(
    person: Looker, key: Qt.Key, title: str, inside: set[str], outside: set[str]
) -> None:
    person.select("ReluBackward0")
    person.press(key)
    assert {"ReluBackward0"} | inside <= person.shown and not outside & person.shown
    # THEN breadcrumb and panel say so
    assert person.crumb == title == person.canvas.focus.bar.words.text()
    assert person.canvas.focus.bar.isVisible()
    # WHEN Escape is pressed THEN all is shown, and the selection stands
    person.press(Qt.Key.Key_Escape)
    assert person.canvas.view.veil is None and not person.canvas.focus.bar.isVisible()
    assert person.canvas.view.selected.kind == "box"
    # AND the same key once more leaves it too
    person.press(key)
    person.press(key)
    assert person.canvas.view.veil is None


def test_the_path_from_the_loss_to_the_leaf_that_is_selected(person: Looker) -> None:
    person.select("2.weight")
    person.press(Qt.Key.Key_P)
    assert person.crumb == "Path from the loss to 2.weight"
    assert person.shown == {
        "Seed gradient", "NllLossBackward0", "LogSoftmaxBackward0", "AddmmBackward0", "TBackward0", "2.weight"
    }  # fmt: skip


def test_without_a_leaf_one_is_asked_which(person: Looker) -> None:
    person.press(Qt.Key.Key_P)
    palette = person.controller.search.palette
    person.until(lambda: palette.isVisible() and any(row.kind == "hit" for row in palette.model.rows))
    assert palette.field.placeholderText() == "Path from the loss to which parameter?"
    person.qtbot.keyClicks(palette.field, "0.bias")
    person.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert person.crumb == "Path from the loss to 0.bias"
    assert "0.weight" not in person.shown and "ReluBackward0" in person.shown


def test_the_neighbourhood_of_the_current_step_follows_it(person: Looker) -> None:
    person.press(Qt.Key.Key_F10)
    person.press(Qt.Key.Key_N)
    assert person.crumb == "Around the current step, LogSoftmaxBackward0"
    assert person.shown == {"NllLossBackward0", "LogSoftmaxBackward0", "AddmmBackward0"}
    person.press(Qt.Key.Key_F10)
    assert person.crumb == "Around the current step, AddmmBackward0"
    assert "ReluBackward0" in person.shown and "NllLossBackward0" not in person.shown


def test_hops_are_edited_by_keys_and_in_the_panel(person: Looker) -> None:
    person.select("ReluBackward0")
    person.press(Qt.Key.Key_N)
    near = person.shown
    person.press(Qt.Key.Key_BracketRight)
    assert person.canvas.focus.bar.hops.text() == "2 hops" and near < person.shown
    person.click(person.canvas.focus.bar.more)
    assert "NllLossBackward0" in person.shown
    person.canvas.view.setFocus()
    person.press(Qt.Key.Key_BracketLeft)
    person.press(Qt.Key.Key_BracketLeft)
    person.press(Qt.Key.Key_BracketLeft)
    assert person.shown == near


def test_the_rest_is_dimmed_or_gone_and_the_choice_remembered(person: Looker) -> None:
    relu, far = person.select("ReluBackward0"), person.box("0.weight")
    plain = person.picture()
    person.press(Qt.Key.Key_N)
    dimmed, at = person.picture(), person.at(far)
    assert person.canvas.view.hit_at(at.toPointF()) == Hit("box", far)
    # WHEN the rest is hidden in the panel
    person.click(person.canvas.focus.bar.rest)
    gone = person.picture()
    assert plain != dimmed != gone
    # THEN it can't be hit, nor is anything painted there
    assert person.canvas.view.hit_at(at.toPointF()) == NOTHING
    assert person.canvas.view.hit_at(person.at(relu).toPointF()) == Hit("box", relu)
    assert person.window.settings.choice("focus_rest") == "hide"
    assert person.window.commands["focus_hide"].isChecked()
    person.press(Qt.Key.Key_H)
    assert person.picture() == dimmed


@pytest.mark.parametrize("hides", [False, True])
@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.3])
def test_a_step_under_the_veil_gives_what_a_fresh_painting_gives(person: Looker, zoom: float, hides: bool) -> None:
    person.select("ReluBackward0")
    person.press(Qt.Key.Key_B)
    person.canvas.focus.set_hides(hides)
    person.canvas.view.zoom_by(zoom / person.canvas.view.view.zoom)
    look = person.canvas.view.view
    for _ in range(7):
        person.window.hub.change(None, position=person.position + 1)
        person.canvas.view.set_view(look)  # an image that moves along does so by whole pixels
        stepped = person.picture()
        person.canvas.view.pixels.forget()
        assert person.picture() == stepped


def test_the_panel_and_the_breadcrumb_lead_out(person: Looker) -> None:
    person.select("ReluBackward0")
    for leave in (person.canvas.focus.bar.leave, person.canvas.header.crumbs.parts[0]):
        person.press(Qt.Key.Key_I)
        person.click(leave)
        assert person.canvas.focus.wanted is None
        person.canvas.view.setFocus()
        person.select("ReluBackward0")


def test_commands_are_there_where_they_make_sense(person: Looker) -> None:
    commands = person.window.commands
    person.command("last")
    assert not commands["focus_before"].isEnabled() and not commands["focus_off"].isEnabled()
    assert "Select a node first" in commands["focus_before"].toolTip()
    assert commands["focus_path"].isEnabled()
    person.select("ReluBackward0")
    person.command("focus_before")
    assert person.crumb == "What leads to ReluBackward0"
    person.command("focus_off")
    assert person.canvas.view.veil is None


def test_the_menu_of_a_node_offers_it(person: Looker) -> None:
    person.select("0.weight")
    menu = person.canvas.menu_for(person.canvas.view.selected)
    action = next(each for each in menu.actions() if each.text() == "Focus on the path from the loss")
    action.trigger()
    menu.close()
    assert person.crumb == "Path from the loss to 0.weight"


def test_another_pass_of_the_same_graph_keeps_it_and_another_recording_doesnt(
    person: Looker, recordings: dict[str, Path]
) -> None:
    person.select("ReluBackward0")
    person.press(Qt.Key.Key_O)
    first = person.window.hub.view.pass_id
    person.command("next_pass")
    person.until(lambda: person.canvas.loaded.order.pass_id != first)  # type: ignore[union-attr]  # open
    assert person.crumb == "What follows from ReluBackward0"
    person.open(recordings["broadcast"])
    person.until(lambda: person.canvas.loaded.order.trace is person.window.hub.view.trace)  # type: ignore[union-attr]  # open
    assert person.canvas.focus.wanted is None and not person.canvas.focus.bar.isVisible()


def test_fit_looks_at_what_stands_out(person: Looker) -> None:
    person.press(Qt.Key.Key_F)
    whole = person.canvas.view.view
    person.select("2.bias")
    person.press(Qt.Key.Key_N)
    person.press(Qt.Key.Key_F)
    bounds = person.canvas.view.veil.own.scene.bounds  # type: ignore[union-attr]  # it has one
    look = person.canvas.view.view
    assert look != whole
    # THEN it is in the middle, and below the panel that lies over the graph
    assert look.x + look.width / look.zoom / 2 == pytest.approx((bounds[0] + bounds[2]) / 2, abs=1)
    assert (bounds[1] - look.y) * look.zoom > person.canvas.focus.bar.geometry().bottom()
    assert (bounds[3] - look.y) * look.zoom < look.height


def test_a_focus_stays_on_its_node_when_groups_open(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.theme.smooth = False
    person = Looker(window, qtbot)
    person.open(transformer(tmp_path / "run.gradviz", 4))
    person.canvas.folding.fold_all()
    person.until(lambda: person.canvas.loaded.build.opened == frozenset())  # type: ignore[union-attr]  # open
    index = person.controller.search.palette
    person.canvas.view.setFocus()
    person.press(Qt.Key.Key_P)
    person.until(lambda: any(row.kind == "hit" for row in index.model.rows))
    person.qtbot.keyClicks(index.field, "layers.2.linear1.bias")
    person.qtbot.keyClick(index.field, Qt.Key.Key_Return)
    folded = person.shown
    person.canvas.folding.open_all()
    person.until(lambda: bool(person.canvas.loaded.build.opened))  # type: ignore[union-attr]  # open
    assert person.crumb == "Path from the loss to encoder.layers.2.linear1.bias"
    assert "encoder.layers.2.linear1.bias" in person.shown and len(person.shown) > len(folded)
