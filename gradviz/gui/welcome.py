"""The page that shows when nothing is open: what the program is for, ways to open, recent files, and the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz import __version__
from gradviz.document.gallery import FRAMEWORKS, Gallery
from gradviz.document.settings import Recent
from gradviz.gui.gallery_view import GalleryView
from gradviz.gui.sign import DropZone, Logo
from gradviz.gui.theme import Theme

if TYPE_CHECKING:
    from gradviz.gui.recent_list import RecentList

COMMAND = "gradviz record train.py -o run.gradviz"


class Welcome(QWidget):
    """Left: start here. Right: learn from small programs."""

    open_requested = Signal()
    function_requested = Signal()
    recent_chosen = Signal(object)  # Recent
    clear_requested = Signal()
    example_chosen = Signal(object)  # Example
    keyboard_requested = Signal()
    guide_requested = Signal()

    def __init__(self, gallery: Gallery, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gallery, self._theme = gallery, theme
        self._framework = ""
        self.recent: RecentList | None = None
        self._recent_place = QHBoxLayout()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._left())
        row.addWidget(self._right(), 1)
        theme.changed.connect(self._paint_icons)
        self._paint_icons()

    def show_recent(self, entries: Sequence[Recent]) -> None:
        if self.recent is None and entries:
            from gradviz.gui.recent_list import RecentList  # late: a first start has none

            self.recent = RecentList(self._theme, self)
            self.recent.chosen.connect(self.recent_chosen)
            self._recent_place.addWidget(self.recent)
        if self.recent is not None:
            self.recent.show_recent(entries)
            self.recent.setVisible(bool(entries))
        self._recent_head.setVisible(bool(entries))

    # -- left
    def _left(self) -> QWidget:
        side = QFrame(self)
        side.setProperty("role", "side")
        side.setFixedWidth(432)
        column = QVBoxLayout(side)
        column.setContentsMargins(28, 40, 28, 20)  # the rows of recent files reach 12 px further than all else
        column.setSpacing(0)
        column.addLayout(self._name())
        column.addSpacing(30)
        zone = QHBoxLayout()
        zone.addWidget(DropZone(self._theme, side))
        column.addLayout(zone)
        column.addSpacing(12)
        column.addLayout(self._open_buttons(side))
        column.addSpacing(28)
        zone.setContentsMargins(12, 0, 12, 0)
        self._recent_head = QWidget(side)
        head = QHBoxLayout(self._recent_head)
        head.setContentsMargins(12, 0, 12, 4)
        head.addWidget(_label(self.tr("Recent"), "strong"))
        head.addStretch(1)
        clear = _link(self.tr("Clear"), self.tr("Forget the recent files"))
        clear.clicked.connect(self.clear_requested)
        head.addWidget(clear)
        column.addWidget(self._recent_head)
        column.addLayout(self._recent_place, 10)
        column.addStretch(1)
        column.addLayout(self._foot())
        return side

    def _name(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(16)
        row.addWidget(Logo(self._theme, self))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(_label("gradviz", "welcome-title"))
        words.addWidget(_label(self.tr("See where a gradient goes wrong, and why."), "body-secondary"))
        row.addLayout(words, 1)
        return row

    def _open_buttons(self, parent: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        self.open_button = QPushButton(beside_icon(self.tr("Open…   Ctrl+O")), parent)
        self.open_button.setProperty("role", "filled")
        self.open_button.setToolTip(self.tr("Open a script or a recording (Ctrl+O)"))
        self.open_button.clicked.connect(self.open_requested)
        self.function_button = QPushButton(beside_icon(self.tr("Open a function…")), parent)
        self.function_button.setToolTip(self.tr("Run one function of a script, with arguments of your own"))
        self.function_button.clicked.connect(self.function_requested)
        for button in (self.open_button, self.function_button):
            button.setFixedHeight(32)
            row.addWidget(button, 1)
        return row

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(12)
        keyboard = _link(self.tr("Keyboard"), self.tr("All keys on one page"))
        keyboard.clicked.connect(self.keyboard_requested)
        guide = _link(self.tr("Guide"), self.tr("The README, with a two-minute tour"))
        guide.clicked.connect(self.guide_requested)
        row.addWidget(keyboard)
        row.addWidget(guide)
        row.addStretch(1)
        row.addWidget(_label(__version__, "secondary"))
        return row

    # -- right
    def _right(self) -> QWidget:
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QFrame(scroll)
        page.setProperty("role", "pane")
        column = QVBoxLayout(page)
        column.setContentsMargins(40, 40, 40, 40)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.addWidget(_label(self.tr("Learn from small programs"), "heading"))
        head.addStretch(1)
        head.addLayout(self._filters(page))
        column.addLayout(head)
        column.addSpacing(6)
        words = self.tr("Each opens ready to step, with its mistake explained and mended.")
        column.addWidget(_label(words, "body-secondary"))
        column.addSpacing(20)
        self.gallery = GalleryView(self._gallery, self._theme, page)
        self.gallery.example_chosen.connect(self.example_chosen)
        column.addWidget(self.gallery)
        column.addSpacing(12)
        self.more = _link("", self.tr("Show every program of the gallery"))
        self.more.clicked.connect(lambda: self._show(all_of_them=True))
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(16)
        column.addWidget(self._own_code(page))
        column.addStretch(1)
        scroll.setWidget(page)
        self._show(all_of_them=False)
        return scroll

    def _filters(self, parent: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(2)
        self._filter_group = QButtonGroup(parent)
        present = {example.framework for example in self._gallery.examples}
        choices = {"": self.tr("All")} | {key: name for key, name in FRAMEWORKS.items() if key in present}
        for key, name in choices.items():
            button = QPushButton(name, parent)
            button.setProperty("role", "toggle")
            button.setCheckable(True)
            button.setChecked(key == "")
            button.clicked.connect(lambda checked=False, key=key: self._filter(key))
            self._filter_group.addButton(button)
            row.addWidget(button)
        return row

    def _own_code(self, parent: QWidget) -> QWidget:
        panel = QFrame(parent)
        panel.setProperty("role", "panel")
        row = QHBoxLayout(panel)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(12)
        self._note = QLabel(panel)
        row.addWidget(self._note)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(_label(self.tr("From your own code"), "strong"))
        words.addWidget(_label(self.tr("Record on any machine, open the file here."), "secondary"))
        row.addLayout(words)
        row.addStretch(1)
        chip = QFrame(panel)
        chip.setProperty("role", "chip")
        inside = QHBoxLayout(chip)
        inside.setContentsMargins(10, 5, 10, 5)
        command = _label(COMMAND, "mono")
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        command.setMinimumWidth(60)  # on a narrow page the end of the command is hidden; Copy has all of it
        inside.addWidget(command)
        row.addWidget(chip)
        self.copy_button = QPushButton(beside_icon(self.tr("Copy")), panel)
        self.copy_button.setToolTip(self.tr("Copy the command"))
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(COMMAND))
        row.addWidget(self.copy_button)
        return panel

    def _filter(self, framework: str) -> None:
        self._framework = framework
        self._show(all_of_them=False)

    def _show(self, all_of_them: bool) -> None:
        more = self.gallery.show_examples(self._framework, all_of_them)
        self.more.setVisible(more > 0)
        self.more.setText(self.tr("Show {count} more").format(count=more))

    def _paint_icons(self) -> None:
        self.open_button.setIcon(self._theme.icon("open", "on_fill"))
        self.function_button.setIcon(self._theme.icon("module"))
        self.copy_button.setIcon(self._theme.icon("copy"))
        self._note.setPixmap(self._theme.icon("note").pixmap(16, 16))


def beside_icon(words: str) -> str:
    """A button's words a little away from its icon: style sheets can't say how far."""
    return "\u2002" + words


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(role == "body-secondary")
    return label


def _link(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "link")
    button.setToolTip(tip)
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button
