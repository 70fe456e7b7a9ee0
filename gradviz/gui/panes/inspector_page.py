"""One page of the Inspector: heading with chips, then sections; links and folding are told to the pane."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gradviz.document.comparison import Comparison
from gradviz.document.pass_facts import PassFacts
from gradviz.draw.tokens import PANE_INSET
from gradviz.gui.panes.inspector_cells import ShapeTable
from gradviz.gui.panes.inspector_section import Chip, Chips, Row, Rows, Section, caption
from gradviz.gui.panes.inspector_values import Values, ValuesView
from gradviz.gui.panes.inspector_words import cell_words
from gradviz.gui.panes.plot_loader import PlotLoader
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme


class Page(QWidget):
    """Built once for a subject, then only replaced."""

    link_followed = Signal(str)
    folded = Signal(str, bool)
    record_requested = Signal()

    def __init__(self, theme: Theme, loader: PlotLoader, shut: frozenset[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self._loader, self._shut = theme, loader, shut
        self.sections: list[Section] = []
        self.heading_text = ""
        self.chips: tuple[Chip, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        set_role(self, "pane")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def heading(self, kicker: str, title: str, rest: str = "", chips: Sequence[Chip] = ()) -> None:
        self.heading_text, self.chips = f"{title} {rest}".strip(), tuple(chips)
        head = QWidget(self)
        rows = QVBoxLayout(head)
        rows.setContentsMargins(PANE_INSET, 12, PANE_INSET, 12)
        rows.setSpacing(3)
        small = QLabel(kicker, head)
        set_role(small, "secondary")
        big = QLabel(head)
        big.setTextFormat(Qt.TextFormat.RichText)
        big.setText(title_html(title, rest))
        big.setWordWrap(True)
        big.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(big, "title")
        rows.addWidget(small)
        rows.addWidget(big)
        if chips:
            rows.addSpacing(4)
            rows.addWidget(Chips(self.theme, chips, head))
        self._layout.addWidget(head)

    def section(self, key: str, title: str, extra: str = "") -> Section:
        made = Section(self.theme, key, title, extra, key in self._shut, self)
        made.toggled.connect(self.folded)
        self.sections.append(made)
        self._layout.addWidget(made)
        return made

    def rows(self, key: str, title: str, rows: Sequence[Row], extra: str = "", words: str = "") -> None:
        """A section of labels and values; none where there is nothing to say."""
        if not rows and not words:
            return
        section = self.section(key, title, extra)
        if rows:
            section.rows.addWidget(self.links(rows, section))
        if words:
            section.rows.addWidget(self.sentence(words, section))

    def links(self, rows: Sequence[Row], parent: QWidget) -> Rows:
        made = Rows(self.theme, rows, parent)
        made.linkActivated.connect(self.link_followed)
        return made

    def sentence(self, words: str, parent: QWidget) -> QLabel:
        label = QLabel(words, parent)
        label.setWordWrap(True)
        set_role(label, "secondary")
        return label

    def table(self, section: Section, comparison: Comparison, labels: tuple[str, ...], tone: str = "error") -> None:
        section.rows.addWidget(ShapeTable(self.theme, comparison, labels, cell_words(), section, tone))

    def note(self, section: Section, words: str) -> None:
        section.rows.addWidget(caption(self.theme, words, section))

    def values(self, key: str, title: str, choices: Sequence[Values]) -> None:
        if not choices:
            return
        section = self.section(key, title)
        view = ValuesView(self.theme, self._loader, choices, section)
        view.described.connect(section.say)
        view.record_requested.connect(self.record_requested)
        section.say(view.description)
        section.rows.addWidget(view)

    def finish(self) -> None:
        self._layout.addStretch(1)

    def titles(self) -> list[str]:
        return [section.title() for section in self.sections]


def title_html(title: str, rest: str) -> str:
    quiet = f' <span style="font-weight: 400; font-size: 13px">{escape(rest)}</span>' if rest else ""
    return escape(title) + quiet


def steps_in_pass(facts: PassFacts) -> int:
    """As many as the pass has nodes, when it didn't get through."""
    return len(facts.graph) if len(facts.steps) < len(facts.graph) else len(facts.steps)
