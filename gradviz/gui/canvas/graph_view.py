"""The painted widget: shows one scene, zooms, pans, and says what was clicked. It knows scenes, not recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from gradviz.draw.callouts import GAP, growth, inside
from gradviz.draw.nearby import Area
from gradviz.draw.panel import area_with_panel
from gradviz.draw.picture import Picture
from gradviz.draw.surface import QtSurface
from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.band import Band
from gradviz.gui.canvas.glide import Glide
from gradviz.gui.canvas.hits import NOTHING, Hit, hit
from gradviz.gui.canvas.morph import Morph, way_between
from gradviz.gui.canvas.overlay import paint_overlay
from gradviz.gui.canvas.pixels import Pixels
from gradviz.gui.canvas.veil import Veiled
from gradviz.gui.theme import Theme
from gradviz.scene.model import States

HOVER_MS = 300
DRAG_PX = 4
RING = 20  # screen px round a box that its ring and badge reach
ASIDE = (260, 100)  # screen px that an enlarged box may stand away from its place, its ring included
KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class GraphView(QWidget):
    """Signals speak of hits in the present scene."""

    clicked = Signal(Hit)
    double_clicked = Signal(Hit)
    menu_requested = Signal(Hit, QPoint)
    key_pressed = Signal(QKeyEvent)  # accept it to have it done
    view_changed = Signal()
    boxes_chosen = Signal(list)  # with the rubber band

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, True)
        self.setMinimumSize(200, 120)
        self._theme = theme
        self.picture: Picture | None = None
        self.states: States | None = None
        self.view = View(0, 0, 1.0, 800, 600)
        self.pixels = Pixels()
        self.touched = False  # a person has chosen what to look at
        self.selected = NOTHING
        self.highlighted: tuple[int, ...] = ()
        self.veil: Veiled | None = None  # of which a part stands out
        self._room = 0.0  # px at the top that something lies over
        self.band = Band()
        self.morph = Morph(self.update, self)
        self.describe: Callable[[Hit], str] = lambda _hit: ""
        self.speak: Callable[[int], str] = lambda _box: ""  # a box in words, for a screen reader
        self.reader: object = None  # what Qt's accessibility holds of this widget
        self._ring = False  # the focus came by the keyboard
        self._pressed: QPointF | None = None
        self._dragging = False
        self._last = QPointF()
        self._hover = QTimer(self)
        self._hover.setSingleShot(True)
        self._hover.setInterval(HOVER_MS)
        self._hover.timeout.connect(self._show_tip)
        self._glide = Glide(self.set_view, self)
        theme.changed.connect(self._theme_changed)

    # -- what is shown

    def show_scene(
        self, picture: Picture | None, states: States | None, view: View | None = None, moving: bool = False
    ) -> None:
        """Another scene; `view` None keeps where one looks from. `moving`: boxes glide there from where they were."""
        before, was = self.picture, self.view
        self._hover.stop()
        QToolTip.hideText()  # it spoke of what was there
        self.picture, self.states = picture, states
        self.selected, self.highlighted, self.veil = NOTHING, (), None
        self.pixels.forget()
        if view is not None and view != was:
            self.stop_glide()  # it leads to a place of the scene before
            self.set_view(view)
        seen = moving and self._theme.moves and self.isVisible()
        if seen and before is not None and picture is not None:
            self.morph.begin(way_between(before.scene, was, picture, self.view))
        else:
            self.morph.stop()
        self.update()
        self.view_changed.emit()

    def show_states(self, states: States) -> None:
        """Another position: only what differs is painted anew."""
        before, self.states = self.states, states
        if self.picture is None or before is None:
            return
        region = self.pixels.differs(self.picture, before, states, self.view)
        if region is None:
            self.update()
            return
        self.update(region)
        for box in (before.current, states.current):
            self._update_box(box)

    def select(self, what: Hit) -> None:
        self.selected = what
        self.update()

    def highlight(self, boxes: Iterable[int]) -> None:
        self.highlighted = tuple(boxes)
        self.update()

    def show_veil(self, veil: Veiled | None, room: float = 0.0) -> None:
        """Let a part of the picture stand out, with so much room above it; None shows everything again."""
        self.veil, self._room = veil, room if veil is not None else 0.0
        self.pixels.forget()
        self.update()

    @property
    def bounds(self) -> Area:
        """Of all that is to be looked at: of the part that stands out, where there is one."""
        scene = self.veil.own.scene if self.veil is not None else self.picture.scene if self.picture else None
        return scene.bounds if scene is not None else (0.0, 0.0, 1.0, 1.0)

    # -- where one looks from

    def set_view(self, view: View) -> None:
        self.view = view
        self.update()
        self.view_changed.emit()

    @property
    def aim(self) -> View:
        """From where one looks, once it has stopped gliding."""
        return self._glide.aim or self.view

    def stop_glide(self) -> None:
        self._glide.stop()

    def fit(self) -> None:
        if self.picture is not None:
            self.stop_glide()
            self.set_view(camera.fitted_below(self.bounds, self.width(), self.height(), self._room))

    def look_at(self, area: Area) -> None:
        """Bring a part of the scene into view, enlarged if it is small."""
        if self.picture is not None:
            self.touched = True
            self.stop_glide()
            self.set_view(camera.fitted(area, self.width(), self.height(), camera.CLOSEST / 2))

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        if self.picture is None:
            return
        self.touched = True
        self.stop_glide()
        x, y = (at.x(), at.y()) if at is not None else (self.width() / 2, self.height() / 2)
        self.set_view(camera.zoomed(self.view, factor, x, y, self.picture.scene.bounds))

    def zoom_reset(self) -> None:
        self.zoom_by(1.0 / self.view.zoom)

    def centre_on(self, box: int, glide: bool = True, always: bool = False) -> None:
        """Bring a box into the middle 60 % if it is outside, one that a panel explains into sight with it.

        No gliding with less motion or a held key.
        """
        if self.picture is None:
            return
        held = self._glide.held()
        x, y = float(self.picture.scene.x[box]), float(self.picture.scene.y[box])
        seen = camera.in_middle(self.view, x, y) or camera.fits(self.view, self.picture.scene.bounds)
        area = area_with_panel(self.picture.scene, box)
        if area is not None and camera.has_room(self.view, area):
            x, y = (area[0] + area[2]) / 2, (area[1] + area[3]) / 2
            seen = camera.fits(self.view, area)
        if seen and not always:
            return
        self._glide.stop()
        target = camera.centred(self.view, x, y)
        if not glide or held or not self._theme.moves or not self.isVisible():
            self.set_view(target)
            return
        self._glide.go(self.view, target)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            tokens = self._theme.tokens
            if self.picture is None or self.states is None:
                painter.fillRect(event.rect(), QColor(tokens.canvas))
            else:
                self._paint_scene(painter, self.picture, self.states)
                self.band.paint(painter, self._theme)
            if self._ring and self.hasFocus():
                painter.setPen(QPen(QColor(tokens.accent), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        finally:
            painter.end()

    def _paint_scene(self, painter: QPainter, picture: Picture, states: States) -> None:
        tokens, view, ratio = self._theme.tokens, self.view, self.devicePixelRatioF()
        surface = QtSurface(painter, tokens, kept=True)
        if self.morph.running:
            self.pixels.ground(painter, tokens, QRectF(self.rect()), ratio)
            with surface.moved(-view.x * view.zoom, -view.y * view.zoom, view.zoom):
                self.morph.paint(picture, surface, states, view)
            return
        painted = self.veil or picture
        self.pixels.draw(painter, painted, tokens, states, view, ratio)
        paint_overlay(surface, painted, states, view, self.selected, self.highlighted)

    def _update_box(self, box: int) -> None:
        if self.picture is None or not 0 <= box < len(self.picture.boxes):
            return
        left, top, right, bottom = (float(part) for part in self.picture.boxes[box])
        grow = growth(self.view.zoom)
        width, height = (right - left) * grow * self.view.zoom, (bottom - top) * grow * self.view.zoom
        x = ((left + right) / 2 - self.view.x) * self.view.zoom
        y = ((top + bottom) / 2 - self.view.y) * self.view.zoom
        aside_x, aside_y = (RING, RING)
        if grow > 1.0:  # from afar it stands in sight as a whole, and may stand beside its place
            x, y = inside((0.0, 0.0, self.width(), self.height()), x, y, width, height, GAP) or (x, y)
            aside_x, aside_y = ASIDE if self.picture.crowded else (RING, RING)
        half_x, half_y = width / 2 + aside_x, height / 2 + aside_y
        self.update(QRectF(x - half_x, y - half_y, 2 * half_x, 2 * half_y).toAlignedRect())

    def _theme_changed(self) -> None:
        self.pixels.forget()
        self.update()

    # -- pointer

    def scene_at(self, at: QPointF) -> tuple[float, float]:
        return self.view.x + at.x() / self.view.zoom, self.view.y + at.y() / self.view.zoom

    def hit_at(self, at: QPointF) -> Hit:
        if self.picture is None:
            return NOTHING
        if self.veil is not None and self.veil.gone:
            return self.veil.whole_hit(hit(self.veil.own, *self.scene_at(at), self.view.zoom))
        return hit(self.picture, *self.scene_at(at), self.view.zoom)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.stop_glide()
        QToolTip.hideText()
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            left = event.button() == Qt.MouseButton.LeftButton
            self._last, self._dragging = event.position(), False
            if not (left and self.picture is not None and self.band.begin(event.position(), event.modifiers())):
                self._pressed = event.position()
        elif event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(self.hit_at(event.position()), event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self.band.active:
            self.band.move(at)
            self.update()
            return
        if self._pressed is None:
            self._last = at
            self._hover.start()
            return
        if not self._dragging and (at - self._pressed).manhattanLength() >= DRAG_PX:
            self._dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragging and self.picture is not None:
            moved = at - self._last
            self.touched = True
            self._last = at
            self.set_view(camera.panned(self.view, moved.x(), moved.y(), self.picture.scene.bounds))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.band.active:
            self._end_band(event.position())
            return
        dragged, pressed = self._dragging, self._pressed
        self._pressed, self._dragging = None, False
        self.unsetCursor()
        if pressed is not None and not dragged and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.hit_at(event.position()))

    def _end_band(self, at: QPointF) -> None:
        rect = self.band.end()
        self.update()
        if rect is None or self.picture is None:
            self.clicked.emit(self.hit_at(at))
            return
        area = (*self.scene_at(rect.topLeft()), *self.scene_at(rect.bottomRight()))
        if self.band.zooms:
            self.look_at(area)
        else:
            self.boxes_chosen.emit((self.veil or self.picture).boxes_in(area).tolist())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(self.hit_at(event.position()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.picture is None:
            return
        pixels, angle = event.pixelDelta(), event.angleDelta()
        sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        turn = angle.y() or angle.x()
        if sideways or (not angle.y() and angle.x()):
            move = pixels.x() or pixels.y() or turn
            self.stop_glide()
            self.touched = True
            self.set_view(camera.panned(self.view, move, 0, self.picture.scene.bounds))
        else:
            self.zoom_by(camera.STEP ** (turn / 120), event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover.stop()

    def _show_tip(self) -> None:
        text = self.describe(self.hit_at(self._last)) if self._pressed is None else ""
        if text:
            QToolTip.showText(self.mapToGlobal(self._last.toPoint()), text, self)
        else:
            QToolTip.hideText()

    # -- keys, size, focus

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()
        QToolTip.hideText()
        self.key_pressed.emit(event)
        if not event.isAccepted():
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.view = camera.resized(self.view, self.width(), self.height())
        self.view_changed.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in KEYBOARD_REASONS
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
