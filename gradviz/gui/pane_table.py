"""Which class shows what: the docks' panes and the canvas, each imported when it is first built."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

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


def factories(window: Window) -> dict[str, PaneFactory]:
    """A maker for each dock's pane."""

    def on_the_hub(name: str) -> PaneFactory:
        return lambda parent: _make(ON_THE_HUB[name], window, parent)

    made = {name: on_the_hub(name) for name in ON_THE_HUB}
    return {**made, "run": lambda parent: _run(window, parent), "output": lambda parent: _output(window, parent)}


def make_canvas(window: Window) -> QWidget:
    return _make(CANVAS, window, window.centre)


def _make(place: tuple[str, str], window: Window, parent: QWidget) -> QWidget:
    module, name = place
    if importlib.util.find_spec(module) is None:
        return QLabel(name, parent)
    made = getattr(importlib.import_module(module), name)(window.hub, window.theme, parent)
    assert isinstance(made, QWidget)
    return made


def _run(window: Window, parent: QWidget) -> QWidget:
    from gradviz.gui.run_panel import RunPanel

    return RunPanel(window.commands, window.post, parent)


def _output(window: Window, parent: QWidget) -> QWidget:
    from gradviz.gui.output import OutputPane

    return OutputPane(window.theme, parent)
