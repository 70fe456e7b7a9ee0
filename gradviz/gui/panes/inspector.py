"""Inspector: what is selected, or the present step, or the whole pass, in every detail that was recorded."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.document.dim_names import DimNames
from gradviz.document.hub import Hub, Selection, View
from gradviz.document.pass_facts import PassFacts
from gradviz.document.variable_names import VariableNames
from gradviz.gui.panes.inspector_call import build_raised
from gradviz.gui.panes.inspector_code import build_code
from gradviz.gui.panes.inspector_edge import build_edge, build_seed
from gradviz.gui.panes.inspector_group import build_group, build_stack
from gradviz.gui.panes.inspector_node import NodePage
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_summary import build_summary
from gradviz.gui.panes.inspector_values import ValuesPool
from gradviz.gui.panes.pane import Pane, no_pass_words, page_scroller, words_page
from gradviz.gui.panes.plot_loader import PlotLoader
from gradviz.gui.theme import Theme


class InspectorPane(Pane):
    """`line_requested` (file, line) follows a link to a place; `record_requested` asks for a run that keeps values."""

    line_requested = Signal(str, int)
    record_requested = Signal()

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._shut: set[str] = set()
        self._facts: PassFacts | None = None
        self._names: VariableNames | None = None
        self._dims: DimNames | None = None
        self._subject: Selection | None = None
        self._ran = -1  # the step of the node that the page is about
        self.page: Page | None = None
        self._put_soon = QTimer(self)  # a page is built in one turn of the event loop, and shown in the next
        self._put_soon.setSingleShot(True)
        self._put_soon.setInterval(0)
        self._put_soon.timeout.connect(self._put)
        self._scrolled = 0  # where the page that is to be shown was scrolled to
        self._views = ValuesPool(theme, PlotLoader(self), self)
        self._area = page_scroller(self.tr("Inspector"), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        self.setFocusProxy(self._area)

    # -- showing
    def refresh(self, view: View, changed: frozenset[str]) -> None:
        if view.trace is None or view.pass_id is None:
            self._facts = None
            self._say(no_pass_words(view))
            return
        if {"trace", "pass"} & changed or self._facts is None:
            before = self._facts
            self._facts = PassFacts(view.trace, view.pass_id)
            if self._facts.continues(before):
                if changed <= {"trace", "pass"} and self._told_already(view, self._facts):
                    return
            else:
                self._names = VariableNames(view.trace)
                self._dims = DimNames(view.trace, self._names)
        self._forget_unseen()
        self._views.take_back()
        page = Page(self.theme, self._views, frozenset(self._shut), self)
        self._build(page, self._facts, view)
        self._offer(page, subject_of(view, self._facts))

    def _told_already(self, view: View, facts: PassFacts) -> bool:
        """While a recording grows: nothing new can be said of a node that has run."""
        subject = subject_of(view, facts)
        same = subject == self._subject and subject.kind == "node"
        return same and 0 <= self._ran == int(facts.step_of[subject.node])

    def show_damage(self, sentence: str) -> None:
        self._facts = None
        self._say(sentence)

    def _build(self, page: Page, facts: PassFacts, view: View) -> None:
        """The page of what is selected; positions and nodes of another pass don't count."""
        subject = subject_of(view, facts)
        names = self._names or VariableNames(facts.trace)
        dims = self._dims or DimNames(facts.trace, names)
        if subject.kind == "node":
            NodePage(page, facts, view, subject.node, names, dims).build()
        elif facts.forward_only and subject.kind in ("seed", "pass"):
            build_raised(page, facts, view, names)
        elif subject.kind == "seed":
            build_seed(page, facts, view, subject.node)
        elif subject.kind == "edge":
            build_edge(page, facts, view, subject.tail, subject.node, subject.slot, dims)
        elif subject.kind == "group" and subject.nodes:
            build_code(page, facts, subject)
        elif subject.kind == "group" and subject.modules:
            build_stack(page, facts, view, subject)
        elif subject.kind == "group":
            build_group(page, facts, view, subject)
        else:
            build_summary(page, facts, view)

    def _offer(self, page: Page, subject: Selection) -> None:
        """The page is shown in the next turn; where the same subject is shown again, at the same place."""
        self._scrolled = self._area.verticalScrollBar().value() if subject == self._subject else 0
        self._subject = subject
        self._ran = int(self._facts.step_of[subject.node]) if self._facts and subject.kind == "node" else -1
        self.page = page
        page.link_followed.connect(self._follow)
        page.folded.connect(self._remember_folded)
        page.record_requested.connect(self.record_requested)
        self._put_soon.start()

    def _put(self) -> None:
        page, at = self.page, self._scrolled
        if page is None:
            return
        if not self._turns.take():
            self._put_soon.start()
            return
        if at:
            page.completed.connect(lambda: QTimer.singleShot(0, page, lambda: self._scroll_to(at)))
        self._area.setWidget(page)
        page.finish()

    def _forget_unseen(self) -> None:
        """A page that another replaces before it was shown."""
        if self._put_soon.isActive() and self.page is not None:
            self._put_soon.stop()
            self._views.take_back()
            self.page.deleteLater()

    def _scroll_to(self, value: int) -> None:
        self._area.verticalScrollBar().setValue(value)

    def _say(self, words: str) -> None:
        self._forget_unseen()
        self.page, self._subject = None, None
        self._views.take_back()
        self._area.setWidget(words_page(words))

    # -- the person
    def _remember_folded(self, key: str, folded: bool) -> None:
        (self._shut.add if folded else self._shut.discard)(key)

    def _follow(self, link: str) -> None:
        kind, _, rest = link.partition(":")
        if kind == "node":
            self.hub.change(None, selection=Selection("node", node=int(rest)))
        elif kind == "module" and self._facts is not None:
            module = self._facts.trace.modules()[int(rest)]
            self.hub.change(None, selection=Selection("group", path=module.path, module=module.id))
        elif kind == "line":
            line, _, file = rest.partition(":")
            self.line_requested.emit(file, int(line))


def subject_of(view: View, facts: PassFacts) -> Selection:
    """What the page is about: what is selected, if this pass has it; the present step; else kind "pass"."""
    chosen, count = view.selection, len(facts.graph)
    if chosen.kind == "node" and 0 <= chosen.node < count:
        return chosen
    if chosen.kind == "edge" and 0 <= chosen.node < count and 0 <= chosen.tail < count:
        return chosen
    if chosen.kind == "seed" or (chosen.kind == "edge" and chosen.tail < 0):
        return Selection("seed", node=chosen.node)
    if chosen.kind == "group":
        return chosen
    if 0 <= view.position < len(facts.steps):
        return Selection("node", node=int(facts.steps.node[view.position]))
    return Selection("pass")
