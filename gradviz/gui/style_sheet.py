"""The one style sheet of the window, made from tokens. Roles are set as dynamic properties: `role="filled"` and so on.

Roles: buttons `filled` (the one strong action), `link`, `toggle`, `crumb`, `small`, `find`; labels `welcome-title`,
`heading`, `title`, `strong`, `body`, `secondary`, `caption`, `mono`, `error`, `status`; fields `code`, `field`,
`source`; frames `pane`, `bar`, `side`, `panel`, `chip`, `strip-error`, `strip-warning`, `strip-note`.
"""

from __future__ import annotations

from gradviz.draw.fonts import font
from gradviz.draw.tokens import CELL, SOURCE, Tokens
from gradviz.resources_path import resources_path


def style_sheet(t: Tokens) -> str:
    """The sheet for one theme; sizes and spacing as in the mock-ups' tokens."""
    return "\n".join((_bars(t), _buttons(t), _fields(t), _views(t), _tabs(t), _labels(t), _frames(t)))


def set_role(widget: object, role: str) -> None:
    """Give a widget a role of the sheet, also after it was shown."""
    from PySide6.QtWidgets import QWidget

    assert isinstance(widget, QWidget)
    widget.setProperty("role", role)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def _bars(t: Tokens) -> str:
    return f"""
QMainWindow, QDialog {{ background: {t.window}; }}
QMenuBar {{ background: {t.window}; color: {t.text}; border-bottom: 1px solid {t.border};
  padding: 1px 8px; font-size: 13px; }}
QMenuBar::item {{ padding: 3px 8px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {t.accent_soft}; }}
QMenu {{ background: {t.pane}; color: {t.text}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 24px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.accent_soft}; }}
QMenu::item:disabled {{ color: {t.disabled}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 4px; }}
QToolBar {{ background: {t.window}; border: 0; border-bottom: 1px solid {t.border}; padding: 0 6px; spacing: 2px; }}
QToolBar#timeline {{ padding: 0; }}
QToolBar::separator {{ width: 1px; background: {t.border}; margin: 8px 8px; }}
QStatusBar {{ background: {t.window}; color: {t.text2}; border-top: 1px solid {t.border}; font-size: 12px; }}
QStatusBar::item {{ border: 0; }}
QToolTip {{ background: {t.pane}; color: {t.text}; border: 1px solid {t.border}; padding: 3px 5px; font-size: 12px; }}
QMainWindow::separator {{ background: {t.border}; width: 1px; height: 1px; }}
QMainWindow::separator:hover {{ background: {t.accent}; }}
QSplitter::handle {{ background: {t.border}; }}
"""


def _buttons(t: Tokens) -> str:
    return f"""
QPushButton {{ background: {t.pane}; color: {t.text}; border: 1px solid {t.control}; border-radius: 4px;
  padding: 4px 12px; min-height: 18px; font-size: 13px; }}
QPushButton:hover, QToolButton:hover {{ background: {t.accent_soft}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {t.accent_soft}; border-color: {t.accent}; }}
QPushButton:disabled {{ color: {t.disabled}; border-color: {t.border}; background: transparent; }}
QPushButton[role="filled"] {{ background: {t.accent}; color: {t.on_fill}; border: 1px solid {t.accent}; }}
QPushButton[role="filled"]:hover {{ border-color: {t.text}; }}
QPushButton[role="filled"]:disabled {{ background: transparent; color: {t.disabled}; border-color: transparent; }}
QPushButton[role="find"] {{ color: {t.text2}; text-align: left; padding: 4px 8px; }}
QPushButton[role="small"] {{ padding: 2px 0; }}
QPushButton[role="link"], QToolButton[role="link"] {{ background: transparent; border: 0; color: {t.accent};
  padding: 0 2px; font-size: 12px; min-height: 0; }}
QPushButton[role="link"]:hover {{ text-decoration: underline; }}
QPushButton[role="crumb"] {{ background: transparent; border: 1px solid transparent; color: {t.text};
  padding: 1px 2px; font-size: 12px; min-height: 0; }}
QPushButton[role="crumb"]:hover {{ color: {t.accent}; }}
QPushButton[role="toggle"] {{ border: 0; background: transparent; padding: 3px 8px;
  font-size: 12px; min-height: 17px; }}
QPushButton[role="toggle"]:checked {{ background: {t.accent_soft}; color: {t.accent}; }}
QToolButton {{ background: transparent; color: {t.text}; border: 1px solid transparent; border-radius: 4px;
  padding: 5px; font-size: 13px; }}
QToolButton:checked {{ background: {t.accent_soft}; color: {t.accent}; }}
QToolButton:disabled {{ color: {t.disabled}; }}
QCheckBox, QRadioButton {{ spacing: 6px; font-size: 13px; }}
"""


def _fields(t: Tokens) -> str:
    mono = font(CELL).family()
    arrow = resources_path("icons", f"chevron_down_{t.name}.png").as_posix()
    return f"""
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{ background: {t.pane}; color: {t.text}; border: 1px solid {t.control};
  border-radius: 4px; padding: 2px 7px; min-height: 20px; font-size: 13px;
  selection-background-color: {t.accent}; selection-color: {t.on_fill}; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{ color: {t.disabled};
  border-color: {t.border}; background: {t.window}; }}
QAbstractSpinBox QLineEdit {{ border: 0; min-height: 0; background: transparent; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: 0; }}
QComboBox:editable {{ padding-right: 20px; }}
QLineEdit:focus, QComboBox:focus, QPlainTextEdit[role="field"]:focus {{ border-color: {t.accent}; }}
QLineEdit[role="code"], QPlainTextEdit[role="field"] {{ font-family: "{mono}"; font-size: 12px; }}
QComboBox {{ padding-right: 20px; }}
QComboBox::drop-down {{ border: 0; width: 20px; }}
QComboBox::down-arrow {{ image: url("{arrow}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {t.pane}; border: 1px solid {t.border}; outline: 0;
  selection-background-color: {t.accent_soft}; selection-color: {t.text}; padding: 2px; }}
QPlainTextEdit, QTextEdit {{ background: {t.pane}; color: {t.text}; border: 0;
  selection-background-color: {t.accent}; selection-color: {t.on_fill}; }}
QPlainTextEdit[role="field"] {{ border: 1px solid {t.control}; border-radius: 4px; padding: 2px; }}
QPlainTextEdit[role="source"] {{ font-family: "{mono}"; font-size: {font(SOURCE).pointSizeF()}pt; }}
"""


def _views(t: Tokens) -> str:
    return f"""
QAbstractItemView {{ background: {t.pane}; color: {t.text}; border: 0; outline: 0; font-size: 12px;
  selection-background-color: {t.accent_soft}; selection-color: {t.text}; }}
QFrame#palette {{ background: {t.pane}; border: 1px solid {t.control}; border-radius: 8px; }}
QTreeView#modules::item:selected, QTreeView#modules::branch:selected {{ background: {t.accent_soft}; }}
QHeaderView {{ background: {t.pane}; }}
QHeaderView::section {{ background: {t.pane}; color: {t.text2}; border: 0; border-bottom: 1px solid {t.border};
  padding: 3px 6px; font-size: 11px; font-weight: 500; }}
QScrollArea, QAbstractScrollArea {{ border: 0; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.control}; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {t.text2}; }}
QScrollBar::handle:disabled {{ background: transparent; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {t.note_soft}; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
"""


def _tabs(t: Tokens) -> str:
    tab = "padding: 0 12px; min-height: 28px; max-height: 28px; font-size: 12px; border: 0;"
    return f"""
QTabBar {{ background: {t.window}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: {t.window}; color: {t.text2}; {tab}
  border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom-color: {t.accent}; font-weight: 600; }}
QTabBar::tab:focus {{ color: {t.accent}; }}
QTabWidget::pane {{ border: 0; border-top: 1px solid {t.border}; }}
QDockWidget {{ color: {t.text}; font-size: 12px; }}
"""


def _labels(t: Tokens) -> str:
    mono = font(CELL).family()
    return f"""
QLabel[role="welcome-title"] {{ font-size: 22px; font-weight: 600; color: {t.text}; }}
QLabel[role="heading"] {{ font-size: 18px; font-weight: 600; color: {t.text}; }}
QLabel[role="title"] {{ font-size: 15px; font-weight: 600; color: {t.text}; }}
QLabel[role="strong"] {{ font-size: 13px; font-weight: 600; color: {t.text}; }}
QLabel[role="body"] {{ font-size: 13px; color: {t.text}; }}
QLabel[role="body-secondary"] {{ font-size: 13px; color: {t.text2}; }}
QLabel[role="secondary"] {{ font-size: 12px; color: {t.text2}; }}
QLabel[role="caption"] {{ font-size: 11px; color: {t.text2}; }}
QLabel[role="mono"] {{ font-family: "{mono}"; font-size: 12px; color: {t.text}; }}
QLabel[role="error"] {{ font-size: 12px; font-weight: 600; color: {t.error}; }}
QLabel[role="status"] {{ font-size: 12px; color: {t.text2}; }}
QLabel:disabled {{ color: {t.disabled}; }}
"""


def _frames(t: Tokens) -> str:
    return f"""
QFrame[role="pane"], QWidget[role="pane"] {{ background: {t.pane}; }}
QFrame[role="canvas"] {{ background: {t.canvas}; }}
QFrame[role="bar"] {{ background: {t.window}; border: 0; border-bottom: 1px solid {t.border}; }}
QFrame[role="side"] {{ background: {t.canvas}; border: 0; border-right: 1px solid {t.border}; }}
QFrame[role="panel"] {{ background: {t.pane}; border: 1px solid {t.border}; border-radius: 8px; }}
QFrame[role="chip"] {{ background: {t.canvas}; border: 1px solid {t.border}; border-radius: 4px; }}
QFrame[role="strip-error"] {{ background: {t.error_soft}; border: 0; border-bottom: 1px solid {t.error}; }}
QFrame[role="strip-warning"] {{ background: {t.warn_soft}; border: 0; border-bottom: 1px solid {t.warn}; }}
QFrame[role="strip-note"] {{ background: {t.note_soft}; border: 0; border-bottom: 1px solid {t.border}; }}
QFrame[role="strip-error"] QLabel {{ color: {t.error}; }}
QFrame[role="strip-warning"] QLabel {{ color: {t.warn}; }}
QFrame[role="strip-note"] QLabel {{ color: {t.text}; }}
"""
