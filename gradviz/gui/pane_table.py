"""Which class shows what: the docks' panes and the canvas, each imported when it is first built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

if TYPE_CHECKING:
    from gradviz.gui.window import Window

PaneFactory = Callable[[QWidget], QWidget]


def factories(window: Window) -> dict[str, PaneFactory]:
    """A maker for each dock's pane."""
    return {
        "steps": lambda parent: placeholder("Steps", parent),
        "modules": lambda parent: placeholder("Modules", parent),
        "run": lambda parent: _run(window, parent),
        "inspector": lambda parent: placeholder("Inspector", parent),
        "problems": lambda parent: placeholder("Problems", parent),
        "source": lambda parent: placeholder("Source", parent),
        "output": lambda parent: _output(window, parent),
    }


def make_canvas(window: Window) -> QWidget:
    return placeholder("Canvas", window)


def _run(window: Window, parent: QWidget) -> QWidget:
    from gradviz.gui.run_panel import RunPanel

    return RunPanel(window.commands, window.post, parent)


def _output(window: Window, parent: QWidget) -> QWidget:
    from gradviz.gui.output import OutputPane

    return OutputPane(window.theme, parent)


def placeholder(name: str, parent: QWidget) -> QWidget:
    label = QLabel(name, parent)
    label.setFocusPolicy(label.focusPolicy().StrongFocus)
    return label
