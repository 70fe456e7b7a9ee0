"""The canvas driven by mouse, wheel and keys, on built recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from gradviz.diagnose.finding import Finding
from gradviz.document.hub import Hub, Selection
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.canvas.hits import Hit
from gradviz.gui.theme import Theme
from gradviz.scene.groups import READABLE
from gradviz.scene.model import Kind, State
from gradviz.trace.reader import Trace
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.gui.panes import Watcher
from tests.large_recordings import rounds, transformer

LONG = 30_000  # ms


class Drawn:
    """A canvas with a scene on it, and what a person does there."""

    def __init__(self, qtbot: Any, canvas: Canvas, watcher: Watcher) -> None:
        self.qtbot, self.canvas, self.hub, self.watcher = qtbot, canvas, canvas.hub, watcher

    @property
    def view(self) -> Any:
        return self.canvas.view

    def box(self, name: str) -> int:
        loaded = self.canvas.loaded
        assert loaded is not None
        draft = loaded.scene.draft
        return next(box for box in range(len(draft)) if draft.names[int(draft.name[box])] == name)

    def at(self, box: int) -> QPoint:
        """Where on screen the middle of a box is."""
        scene, view = self.view.picture.scene, self.view.view
        return QPoint(
            round((float(scene.x[box]) - view.x) * view.zoom), round((float(scene.y[box]) - view.y) * view.zoom)
        )

    def click(self, at: QPoint) -> None:
        self.qtbot.mouseClick(self.view, Qt.MouseButton.LeftButton, pos=at)

    def press(self, key: Qt.Key) -> None:
        self.qtbot.keyClick(self.view, key)

    def wheel(self, at: QPoint, turns: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        event = QWheelEvent(
            QPointF(at),
            QPointF(self.view.mapToGlobal(at)),
            QPoint(),
            QPoint(0, 120 * turns),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(self.view, event)

    def reloaded(self, act: Any) -> None:
        """Do something that makes a new scene, and wait for it."""
        with self.qtbot.waitSignal(self.canvas.scene_shown, timeout=LONG):
            act()


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    made = Theme("light")
    made.install(qapp)
    return made


@pytest.fixture
def draw(qtbot: Any, theme: Theme, nothing_left: None) -> Iterator[Any]:
    """Makes a canvas on a recording; all are shut down afterwards."""
    made: list[tuple[Canvas, Trace]] = []

    def on(path: Path, findings: tuple[Finding, ...] = (), position: int = 0) -> Drawn:
        hub, trace = Hub(), Trace(path)
        canvas = Canvas(hub, theme)
        watcher = Watcher(hub)
        made.append((canvas, trace))
        canvas.resize(900, 640)
        with qtbot.waitExposed(canvas):
            canvas.show()
        with qtbot.waitSignal(canvas.scene_shown, timeout=LONG):
            hub.change(trace=trace, pass_id=trace.passes()[0].id, findings=findings, position=position)
        watcher.heard.clear()
        return Drawn(qtbot, canvas, watcher)

    yield on
    for canvas, trace in made:
        canvas.close()
        canvas.deleteLater()
        trace.close()


@pytest.fixture(scope="module")
def language_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return transformer(tmp_path_factory.mktemp("canvas") / "run.gradviz", 5)


def test_a_small_graph_is_all_in_sight(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["eigh"], (SEED_MISMATCH,))
    left, top, right, bottom = drawn.view.view.area()
    bounds = drawn.view.picture.scene.bounds
    assert left <= bounds[0] and top <= bounds[1] and right >= bounds[2] and bottom >= bounds[3]
    assert not drawn.canvas.minimap.isVisible()
    assert drawn.canvas.header.counts.text() == "13 nodes, 13 edges"


def test_a_click_selects_and_tells_the_others(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    box = drawn.box("ReluBackward0")
    drawn.click(drawn.at(box))
    node = int(drawn.canvas.loaded.scene.draft.node[box])
    assert drawn.hub.view.selection == Selection("node", node=node)
    assert drawn.view.selected == Hit("box", box)
    assert drawn.watcher.heard == ["selection"]
    # AND a click beside everything, or Escape, takes the selection back
    drawn.click(QPoint(3, 3))
    assert drawn.hub.view.selection == Selection()
    drawn.click(drawn.at(box))
    drawn.press(Qt.Key.Key_Escape)
    assert drawn.hub.view.selection == Selection()


def test_a_double_click_goes_to_the_step(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    box = drawn.box("ReluBackward0")
    drawn.qtbot.mouseDClick(drawn.view, Qt.MouseButton.LeftButton, pos=drawn.at(box))
    assert drawn.hub.view.position == 6
    assert drawn.view.states.current == box


def test_the_mismatch_label_is_the_seed_edge(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["eigh"], (SEED_MISMATCH,))
    x, y = drawn.canvas.loaded.scene.label_at[drawn.canvas.loaded.scene.draft.framed[0].edge]
    view = drawn.view.view
    drawn.click(QPoint(round((x - view.x) * view.zoom), round((y - view.y) * view.zoom)))
    assert drawn.hub.view.selection == Selection("seed", node=0, slot=0)
    assert "expected [\u2009]\nreceived [164]" in drawn.canvas.words_of(drawn.view.selected)


def test_selections_of_others_are_shown_and_looked_at(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.view.set_view(drawn.view.view.__class__(-5000, -5000, 1.0, drawn.view.width(), drawn.view.height()))
    box = drawn.box("2.weight")
    drawn.hub.change(selection=Selection("node", node=int(drawn.canvas.loaded.scene.draft.node[box])))
    assert drawn.view.selected == Hit("box", box)
    drawn.qtbot.waitUntil(lambda: drawn.view.rect().contains(drawn.at(box)), timeout=5000)


def test_a_source_line_lights_its_nodes_up(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    file = drawn.canvas.loaded.order.trace.run().script
    drawn.hub.change(selection=Selection("line", path=file, line=20))
    assert set(drawn.view.highlighted) == {drawn.box("NllLossBackward0"), drawn.box("LogSoftmaxBackward0")}
    drawn.canvas.highlight([])
    assert drawn.view.highlighted == ()


@pytest.mark.parametrize("turns", [3, -3])
def test_the_wheel_zooms_at_the_pointer(draw: Any, recordings: dict[str, Path], turns: int) -> None:
    drawn = draw(recordings["mlp"])
    at = drawn.at(drawn.box("ReluBackward0"))
    before, zoom = drawn.view.scene_at(QPointF(at)), drawn.view.view.zoom
    drawn.wheel(at, turns)
    assert (drawn.view.view.zoom > zoom) == (turns > 0)
    assert drawn.view.scene_at(QPointF(at)) == pytest.approx(before, abs=0.5)
    # AND the header tells it
    assert drawn.canvas.header.percent.text() == f"{100 * drawn.view.view.zoom:.0f} %"


def test_shift_and_wheel_go_sideways(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    before = drawn.view.view
    drawn.wheel(QPoint(100, 100), 1, Qt.KeyboardModifier.ShiftModifier)
    after = drawn.view.view
    assert (after.zoom, after.y) == (before.zoom, before.y) and after.x != before.x


def test_dragging_pans_and_selects_nothing(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    before = drawn.view.view
    start = drawn.at(drawn.box("ReluBackward0"))
    QTest.mousePress(drawn.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for part in (10, 30, 60):
        QTest.mouseMove(drawn.view, start + QPoint(part, 20))
    QTest.mouseRelease(drawn.view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start + QPoint(60, 20))
    assert drawn.view.view.x == pytest.approx(before.x - 60 / before.zoom, abs=1)
    assert drawn.hub.view.selection == Selection()


def test_keys_zoom_and_fit(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    fitted = drawn.view.view
    drawn.press(Qt.Key.Key_0)
    assert drawn.view.view.zoom == pytest.approx(1.0)
    drawn.press(Qt.Key.Key_Plus)
    assert drawn.view.view.zoom == pytest.approx(1.25)
    drawn.press(Qt.Key.Key_Minus)
    assert drawn.view.view.zoom == pytest.approx(1.0)
    drawn.press(Qt.Key.Key_F)
    assert drawn.view.view == fitted


def test_arrows_follow_the_edges_and_enter_goes_there(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.click(drawn.at(drawn.box("NllLossBackward0")))
    drawn.press(Qt.Key.Key_Down)
    assert drawn.view.selected == Hit("box", drawn.box("LogSoftmaxBackward0"))
    drawn.press(Qt.Key.Key_Up)
    drawn.press(Qt.Key.Key_Up)
    assert drawn.view.selected == Hit("box", drawn.box("Seed gradient"))
    drawn.press(Qt.Key.Key_Down)
    drawn.press(Qt.Key.Key_Down)
    drawn.press(Qt.Key.Key_Return)
    assert drawn.hub.view.position == 1


def test_home_and_end_are_the_first_and_last_step(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"], (), 5)
    drawn.press(Qt.Key.Key_End)
    assert drawn.hub.view.position == 11 and drawn.view.states.current == -1
    drawn.press(Qt.Key.Key_Home)
    assert drawn.hub.view.position == 0


def test_a_step_paints_only_what_changed(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.view.repaint()
    before = drawn.view.pixels.renders
    for position in range(1, 8):
        drawn.hub.change(position=position)
        drawn.view.repaint()
    assert drawn.view.pixels.renders == before
    # AND the result is what a fresh painting gives
    drawn.view.stop_glide()
    stepped = drawn.view.grab().toImage()
    drawn.view.pixels.forget()
    assert drawn.view.grab().toImage() == stepped


@pytest.mark.parametrize(
    "steps", [[(90, 0)], [(0, -150)], [(40, 0), (40, 30), (40, 60)], [(-130, 170), (20, -200), (0, 0)]]
)
def test_a_view_that_leaves_the_image_paints_what_comes_into_sight_and_no_more(
    draw: Any, recordings: dict[str, Path], steps: list[tuple[int, int]]
) -> None:
    # GIVEN a part of the graph, near by
    drawn = draw(recordings["mlp"], position=3)
    drawn.view.stop_glide()
    drawn.view.zoom_by(1.0 / drawn.view.view.zoom)
    drawn.view.repaint()
    start, before = drawn.view.view, drawn.view.pixels.renders
    for at, (x, y) in enumerate(steps):
        # WHEN it is moved by more than the image reaches, once amid a step
        drawn.hub.change(position=4 + at)
        drawn.view.stop_glide()
        drawn.view.set_view(replace(start, x=start.x + x / start.zoom, y=start.y + y / start.zoom))
        drawn.view.repaint()
    # THEN no image was painted whole, and it is what a whole one shows
    assert drawn.view.pixels.renders == before
    moved = drawn.view.grab().toImage()
    drawn.view.pixels.forget()
    assert drawn.view.grab().toImage() == moved


@pytest.mark.parametrize("zoom", [0.7, 1.0, 2.3])
def test_stepping_zoomed_in_gives_what_a_fresh_painting_gives(
    draw: Any, recordings: dict[str, Path], zoom: float
) -> None:
    # GIVEN a part of the graph, moved to where pixels don't fall together
    drawn = draw(recordings["mlp"])
    drawn.view.zoom_by(zoom / drawn.view.view.zoom)
    drawn.view.set_view(replace(drawn.view.view, y=drawn.view.view.y + 0.37))
    drawn.view.repaint()
    for position in (1, 2, 4, 3, 9, 8):
        # WHEN
        drawn.hub.change(position=position)
        drawn.view.stop_glide()
        stepped = drawn.view.grab().toImage()
        # THEN
        drawn.view.pixels.forget()
        assert drawn.view.grab().toImage() == stepped


def test_groups_open_and_fold(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    draft = drawn.canvas.loaded.scene.draft
    stack = next(box for box in range(len(draft)) if draft.kind[box] == Kind.GROUP)
    key = draft.cards[int(draft.card[stack])].key
    place = drawn.at(stack)
    # WHEN it is double-clicked THEN it opens, with its corner where it was
    drawn.reloaded(lambda: drawn.qtbot.mouseDClick(drawn.view, Qt.MouseButton.LeftButton, pos=place))
    loaded = drawn.canvas.loaded
    assert key in loaded.build.opened
    assert drawn.canvas.header.counts.text().endswith("5 groups folded")
    # WHEN a block in it is selected and Backspace is pressed THEN it folds again
    inner = next(box for box in range(len(loaded.scene.draft)) if loaded.scene.draft.kind[box] == Kind.GROUP)
    drawn.view.centre_on(inner, glide=False, always=True)
    drawn.click(drawn.at(inner))
    assert drawn.hub.view.selection.kind == "group"
    drawn.reloaded(lambda: drawn.press(Qt.Key.Key_Backspace))
    assert key not in drawn.canvas.loaded.build.opened


def test_all_can_be_opened_and_the_map_appears(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.reloaded(drawn.canvas.folding.open_all)
    assert len(drawn.canvas.loaded.scene.draft) > 250
    assert drawn.canvas.minimap.isVisible()
    # WHEN the map is pressed THEN the view goes there
    before = drawn.view.view
    drawn.qtbot.mouseClick(drawn.canvas.minimap, Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert drawn.view.view != before
    drawn.reloaded(drawn.canvas.folding.fold_all)
    assert (drawn.canvas.loaded.scene.draft.kind == Kind.GROUP).any()


def test_the_map_goes_where_it_would_only_hide_what_is_in_sight(draw: Any, language_model: Path) -> None:
    # GIVEN boxes in both corners, and a part of the graph out of sight
    drawn = draw(language_model)
    drawn.reloaded(drawn.canvas.folding.open_all)
    drawn.canvas.fit()
    left, top, right, bottom = drawn.view.picture.scene.bounds
    fitted = drawn.view.view
    zoom = 1.2 * max(fitted.width / (right - left), fitted.height / (bottom - top))
    drawn.view.set_view(replace(fitted, zoom=zoom, x=left, y=top + 0.1 * (bottom - top)))
    area = drawn.view.view.area()
    most = (min(area[2], right) - max(area[0], left)) * (min(area[3], bottom) - max(area[1], top))
    assert most > 0.4 * (right - left) * (bottom - top)
    # THEN it goes, and comes again where one looks closer
    drawn.qtbot.waitUntil(lambda: not drawn.canvas.minimap.isVisible())
    drawn.view.zoom_reset()
    drawn.qtbot.waitUntil(drawn.canvas.minimap.isVisible)


def test_a_node_that_is_folded_away_can_be_revealed(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    node = int((drawn.canvas.loaded.scene.draft.card_of >= 3).nonzero()[0][0])
    while drawn.canvas.loaded.scene.draft.kind[drawn.canvas.loaded.scene.draft.box_of[node]] != Kind.GROUP:
        node += 1
    drawn.reloaded(lambda: drawn.canvas.folding.reveal(node))
    draft = drawn.canvas.loaded.scene.draft
    box = int(draft.box_of[node])
    assert draft.node[box] == node
    assert drawn.view.rect().contains(drawn.at(box))
    drawn.canvas.highlight([node])
    assert drawn.view.highlighted == (box,)


def test_a_module_that_is_folded_away_is_shown_by_what_holds_it(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.hub.change(selection=Selection("group", path="encoder.layers.3"))
    draft = drawn.canvas.loaded.scene.draft
    assert drawn.view.selected.kind == "box"
    assert draft.cards[int(draft.card[drawn.view.selected.at])].copies == 5


@pytest.mark.parametrize("switch", ["wrap", "shapes", "modules", "views", "constants"])
def test_switches_make_another_scene(draw: Any, recordings: dict[str, Path], switch: str) -> None:
    drawn = draw(recordings["broadcast"], (BROADCAST,))
    button = drawn.canvas.header.switches[switch]
    drawn.reloaded(lambda: drawn.qtbot.mouseClick(button, Qt.MouseButton.LeftButton))
    draft = drawn.canvas.loaded.scene.draft
    assert ((draft.kind == Kind.CONSTANT).any()) == (switch != "constants")
    assert drawn.view.picture.shapes == (switch != "shapes")


def test_one_key_hides_views_and_leaves_and_shows_them_again(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.reloaded(drawn.canvas.folding.open_all)
    boxes = len(drawn.canvas.loaded.scene.draft)
    drawn.view.setFocus()

    drawn.reloaded(lambda: drawn.qtbot.keyClick(drawn.view, Qt.Key.Key_V))

    draft = drawn.canvas.loaded.scene.draft
    assert not (draft.kind == Kind.LEAF).any() and len(draft) < boxes / 2
    drawn.reloaded(lambda: drawn.qtbot.keyClick(drawn.view, Qt.Key.Key_V))
    assert len(drawn.canvas.loaded.scene.draft) == boxes


def test_the_legend_needs_no_new_scene(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.qtbot.mouseClick(drawn.canvas.header.switches["legend"], Qt.MouseButton.LeftButton)
    assert drawn.canvas.legend.isVisible()


def test_findings_that_come_later_are_marked(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["broadcast"])
    assert drawn.canvas.loaded.scene.panels == ()
    drawn.reloaded(lambda: drawn.hub.change(findings=(BROADCAST,)))
    assert len(drawn.canvas.loaded.scene.panels) == 1


def test_a_stack_in_sections_is_selected_with_its_modules(draw: Any, tmp_path: Path) -> None:
    drawn = draw(rounds(tmp_path / "run.gradviz"))
    draft = drawn.canvas.loaded.scene.draft
    (stack,) = (draft.kind == Kind.GROUP).nonzero()[0].tolist()
    drawn.click(drawn.at(stack))
    assert (drawn.hub.view.selection.title, drawn.hub.view.selection.modules) == ("cell", (0,))


def test_who_goes_to_a_broadcast_sees_the_panel_that_explains_it(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["broadcast"])
    drawn.reloaded(lambda: drawn.hub.change(findings=(BROADCAST,)))
    (panel,) = drawn.canvas.loaded.scene.panels
    view = drawn.view.view
    drawn.view.set_view(replace(view, zoom=0.5, x=panel.x + panel.width + 2000, y=view.y))

    drawn.view.centre_on(panel.box, glide=False)

    left, top, right, bottom = drawn.view.view.area()
    assert left < panel.x and panel.x + panel.width < right
    assert top < panel.y and panel.y + panel.height < bottom


def test_another_pass_is_another_scene(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.reloaded(lambda: drawn.hub.change(pass_id=99, position=3))
    assert drawn.canvas.loaded.order.pass_id == 99
    assert drawn.view.states.position == 3


def test_nothing_open_is_an_empty_canvas(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.hub.change(trace=None, pass_id=None)
    drawn.qtbot.waitUntil(lambda: drawn.view.picture is None, timeout=5000)
    for key in (
        Qt.Key.Key_Down,
        Qt.Key.Key_Plus,
        Qt.Key.Key_F,
        Qt.Key.Key_Return,
        Qt.Key.Key_Backspace,
        Qt.Key.Key_End,
    ):
        drawn.press(key)
    drawn.click(QPoint(50, 50))
    drawn.view.repaint()


def test_the_menu_names_what_it_is_about(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    menu = drawn.canvas.menu_for(Hit("box", drawn.box("ReluBackward0")))
    assert isinstance(menu, QMenu)
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy name"].trigger()
    assert QGuiApplication.clipboard().text() == "ReluBackward0"
    actions["Show its line"].trigger()
    assert (drawn.hub.view.selection.kind, drawn.hub.view.selection.line) == ("line", 19)
    actions["Go to this step"].trigger()
    assert drawn.hub.view.position == 6
    menu.close()


def test_a_node_is_told_in_words(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"], (), 6)
    words = drawn.canvas.words_of(Hit("box", drawn.box("ReluBackward0"))).splitlines()
    assert words[:4] == ["ReluBackward0", "current", "line 19 · relu", words[3]]
    assert words[3].startswith("step 7 of 11")
    assert "expects [32, 64]" in words


def test_a_copied_image_is_what_is_in_sight(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    drawn.canvas.copy_image()
    image = QGuiApplication.clipboard().image()
    ratio = drawn.canvas.devicePixelRatioF()
    assert image.width() == pytest.approx(drawn.view.width() * ratio, abs=2)
    assert image.height() == pytest.approx(drawn.view.height() * ratio, abs=2)


def test_the_theme_changes_live(draw: Any, theme: Theme, recordings: dict[str, Path], qtbot: Any) -> None:
    drawn = draw(recordings["mlp"])
    light = drawn.view.grab().toImage()
    theme.set_mode("dark")
    qtbot.waitUntil(lambda: not theme.changing())
    dark = drawn.view.grab().toImage()
    assert dark.pixelColor(2, 2).lightness() < 60 < light.pixelColor(2, 2).lightness()


def test_states_never_lag_behind_the_hub(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    for position in (11, 0, 7, 3, 11, 1):
        drawn.hub.change(position=position)
        assert drawn.view.states.position == position
        done = int((drawn.view.states.box == State.DONE).sum())
        assert done == position + 1  # and the seed


def drag(drawn: Drawn, start: QPoint, end: QPoint, modifier: Qt.KeyboardModifier) -> None:
    QTest.mousePress(drawn.view, Qt.MouseButton.LeftButton, modifier, start)
    middle = QPoint((start.x() + end.x()) // 2, (start.y() + end.y()) // 2)
    for at in (middle, end):
        QTest.mouseMove(drawn.view, at)
    QTest.mouseRelease(drawn.view, Qt.MouseButton.LeftButton, modifier, end)


def test_shift_and_a_drag_mark_what_is_inside(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    one, other = drawn.box("NllLossBackward0"), drawn.box("LogSoftmaxBackward0")
    reach = QPoint(30, 5)
    before = drawn.view.view
    drag(drawn, drawn.at(one) - reach, drawn.at(other) + reach, Qt.KeyboardModifier.ShiftModifier)
    assert set(drawn.view.highlighted) == {one, other} and drawn.view.view == before
    # AND one box alone is selected, as a click selects it
    drag(drawn, drawn.at(one) - QPoint(9, 5), drawn.at(one) + QPoint(9, 5), Qt.KeyboardModifier.ShiftModifier)
    assert drawn.view.selected == Hit("box", one) and drawn.view.highlighted == ()
    assert drawn.hub.view.selection.kind == "node"


def test_control_and_a_drag_look_closer(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    box, zoom = drawn.box("ReluBackward0"), drawn.view.view.zoom
    reach = QPoint(120, 60)
    drag(drawn, drawn.at(box) - reach, drawn.at(box) + reach, Qt.KeyboardModifier.ControlModifier)
    assert drawn.view.view.zoom > zoom
    middle = drawn.view.rect().center()
    assert (drawn.at(box) - middle).manhattanLength() <= 6


def test_focus_dims_all_but_the_neighbours_and_goes_back(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"])
    relu, far = drawn.box("ReluBackward0"), drawn.box("0.weight")
    drawn.click(drawn.at(relu))
    plain = drawn.view.grab().toImage()
    drawn.press(Qt.Key.Key_N)
    # THEN a node elsewhere has faded, a neighbour hasn't, and the header says so
    assert drawn.canvas.focus.wanted is not None and relu in drawn.view.veil.part.boxes
    dimmed = drawn.view.grab().toImage()
    edge = drawn.at(far) + QPoint(0, round(18 * drawn.view.view.zoom))
    near = drawn.at(drawn.box("AddmmBackward0"))
    ratio = plain.devicePixelRatio()
    assert any(
        dimmed.pixel(int((edge.x() + dx) * ratio), int((edge.y() + dy) * ratio))
        != plain.pixel(int((edge.x() + dx) * ratio), int((edge.y() + dy) * ratio))
        for dx in range(-20, 20)
        for dy in range(-4, 5)
    )
    assert dimmed.pixel(int(near.x() * ratio), int(near.y() * ratio)) == plain.pixel(
        int(near.x() * ratio), int(near.y() * ratio)
    )
    assert drawn.canvas.header.crumbs.text().endswith("Neighbours of ReluBackward0")
    # WHEN Escape is pressed once THEN all is shown again, the selection still there; twice, it goes as well
    drawn.press(Qt.Key.Key_Escape)
    assert drawn.view.veil is None and drawn.view.selected == Hit("box", relu)
    drawn.press(Qt.Key.Key_Escape)
    assert drawn.hub.view.selection == Selection()


def test_the_breadcrumb_names_the_opened_groups_and_leads_there(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.canvas.resize(1200, 640)  # room for a long way
    crumbs = drawn.canvas.header.crumbs
    assert crumbs.text() == "Whole graph"
    drawn.reloaded(drawn.canvas.folding.open_all)
    loaded = drawn.canvas.loaded
    draft = loaded.scene.draft
    inside = next(box for box, card in enumerate(draft.inside.tolist()) if card >= 0 and draft.cards[card].parent >= 0)
    drawn.view.centre_on(inside, glide=False, always=True)
    drawn.click(drawn.at(inside))
    assert len(crumbs.parts) > 2
    # WHEN the group next to the whole graph is pressed THEN it is selected and in sight
    drawn.qtbot.mouseClick(crumbs.parts[1], Qt.MouseButton.LeftButton)
    assert drawn.view.selected.kind == "frame" and drawn.hub.view.selection.kind == "group"
    x, y, width, height = loaded.scene.frames[drawn.view.selected.at]
    left, top, right, bottom = drawn.view.view.area()
    assert left <= x and top <= y and right >= x + width and bottom >= y + height
    # AND the whole graph takes one back
    drawn.qtbot.mouseClick(crumbs.parts[0], Qt.MouseButton.LeftButton)
    assert drawn.hub.view.selection == Selection() and crumbs.text() == "Whole graph"


def test_a_group_that_opens_near_the_border_is_brought_into_sight(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.press(Qt.Key.Key_0)
    draft = drawn.canvas.loaded.scene.draft
    stack = next(box for box in range(len(draft)) if draft.kind[box] == Kind.GROUP)
    key = draft.cards[int(draft.card[stack])].key
    # GIVEN a folded group that shows only at the lower right border
    x, y, width, height = drawn.canvas.loaded.scene.rect(stack)
    view = drawn.view.view
    drawn.view.set_view(replace(view, x=x - view.width + 60, y=y - view.height + 30))
    # WHEN it is opened
    drawn.reloaded(lambda: drawn.canvas.folding.toggle(key))
    # THEN its upper left corner is in sight, and so is as much of it as the window holds
    loaded = drawn.canvas.loaded
    at = next(at for at, card in enumerate(loaded.scene.draft.open_cards) if loaded.scene.draft.cards[card].key == key)
    x, y, width, height = (float(part) for part in loaded.scene.frames[at])
    left, top, right, bottom = drawn.view.view.area()
    assert left <= x and top <= y
    assert right >= min(x + width, left + (right - left)) - 1 and bottom - y >= min(height, 0.8 * (bottom - top))


@pytest.mark.parametrize("smooth", [True, False])
def test_boxes_glide_when_a_group_opens_unless_turned_off(
    draw: Any, language_model: Path, theme: Theme, smooth: bool
) -> None:
    drawn = draw(language_model)
    theme.smooth = smooth
    draft = drawn.canvas.loaded.scene.draft
    stack = next(box for box in range(len(draft)) if draft.kind[box] == Kind.GROUP)
    began: list[bool] = []
    drawn.canvas.scene_shown.connect(lambda: began.append(drawn.view.morph.running))
    drawn.reloaded(lambda: drawn.qtbot.mouseDClick(drawn.view, Qt.MouseButton.LeftButton, pos=drawn.at(stack)))
    assert began == [smooth]
    drawn.qtbot.waitUntil(lambda: not drawn.view.morph.running, timeout=5000)
    # THEN what stands in the end is what a fresh painting gives
    ended = drawn.view.grab().toImage()
    drawn.view.pixels.forget()
    assert drawn.view.grab().toImage() == ended


def test_drawn_from_left_to_right_and_back(draw: Any, recordings: dict[str, Path]) -> None:
    drawn = draw(recordings["mlp"], position=3)
    top, low = drawn.box("NllLossBackward0"), drawn.box("LogSoftmaxBackward0")
    assert drawn.at(top).y() < drawn.at(low).y()
    # WHEN D is pressed THEN the gradient flows to the right, and all of it is in sight
    drawn.reloaded(lambda: drawn.press(Qt.Key.Key_D))
    assert drawn.at(top).x() < drawn.at(low).x() and drawn.canvas.header.switches["across"].isChecked()
    left, upper, right, lower = drawn.view.view.area()
    bounds = drawn.view.picture.scene.bounds
    assert left <= bounds[0] and upper <= bounds[1] and right >= bounds[2] and lower >= bounds[3]
    # AND the arrow keys follow the edges as they are drawn
    drawn.click(drawn.at(top))
    drawn.press(Qt.Key.Key_Right)
    assert drawn.view.selected == Hit("box", low)
    drawn.press(Qt.Key.Key_Left)
    assert drawn.view.selected == Hit("box", top)
    # WHEN the switch in the header is clicked THEN it flows down again
    button = drawn.canvas.header.switches["across"]
    drawn.reloaded(lambda: drawn.qtbot.mouseClick(button, Qt.MouseButton.LeftButton))
    assert drawn.at(top).y() < drawn.at(low).y()


def test_a_long_graph_drawn_to_the_right_wraps_into_rows(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    drawn.reloaded(drawn.canvas.folding.open_all)
    drawn.reloaded(lambda: drawn.press(Qt.Key.Key_D))
    left, top, right, bottom = drawn.view.picture.scene.bounds
    assert (right - left) / (bottom - top) < 12
    drawn.reloaded(lambda: drawn.qtbot.mouseClick(drawn.canvas.header.switches["wrap"], Qt.MouseButton.LeftButton))
    left, top, right, bottom = drawn.view.picture.scene.bounds
    assert (right - left) / (bottom - top) > 12
    # AND the map has its shape
    assert drawn.canvas.minimap.isVisible() and drawn.canvas.minimap.width() > 2 * drawn.canvas.minimap.height()


def inner_module(drawn: Any, path: str) -> Selection:
    modules = drawn.canvas.loaded.order.trace.modules()
    return Selection("group", path=path, module=next(each.id for each in modules if each.path == path))


def test_a_modules_group_is_opened_with_all_round_it(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    group = inner_module(drawn, "encoder.layers.3.self_attn")
    drawn.reloaded(lambda: drawn.canvas.folding.open_group(group))
    draft = drawn.canvas.loaded.scene.draft
    at = next(at for at, card in enumerate(draft.open_cards) if draft.cards[card].module == group.module)
    x, y, width, height = drawn.canvas.loaded.scene.frames[at]
    left, top, right, bottom = drawn.view.view.area()
    assert left <= x and top <= y and right >= x + width and bottom >= y + height
    # WHEN it is asked for again THEN it is looked at, and nothing is drawn anew
    drawn.view.set_view(replace(drawn.view.view, x=drawn.view.view.x + 4000))
    scene = drawn.canvas.loaded.scene
    drawn.canvas.folding.open_group(group)
    assert drawn.canvas.loaded.scene is scene and drawn.view.view.area()[0] <= x


def test_a_module_without_a_group_has_its_nodes_ringed(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    norm = inner_module(drawn, "encoder.layers.2.norm1")
    drawn.reloaded(lambda: drawn.canvas.folding.open_group(norm))
    modules = [card.module for card in drawn.canvas.loaded.scene.draft.cards]
    drawn.hub.change(selection=norm)
    assert (norm.module in modules) != bool(drawn.view.highlighted)


def finding_at(drawn: Any, name: str) -> Finding:
    """An error at the first node of this leaf's module that is folded away."""
    graph, trace = drawn.canvas.loaded.build.graph, drawn.canvas.loaded.order.trace
    leaf = next(leaf.id for leaf in trace.leaves() if leaf.name == name)
    node = int((graph.leaf == leaf).nonzero()[0][0])
    mark = replace(SEED_MISMATCH.marks[0], kind="node", node=node)
    return replace(SEED_MISMATCH, pass_id=0, step=None, marks=(mark,))


def test_who_jumps_to_a_finding_sees_it_opened_and_may_fold_it_again(draw: Any, language_model: Path) -> None:
    drawn = draw(language_model)
    finding = finding_at(drawn, "encoder.layers.3.self_attn.q_proj.weight")
    node = finding.marks[0].node
    # GIVEN a finding inside a folded stack, which bears its mark
    drawn.reloaded(lambda: drawn.hub.change(findings=(finding,)))
    draft = drawn.canvas.loaded.scene.draft
    assert draft.cards[int(draft.card[draft.box_of[node]])].severity == "error"
    assert all(card.severity == "error" for card in draft.cards if card.path == "encoder")
    # WHEN a person goes there THEN the groups round it are open
    drawn.reloaded(lambda: drawn.hub.change(finding=0, selection=Selection("node", node=node)))
    draft = drawn.canvas.loaded.scene.draft
    assert draft.node[draft.box_of[node]] == node and drawn.view.rect().contains(drawn.at(int(draft.box_of[node])))
    # AND folded again they stay so
    drawn.reloaded(drawn.canvas.folding.fold_all)
    draft = drawn.canvas.loaded.scene.draft
    assert draft.kind[draft.box_of[node]] == Kind.GROUP


@pytest.mark.parametrize(("layers", "told"), [(5, True), (70, False)])
def test_a_fresh_graph_is_opened_to_its_finding_as_long_as_it_can_be_read(
    draw: Any, tmp_path: Path, layers: int, told: bool
) -> None:
    drawn = draw(transformer(tmp_path / "run.gradviz", layers))
    finding = finding_at(drawn, "encoder.layers.3.self_attn.q_proj.weight")
    node = finding.marks[0].node
    # WHEN the findings come, and the first of them is shown
    drawn.reloaded(lambda: drawn.hub.change(findings=(finding,), finding=0, selection=Selection("node", node=node)))
    if told:
        drawn.qtbot.waitSignal(drawn.canvas.scene_shown, timeout=LONG).wait()
    draft = drawn.canvas.loaded.scene.draft
    assert (draft.node[draft.box_of[node]] == node) == told and len(draft) <= 70
    # AND who goes there sees it in any case
    drawn.hub.change(finding=-1)
    if not told:
        drawn.reloaded(lambda: drawn.hub.change(finding=0))
    draft = drawn.canvas.loaded.scene.draft
    assert draft.node[draft.box_of[node]] == node


def test_a_graph_too_large_to_be_read_whole_is_shown_from_its_beginning(draw: Any, tmp_path: Path) -> None:
    # GIVEN a chain that is wrapped into many columns, once no group folds it
    trace = TraceBuilder(tmp_path / "large.gradviz", "/home/me/script.py", "y = f(x)\ny.backward()\n")
    one = trace.backward(trace.at(2))
    nodes = [one.node("MulBackward0", [4])]
    nodes += [one.node("MulBackward0", [4], to=[before], seq=before) for before in range(1500)]
    one.root(nodes[-1], [4]).seed(None)
    drawn = draw(one.steps(nodes[::-1]).end().save())
    assert len(drawn.canvas.loaded.scene.draft) <= READABLE + 1
    groups = drawn.canvas.header.switches["modules"]
    drawn.reloaded(lambda: drawn.qtbot.mouseClick(groups, Qt.MouseButton.LeftButton))
    draft, area = drawn.canvas.loaded.scene.draft, drawn.view.view.area()
    assert len(draft) > 1000
    for box in ((draft.kind == Kind.SEED).argmax(), (draft.step_first == 0).argmax()):
        left, top, right, bottom = drawn.view.picture.boxes[box]
        assert area[0] <= left <= right <= area[2]
        assert area[1] <= top <= bottom <= area[3]
