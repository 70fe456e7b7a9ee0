"""The example cards of the welcome page: painted buttons in a grid that reflows from four columns to three and two."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from gradviz.document.gallery import Example, Gallery
from gradviz.draw.icons import draw_icon
from gradviz.draw.tokens import CAPTION, FINDING_TITLE, GROUP_RADIUS, LIST
from gradviz.gui.card_picture import draw_picture
from gradviz.gui.theme import Theme

GAP = 16
CARD_HEIGHT = 241
PICTURE_HEIGHT = 128
INSET = 15
WIDEST = 260
# width of the grid from which so many columns fit
COLUMNS = ((860, 4), (620, 3), (0, 2))


class Card(QAbstractButton):
    """One example: its drawing, its title, one line, the framework; an icon when it holds a mistake."""

    def __init__(self, example: Example, box: tuple[float, float], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.example, self._box, self._theme = example, box, theme
        self.setText(example.title)
        self.setAccessibleName(example.title)
        described = self.tr("holds a mistake") if example.severity else self.tr("healthy")
        self.setAccessibleDescription(f"{example.line}. {self._framework_words()}. {described}")
        tip = self.tr("Open and run {file}").format(file=example.path.name)
        if not example.is_available:
            tip = self.tr(
                "{framework} is not installed in gradviz's own Python. Choose one that has it under Run."
            ).format(framework=example.framework_name)
        self.setToolTip(tip)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(220, CARD_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        strong = self.hasFocus() or self.underMouse()
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        outline = QPainterPath()
        outline.addRoundedRect(frame, GROUP_RADIUS, GROUP_RADIUS)
        painter.fillPath(outline, QColor(tokens.pane))
        picture = QRectF(frame.left(), frame.top(), frame.width(), PICTURE_HEIGHT)
        painter.save()
        painter.setClipPath(outline)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.canvas))
        painter.drawRect(picture)  # fillRect would make the enumeration of gradient presets: 10 ms
        painter.setPen(QColor(tokens.border))
        painter.drawLine(picture.bottomLeft(), picture.bottomRight())
        draw_picture(painter, self.example.picture, self._box, picture.adjusted(12, 10, -12, -10), tokens)
        painter.restore()
        self._paint_words(painter, frame)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.accent if strong else tokens.border), 2 if strong else 1))
        painter.drawPath(outline)
        painter.end()

    def _paint_words(self, painter: QPainter, frame: QRectF) -> None:
        tokens = self._theme.tokens
        left, width = frame.left() + INSET, frame.width() - 2 * INSET
        title = QRectF(left, frame.top() + PICTURE_HEIGHT + 13, width, 18)
        if self.example.severity:
            draw_icon(painter, self.example.severity, title.right() - 14, title.top() + 2, tokens, 14)
            title.setRight(title.right() - 20)
        painter.setFont(self._theme.font(FINDING_TITLE))
        painter.setPen(QColor(tokens.text))
        elided = painter.fontMetrics().elidedText(self.example.title, Qt.TextElideMode.ElideRight, int(title.width()))
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)
        painter.setFont(self._theme.font(LIST))
        painter.setPen(QColor(tokens.text2))
        self._paint_two_lines(painter, left, frame.top() + PICTURE_HEIGHT + 33, width)
        painter.setFont(self._theme.font(CAPTION))
        last = QRectF(left, frame.bottom() - 30, width, 16)
        painter.drawText(last, Qt.AlignmentFlag.AlignVCenter, self._framework_words())

    def _framework_words(self) -> str:
        """The framework's name, and whether it is missing where the program would run by itself."""
        name = self.example.framework_name
        return name if self.example.is_available else self.tr("{framework}: not installed here").format(framework=name)

    def _paint_two_lines(self, painter: QPainter, left: float, top: float, width: float) -> None:
        """The card's one sentence on at most two lines, the second elided."""
        text = QTextLayout(self.example.line, painter.font())
        text.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
        text.beginLayout()
        for number in (0, 1):
            line = text.createLine()
            if not line.isValid():
                break
            line.setLineWidth(width)
            words = self.example.line[line.textStart() : line.textStart() + line.textLength()]
            if number == 1 and line.textStart() + line.textLength() < len(self.example.line):
                rest = self.example.line[line.textStart() :]
                words = painter.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, int(width))
            place = QRectF(left, top + 17 * number, width + 2, 18)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words.strip())
        text.endLayout()


class GalleryView(QWidget):
    """The cards that a filter leaves, laid out by hand: the height follows from the width."""

    example_chosen = Signal(object)  # Example

    def __init__(self, gallery: Gallery, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gallery, self._theme = gallery, theme
        self._cards: list[Card] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_examples(self, framework: str, all_of_them: bool) -> int:
        """Show a framework's examples ("" = any), only the first ones unless `all_of_them`; returns how many more."""
        fitting = self._gallery.of(framework)
        shown = fitting if all_of_them else tuple(each for each in fitting if each.welcome) or fitting[:8]
        for card in self._cards:
            card.deleteLater()
        self._cards = [Card(each, self._gallery.box, self._theme, self) for each in shown]
        for card in self._cards:
            card.clicked.connect(lambda checked=False, example=card.example: self.example_chosen.emit(example))
            card.show()
        self._place()
        return len(fitting) - len(shown)

    def cards(self) -> tuple[Card, ...]:
        return tuple(self._cards)

    def columns(self) -> int:
        return next(count for width, count in COLUMNS if self.width() >= width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        columns = self.columns()
        width = min(WIDEST, (self.width() - GAP * (columns - 1)) // columns)
        for number, card in enumerate(self._cards):
            row, column = divmod(number, columns)
            card.setGeometry(QRect(column * (width + GAP), row * (CARD_HEIGHT + GAP), width, CARD_HEIGHT))
        rows = -(-len(self._cards) // columns)
        self.setFixedHeight(max(0, rows * (CARD_HEIGHT + GAP) - GAP))
