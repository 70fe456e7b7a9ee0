"""Problems: the findings as cards, most likely cause first; the one that is shown is open."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from gradviz.diagnose.finding import Finding
from gradviz.document.actions import Actions
from gradviz.document.hub import Hub, View
from gradviz.export.report import finding_markdown, finding_text, source_lines
from gradviz.gui.panes.pane import Pane, page_scroller, words_page
from gradviz.gui.panes.problem_card import ProblemCard
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme
from gradviz.trace.kept import passes_not_kept

MOST_CARDS = 100


class ProblemsPane(Pane):
    """`line_requested` (file, line) follows a link or a double click, `try_requested` carries a SeedRewrite."""

    line_requested = Signal(str, int)
    try_requested = Signal(object)
    stop_requested = Signal()  # of what is being tried

    def __init__(self, hub: Hub, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(hub, theme, parent)
        self._actions = Actions(hub)
        self._hidden_rules: set[str] = set()
        self.cards: dict[int, ProblemCard] = {}  # by index in the view's findings
        self._area = page_scroller(self.tr("Problems"), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        self.setFocusProxy(self._area)

    # -- showing
    def refresh(self, view: View, changed: frozenset[str]) -> None:
        nothing_yet = "examining" in changed and not view.findings
        if nothing_yet or {"trace", "findings"} & changed:
            self._rebuild(view)
        if {"trace", "findings", "finding"} & changed:
            self._mark(view)
        if {"trace", "findings", "trying"} & changed:
            self._show_trying(view)

    def show_damage(self, sentence: str) -> None:
        self.cards.clear()
        self._put(words_page(sentence))

    def _rebuild(self, view: View) -> None:
        self.cards.clear()
        shown = [(at, each) for at, each in enumerate(view.findings) if each.rule not in self._hidden_rules]
        if not shown and not self._hidden_rules:
            self._put(words_page(self.empty_words(view)))
            return
        page = QWidget()
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        set_role(page, "pane")
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for at, finding in shown[:MOST_CARDS]:
            rows.addWidget(self._card(at, finding, page))
        if len(shown) > MOST_CARDS:
            more = self.tr("{count} more are not listed.").format(count=len(shown) - MOST_CARDS)
            rows.addWidget(words_page(more))
        if self._hidden_rules:
            words = self.tr("Show hidden: {rules}").format(rules=", ".join(sorted(self._hidden_rules)))
            back = QPushButton(words, page)
            set_role(back, "link")
            back.clicked.connect(self._show_hidden)
            rows.addWidget(back, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addStretch(1)
        self._put(page)

    def _card(self, at: int, finding: Finding, parent: QWidget) -> ProblemCard:
        card = ProblemCard(finding, self.theme, parent)
        card.chosen.connect(lambda: self._choose(at))
        card.opened.connect(lambda: self.line_requested.emit(finding.file, finding.line))
        card.line_requested.connect(self.line_requested)
        card.copied.connect(lambda form: self._copy(finding, form))
        card.hidden.connect(lambda: self._hide(finding.rule))
        card.try_requested.connect(lambda: self.try_requested.emit(finding.rewrite))
        card.stop_requested.connect(self.stop_requested)
        self.cards[at] = card
        return card

    def _mark(self, view: View) -> None:
        """The shown finding is open and in sight; without one, the first is open."""
        first = view.finding if view.finding in self.cards else next(iter(self.cards), -1)
        for at, card in self.cards.items():
            card.set_state(at == view.finding and len(self.cards) > 1, at == first)
        if view.finding in self.cards:
            QTimer.singleShot(0, self, self._reveal)  # cards have their places once they are laid out

    def _show_trying(self, view: View) -> None:
        for card in self.cards.values():
            before = card.trial.isHidden()
            card.show_trying(view.trying)
            if before and not card.trial.isHidden():
                QTimer.singleShot(0, card.trial, lambda row=card.trial: self._area.ensureWidgetVisible(row, 0, 40))

    def _reveal(self) -> None:
        """The shown finding from its head on."""
        card = self.cards.get(self.hub.view.finding)
        bar = self._area.verticalScrollBar()
        if card is not None and not bar.value() <= card.y() <= card.y() + card.height() <= bar.value() + bar.pageStep():
            bar.setValue(card.y())

    def empty_words(self, view: View) -> str:
        """'No problems found in 13 steps.' and nothing while there is no recording."""
        if view.trace is None:
            return ""
        run, passes = view.trace.run(), view.trace.passes()
        if view.unexamined:
            return self.tr("This recording couldn't be examined for problems. {reason}").format(reason=view.unexamined)
        if run.status == "recording":
            return self.tr("Still recording. It is examined for problems when the run ends.")
        if view.examining:
            return self.tr("Looking for problems…")
        if not passes and passes_not_kept(view.trace):
            count = passes_not_kept(view.trace)
            words = self.tr("{count} backward passes ran, and none was kept: the Run pane says which to keep, from 0.")
            return words.format(count=f"{count:,}")
        if not passes:
            return self.tr("The script ended, and no backward pass ran.")
        steps = sum(one.steps * one.repeats for one in passes)
        if steps == 1:
            return self.tr("No problems found in 1 step.")
        return self.tr("No problems found in {count} steps.").format(count=f"{steps:,}")

    def _put(self, widget: QWidget) -> None:
        self._area.setWidget(widget)

    # -- the person
    def _choose(self, at: int) -> None:
        self._actions.show_finding(at, self)
        self._mark(self.hub.view)

    def _copy(self, finding: Finding, form: str) -> None:
        QGuiApplication.clipboard().setText(self.copy_of(finding, form))

    def copy_of(self, finding: Finding, form: str) -> str:
        """The fix alone, or the whole finding as text or Markdown."""
        if form == "fix":
            new = [line for change in finding.changes for line in change.new]
            return "\n".join(new) if new else finding.fix
        view = self.hub.view
        trial = view.trying.trial_of(finding.rewrite) if finding.rewrite is not None else None
        tried = trial.message if trial is not None else ""
        make = finding_markdown if form == "markdown" else finding_text
        if view.trace is None:
            return make(finding, tried=tried)
        return make(finding, source_lines(view.trace), view.trace.run().cwd, tried)

    def _hide(self, rule: str) -> None:
        self._hidden_rules.add(rule)
        self.heard("findings")

    def _show_hidden(self) -> None:
        self._hidden_rules.clear()
        self.heard("findings")
