"""One page of the Inspector: heading with chips, then sections; links and folding are told to the pane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gradviz.document.comparison import Comparison
from gradviz.document.pass_facts import PassFacts
from gradviz.draw.tokens import PANE_INSET
from gradviz.gui.panes.inspector_cells import ShapeTable
from gradviz.gui.panes.inspector_section import Chip, Chips, Row, Rows, Section, caption
from gradviz.gui.panes.inspector_values import Values, ValuesPool
from gradviz.gui.panes.inspector_words import cell_words
from gradviz.gui.panes.long_words import WordsLabel, breakable
from gradviz.gui.panes.turns import Turns
from gradviz.gui.theme import Theme


class Page(QWidget):
    """Built once for a subject, then only replaced."""

    link_followed = Signal(str)
    folded = Signal(str, bool)
    record_requested = Signal()
    completed = Signal()

    def __init__(self, theme: Theme, views: ValuesPool, shut: frozenset[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self._views, self._shut = theme, views, shut
        self.sections: list[Section] = []
        self.heading_text = ""
        self.chips: tuple[Chip, ...] = ()
        self._later: list[Callable[[], None]] = []
        # A timer, not singleShot: its calls are posted, and posted calls that post the next run in one go.
        self._turns = Turns.of_application()
        self._turn = QTimer(self)
        self._turn.setSingleShot(True)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._build_next)
        self._finished = 0  # 1 once there is a stretch at the end, above which sections are put
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "pane")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the pane: there is no scrolling to the side, so what is wider would be cut."""
        return QSize(0, super().minimumSizeHint().height())

    def heading(self, kicker: str, title: str, rest: str = "", chips: Sequence[Chip] = ()) -> None:
        self.heading_text, self.chips = f"{title} {rest}".strip(), tuple(chips)
        head = QWidget(self)
        rows = QVBoxLayout(head)
        rows.setContentsMargins(PANE_INSET, 12, PANE_INSET, 12)
        rows.setSpacing(7)
        words = WordsLabel(head)
        words.setText(heading_html(kicker, title, rest, self.theme))
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        rows.addWidget(words)
        if chips:
            rows.addWidget(Chips(self.theme, chips, head))
        self._layout.addWidget(head)

    def section(self, key: str, title: str, extra: str = "") -> Section:
        made = Section(self.theme, key, title, extra, key in self._shut, self)
        made.toggled.connect(self.folded)
        self.sections.append(made)
        self._layout.insertWidget(self._layout.count() - self._finished, made)
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
        label = QLabel(breakable(words), parent)
        label.setWordWrap(True)
        label.setProperty("role", "secondary")
        return label

    def table(
        self,
        section: Section,
        comparison: Comparison,
        labels: tuple[str, ...],
        tone: str = "error",
        names: tuple[str, ...] = (),
    ) -> None:
        section.rows.addWidget(ShapeTable(self.theme, comparison, labels, cell_words(), section, tone, names))

    def note(self, section: Section, words: str) -> None:
        section.rows.addWidget(caption(words, section))

    def values(self, key: str, title: str, choices: Sequence[Values]) -> None:
        if not choices:
            return
        section = self.section(key, title)
        view = self._views.take(section.body, choices, section.say, lambda level: self.record_requested.emit())
        section.rows.addWidget(view)

    def later(self, build: Callable[[], None]) -> None:
        """What lies below the fold is built in turns of its own, so that a step never keeps the window waiting."""
        self._later.append(build)

    def finish(self) -> None:
        """The page is shown as it is, and goes on to build what was put off."""
        self._layout.addStretch(1)
        self._finished = 1
        self._next()

    def whole(self) -> bool:
        return not self._later

    def _next(self) -> None:
        if self._later:
            self._turn.start()
        else:
            self.completed.emit()

    def _build_next(self) -> None:
        if not self._turns.take():
            self._turn.start()
            return
        self._later.pop(0)()
        self._next()

    def titles(self) -> list[str]:
        return [section.title() for section in self.sections]


def heading_html(kicker: str, title: str, rest: str, theme: Theme) -> str:
    """Where one is in small, the title in large, the rest of it quieter."""
    tokens = theme.tokens
    quiet = f' <span style="font-weight: 400; font-size: 13px">{escape(breakable(rest))}</span>' if rest else ""
    return (
        f'<div style="font-size: 12px; color: {tokens.text2}">{escape(kicker)}</div>'
        f'<div style="font-size: 15px; font-weight: 600; color: {tokens.text}">{escape(breakable(title))}{quiet}</div>'
    )


def steps_in_pass(facts: PassFacts) -> int:
    """As many as the pass has nodes, when it didn't get through."""
    return len(facts.graph) if len(facts.steps) < len(facts.graph) else len(facts.steps)
