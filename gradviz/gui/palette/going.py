"""Goes where a row of the palette leads: selects it everywhere, and opens what it is folded away in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from gradviz.document.find import Hit
from gradviz.document.hub import Selection
from gradviz.gui.canvas.canvas import Canvas
from gradviz.gui.commands import COMMANDS, key_words
from gradviz.gui.palette.palette import EVERYTHING, LEAVES, Palette
from gradviz.gui.palette.rows import Offer, Row

if TYPE_CHECKING:
    from gradviz.gui.window import Window

NOT_OFFERED = ("find",)  # it is open


class Going(QObject):
    """One window's palette, and what comes of choosing in it."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.palette = Palette(window.hub, window.theme, window.post, self._offers, window)
        self.palette.chosen.connect(self.go)

    def find(self) -> None:
        self.palette.open(EVERYTHING)

    def ask_leaf(self) -> None:
        """Which parameter should the path from the loss lead to?"""
        self.palette.open(LEAVES)

    def go(self, row: Row, scope: str) -> None:
        what = row.what
        canvas = self._window.centre.canvas if not self._window.shows_welcome() else None
        if isinstance(what, Hit):
            if isinstance(canvas, Canvas):
                self._go_to_hit(canvas, what, scope)
        elif row.kind == "finding" and isinstance(what, int):
            self._window.actions_on_hub.show_finding(what)
            self._window.docks.front("problems")
        elif row.kind == "command":
            self._window.commands[str(what)].trigger()

    def _go_to_hit(self, canvas: Canvas, hit: Hit, scope: str) -> None:
        hub = self._window.hub
        if scope == LEAVES:
            canvas.focus.show_path(hit.node)
        elif hit.kind == "module":
            self._open_module(canvas, hit.module)
        elif hit.kind == "line":
            hub.change(None, selection=Selection("line", path=hit.file, line=hit.line))
            self._window.docks.front("source")
        else:
            hub.change(None, selection=Selection("node", node=hit.node))
            if hit.kind == "shape":
                canvas.highlight(hit.nodes)
            else:
                canvas.folding.reveal(hit.node)
        canvas.view.setFocus()

    def _open_module(self, canvas: Canvas, module: int) -> None:
        trace = self._window.hub.view.trace
        modules = trace.modules() if trace is not None else ()
        if 0 <= module < len(modules):
            group = Selection("group", path=modules[module].path, module=module)
            self._window.hub.change(None, selection=group)
            canvas.folding.open_group(group)

    def _offers(self) -> list[Offer]:
        """All commands as they stand now."""
        commands = self._window.commands
        offers = []
        for command in COMMANDS:
            if command.name not in NOT_OFFERED:
                reason = commands.reason(command.name)
                words = QCoreApplication.translate("Reasons", reason) if reason else ""
                enabled = commands[command.name].isEnabled()
                text = commands.text(command)
                if command.name.startswith("theme_"):
                    text = self.tr("Theme: {name}").format(name=text)
                offers.append(Offer(command.name, text, key_words(command), words, enabled))
        return offers
