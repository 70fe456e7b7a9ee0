"""Which class shows what: the docks' panes and the canvas, each imported when it is first built."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gradviz.gui.window import Window

PaneFactory = Callable[[QWidget], QWidget]
# dock: (module, class) of what is made with (hub, theme, parent)
ON_THE_HUB = {
    "steps": ("gradviz.gui.panes.steps", "StepsPane"),
    "modules": ("gradviz.gui.panes.modules", "ModulesPane"),
    "inspector": ("gradviz.gui.panes.inspector", "InspectorPane"),
    "problems": ("gradviz.gui.panes.problems", "ProblemsPane"),
    "source": ("gradviz.gui.panes.source", "SourcePane"),
}
CANVAS = ("gradviz.gui.canvas.canvas", "Canvas")
RUN = ("gradviz.gui.run_panel", "RunPanel")
OUTPUT = ("gradviz.gui.output", "OutputPane")


def pane_modules() -> tuple[str, ...]:
    """All that building the work page will import."""
    places = (CANVAS, *ON_THE_HUB.values(), RUN, OUTPUT)
    return tuple(module for module, _ in places)


def factories(window: Window) -> dict[str, PaneFactory]:
    """A maker for each dock's pane."""

    def on_the_hub(name: str) -> PaneFactory:
        return lambda parent: _make(ON_THE_HUB[name], window, parent)

    made = {name: on_the_hub(name) for name in ON_THE_HUB}
    made["run"] = lambda parent: _built(RUN, window.commands, window.post, parent)
    made["output"] = lambda parent: _built(OUTPUT, window.theme, parent)
    return made


def make_canvas(window: Window) -> QWidget:
    return _make(CANVAS, window, window.centre)


def _make(place: tuple[str, str], window: Window, parent: QWidget) -> QWidget:
    return _built(place, window.hub, window.theme, parent)


def _built(place: tuple[str, str], *given: object) -> QWidget:
    module, name = place
    made = getattr(importlib.import_module(module), name)(*given)
    assert isinstance(made, QWidget)
    return made
