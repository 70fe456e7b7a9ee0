"""One finding as a card: what is wrong and where, why, what to write instead, and what can be done with it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gradviz.diagnose.finding import Change, Finding
from gradviz.diagnose.remedy import can_be_copied, lines_to_write
from gradviz.document.state import Trying
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CELL, FINDING_TITLE, ICON, LIST, RADIUS
from gradviz.gui.panes.problem_trial import TrialRow, try_words
from gradviz.gui.panes.problems_words import differing_lines, place, sentence_html
from gradviz.gui.style_sheet import set_role
from gradviz.gui.theme import Theme

TEXT_LEFT = 40
BAR = 3
NO_BREAK = "\N{NON-BREAKING HYPHEN}"


class ProblemCard(QFrame):
    """`chosen` when the card is clicked, `line_requested` for its links, `copied` with what to put on the clipboard."""

    chosen = Signal()
    opened = Signal()  # double click: jump to the cause
    line_requested = Signal(str, int)
    copied = Signal(str)  # "fix" | "text" | "markdown"
    hidden = Signal()  # hide this rule
    try_requested = Signal()
    stop_requested = Signal()  # of the second run

    def __init__(self, finding: Finding, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding, self._theme = finding, theme
        self._selected = False
        self._hovered = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.setAccessibleName(f"{finding.severity}: {finding.title or finding.message}")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(TEXT_LEFT, 8, 16, 10)
        self._layout.setSpacing(3)
        self._layout.addLayout(self._head())
        if differing_lines(finding):
            self._layout.addWidget(self._places())
        self.message = self._sentence(finding.message if finding.title else "", True)
        self._more = QWidget(self)
        rows = QVBoxLayout(self._more)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        self._layout.addWidget(self.message)
        self._layout.addWidget(self._more)
        for widget in (self._sentence(finding.explanation, False), self._changes(), self._effects()):
            if widget is not None:
                rows.addWidget(widget)
        self.trial = TrialRow(theme, self)
        self.trial.stop_requested.connect(self.stop_requested)
        rows.addWidget(self.trial)
        rows.addWidget(self._caution())
        rows.addLayout(self._buttons())

    # -- parts
    def _head(self) -> QHBoxLayout:
        finding, theme = self.finding, self._theme
        row = QHBoxLayout()
        row.setSpacing(8)
        rule_style = f"font-family: '{theme.font(CELL).family()}'; font-size: 11px"
        rule_style += f"; font-weight: 400; color: {theme.tokens.text2}; white-space: nowrap"
        self.title = QLabel(self)
        self.title.setTextFormat(Qt.TextFormat.RichText)
        self.title.setText(
            f'<b>{escape(finding.title or finding.message)}</b>&nbsp; <span style="{rule_style}">'
            f"{escape(finding.rule).replace('-', NO_BREAK)}</span>"
        )
        self.title.setFont(theme.font(FINDING_TITLE))
        self.title.setStyleSheet(f"font-size: 13px; color: {theme.tokens.text}")
        self.title.setWordWrap(True)
        row.addWidget(self.title, 1)
        if not differing_lines(finding) and finding.file:
            row.addWidget(self._link_label(self._link(finding.file, finding.line)), 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _places(self) -> QLabel:
        """Cause, Shows at, Raised (or nowhere)."""
        finding = self.finding
        parts = [(self.tr("Cause"), self._link(finding.file, finding.line))] if finding.file else []
        raised = (finding.raised_line, finding.raised_file or finding.file)
        apart = finding.symptom_line is not None and finding.symptom_line != finding.line
        if finding.symptom_line is not None and apart and (finding.symptom_line, finding.file) != raised:
            parts.append((self.tr("Shows at"), self._link(finding.file, finding.symptom_line)))
        if finding.raised_line is None:
            parts.append((self.tr("Raised"), escape(self.tr("nowhere"))))
        else:
            parts.append((self.tr("Raised"), self._link(finding.raised_file or finding.file, finding.raised_line)))
        gap = "&nbsp;" * 5
        return self._link_label(gap.join(f"{escape(name)} {value}" for name, value in parts))

    def _link(self, file: str, line: int) -> str:
        style = f"color: {self._theme.tokens.accent}; text-decoration: none"
        return f'<a href="{escape(f"{line}:{file}")}" style="{style}">{escape(place(file, line))}</a>'

    def _link_label(self, html: str) -> QLabel:
        label = QLabel(html, self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        set_role(label, "secondary")
        label.linkActivated.connect(self._follow)
        return label

    def _sentence(self, words: str, strong: bool) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setText(sentence_html(words, self._theme, strong))
        label.setWordWrap(True)
        set_role(label, "body" if strong else "secondary")
        label.setVisible(bool(words))
        return label

    def _changes(self) -> QWidget | None:
        """Lines to write as such; a fix in words as a sentence, so that nobody takes it for code."""
        fix, changes = self.finding.fix, lines_to_write(self.finding)
        if changes or not fix:
            return ChangeLines(changes, self._theme, self) if changes else None
        return self._sentence(self.tr("To mend it: {fix}").format(fix=fix), False)

    def _effects(self) -> QWidget | None:
        if not self.finding.effects:
            return None
        words = "<br>".join("· " + sentence_html(effect, self._theme, False) for effect in self.finding.effects)
        label = QLabel(words, self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        set_role(label, "secondary")
        return label

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.show_button = self._button("target", self.tr("Show in graph"))
        self.show_button.clicked.connect(self.chosen)
        self.show_button.setEnabled(bool(self.finding.marks))
        if not self.finding.marks:
            self.show_button.setToolTip(self.tr("This problem has no place in the graph."))
        self.copy_button = self._button("copy", self.tr("Copy fix"))
        self.copy_button.clicked.connect(lambda: self.copied.emit("fix"))
        self.copy_button.setEnabled(can_be_copied(self.finding))
        if self.finding.fix and not self.copy_button.isEnabled():
            self.copy_button.setToolTip(self.tr("This fix is in words: there is no line to paste."))
        self.as_button = self._button("", self.tr("Copy as"))
        menu = QMenu(self.as_button)
        menu.addAction(self.tr("Text"), lambda: self.copied.emit("text"))
        menu.addAction(self.tr("Markdown"), lambda: self.copied.emit("markdown"))
        self.as_button.setMenu(menu)
        self.try_button = self._button("run", try_words(self.finding.rewrite.kind if self.finding.rewrite else ""))
        self.try_button.clicked.connect(self.try_requested)
        self.try_button.hide()
        for button in (self.show_button, self.copy_button, self.try_button, self.as_button):
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _caution(self) -> QLabel:
        """Said beforehand: a second run does what the first did."""
        words = self.tr("Try runs the script once more; what it writes or sends, it writes or sends again.")
        self.caution = QLabel(words, self)
        self.caution.setWordWrap(True)
        set_role(self.caution, "secondary")
        self.caution.hide()
        return self.caution

    def _button(self, icon: str, words: str) -> QPushButton:
        button = QPushButton(words, self)
        if icon:
            button.setIcon(self._theme.icon(icon))
        button.setStyleSheet("padding: 3px 9px; font-size: 12px;")
        return button

    # -- states
    def set_state(self, selected: bool, opened: bool) -> None:
        """Selected: the finding that the window shows. A card that isn't open says only what and where."""
        self._selected = selected
        self._more.setVisible(opened)
        self.update()

    def show_trying(self, trying: Trying) -> None:
        """How it stands with trying this fix; a finding that can't be tried says nothing."""
        rewrite = self.finding.rewrite
        running = rewrite is not None and trying.running == rewrite
        possible = rewrite is not None and trying.possible
        trial = trying.trial_of(rewrite) if rewrite is not None else None
        self.try_button.setVisible(possible and not running)
        self.try_button.setEnabled(trying.running is None)
        other = trying.running is not None
        self.try_button.setToolTip(self.tr("Another fix is being tried.") if other else self.caution.text())
        self.caution.setVisible(possible and not running and trial is None)
        if running:
            self.trial.show_running(trying)
        else:
            self.trial.show_result(trial)

    def is_open(self) -> bool:
        return not self._more.isHidden()

    def _follow(self, link: str) -> None:
        line, _, file = link.partition(":")
        self.line_requested.emit(file, int(line))

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("Show in graph"), self.chosen.emit)
        menu.addAction(self.tr("Copy fix"), lambda: self.copied.emit("fix")).setEnabled(self.copy_button.isEnabled())
        if not self.try_button.isHidden():
            trying = menu.addAction(self.try_button.text(), self.try_requested.emit)
            trying.setEnabled(self.try_button.isEnabled())
        menu.addAction(self.tr("Copy as text"), lambda: self.copied.emit("text"))
        menu.addAction(self.tr("Copy as Markdown"), lambda: self.copied.emit("markdown"))
        menu.addSeparator()
        menu.addAction(self.tr("Hide {rule}").format(rule=self.finding.rule), self.hidden.emit)
        menu.exec(self.mapToGlobal(at))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
            return
        super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        color = self._theme.color
        if self._selected:
            head = self.title.geometry().bottom() + 8
            painter.fillRect(0, 0, self.width(), min(head, self.height()), color("accent_soft"))
            painter.fillRect(0, 0, BAR, self.height(), color("accent"))
        elif self._hovered:
            painter.fillRect(self.rect(), color("canvas"))
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        draw_icon(painter, self.finding.severity, 12, self.title.y() + 1, self._theme.tokens, ICON)
        painter.end()


class ChangeLines(QWidget):
    """The change as − and + lines, in the colours of removed and added."""

    def __init__(self, changes: tuple[Change, ...], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 2, 0, 2)
        rows.setSpacing(0)
        for change in changes:
            for old in change.old:
                rows.addWidget(self._line("-", old, "error", theme))
            for new in change.new:
                rows.addWidget(self._line("+", new, "done", theme))

    def _line(self, sign: str, text: str, tone: str, theme: Theme) -> QLabel:
        tokens = theme.tokens
        code, _, comment = text.strip().partition("  #")
        html = f'<span style="color: {tokens.color(tone)}; font-weight: 600">{sign}</span> {escape(code)}'
        if comment:
            html += f'&nbsp;&nbsp;<span style="color: {tokens.code_comment}"># {escape(comment.strip())}</span>'
        label = QLabel(html, self)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # long code is cut, not the card
        label.setToolTip(text.strip())
        family = theme.font(CELL).family()
        label.setStyleSheet(
            f"background: {tokens.color(tone + '_soft')}; color: {tokens.text}; padding: 2px 8px; "
            f"font-family: '{family}'; font-size: {LIST.size}px; border-radius: {RADIUS}px"
        )
        return label
