"""The whole graph, small, in the corner, with a frame round what is in sight. Only there when the graph doesn't fit.

It lies at the upper right, or at the lower right where it hides less of what one looks at; where it would hide
something in both, and most of the graph is in sight anyway, it goes.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gradviz.draw.picture import Picture
from gradviz.draw.pixel_grid import PixelGrid
from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.graph_view import GraphView
from gradviz.gui.canvas.hits import HEADER
from gradviz.gui.panes.turns import Turns
from gradviz.gui.theme import Theme
from gradviz.scene.model import States

LONGEST, NARROWEST = 180.0, 56.0
INSET = 12
REST_MS = 200  # without a move, after which it may go to the other corner, or away
MOST = 0.4  # of the drawing's area: who sees as much of it needs no map
REPAINT_MS = 400  # steps come faster than anyone looks at the map


class Minimap(QWidget):
    """Lies over a GraphView. A press or drag looks there."""

    def __init__(self, view: GraphView, theme: Theme) -> None:
        super().__init__(view)
        self._graph, self._theme = view, theme
        self._image: QImage | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Overview of the graph"))
        self._turns = Turns.of_application()
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._redraw)
        self._low = False  # at the lower right
        self._wanted = self._away = False  # not all of the graph is in sight; but the map would only be in the way
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._choose_corner)
        view.view_changed.connect(self.follow)
        theme.changed.connect(self._forget)
        self.hide()

    def scene_changed(self) -> None:
        self._image = None
        self.follow()

    def states_changed(self) -> None:
        if not self._again.isActive():
            self._again.start(REPAINT_MS)

    def follow(self) -> None:
        """Appear, disappear, and show what is in sight now."""
        picture = self._graph.picture
        if picture is None or len(picture.scene.draft) < 2 or camera.fits(self._graph.view, picture.scene.bounds):
            self._wanted = self._away = False
            self.hide()
            return
        self._wanted = True
        left, top, right, bottom = picture.scene.bounds
        scale = LONGEST / max(right - left, bottom - top, 1.0)
        width, height = max((right - left) * scale, NARROWEST), max((bottom - top) * scale, NARROWEST)
        self.setGeometry(self._corner(round(width), round(height), self._low))
        self.setVisible(not self._away)
        self.update()
        self._rest.start()

    def _corner(self, width: int, height: int, low: bool) -> QRect:
        top = self._graph.height() - height - INSET if low else INSET
        return QRect(round(self._graph.width() - width - INSET), top, width, height)

    def _choose_corner(self) -> None:
        """To the other corner only for much less that is hidden: nothing moves for its own sake."""
        if not self._wanted:
            return
        here, there = self._hidden_at(self._low), self._hidden_at(not self._low)
        if here and there <= here / 2:
            self._low = not self._low
            self.setGeometry(self._corner(self.width(), self.height(), self._low))
        self._away = min(here, there) > 0 and self._share_in_sight() > MOST
        self.setVisible(not self._away)

    def _share_in_sight(self) -> float:
        """Of the drawing's area."""
        picture, (left, top, right, bottom) = self._graph.picture, self._graph.view.area()
        if picture is None:
            return 1.0
        x, y, end_x, end_y = picture.scene.bounds
        across, down = min(right, end_x) - max(left, x), min(bottom, end_y) - max(top, y)
        return max(across, 0.0) * max(down, 0.0) / max((end_x - x) * (end_y - y), 1.0)

    def _hidden_at(self, low: bool) -> int:
        """How many boxes, heads of open groups and panels it hides in a corner."""
        picture, view = self._graph.picture, self._graph.view
        if picture is None:
            return 0
        rect, scene = self._corner(self.width(), self.height(), low), picture.scene
        left, top = view.x + rect.left() / view.zoom, view.y + rect.top() / view.zoom
        right, bottom = left + rect.width() / view.zoom, top + rect.height() / view.zoom
        heads = scene.frames
        meets = (heads[:, 0] < right) & (heads[:, 0] + heads[:, 2] > left)
        meets &= (heads[:, 1] < bottom) & (heads[:, 1] + HEADER > top)
        panels = [
            panel
            for panel in scene.panels
            if panel.x < right and panel.x + panel.width > left and panel.y < bottom and panel.y + panel.height > top
        ]
        return len(picture.boxes_in((left, top, right, bottom))) + int(meets.sum()) + len(panels)

    def hides(self) -> int:
        """So many px at the window's right it lies over."""
        return self._graph.width() - self.x() + INSET if self.isVisible() else 0

    def _map_view(self) -> View:
        picture = self._graph.picture
        assert picture is not None  # hidden without one
        view = camera.fitted(
            picture.scene.bounds, self.width() + 2 * camera.FIT_MARGIN - 8, self.height() + 2 * camera.FIT_MARGIN - 8
        )
        view = replace(view, width=self.width(), height=self.height())
        left, top, right, bottom = picture.scene.bounds
        return camera.centred(view, (left + right) / 2, (top + bottom) / 2)

    def _forget(self) -> None:
        self._image = None
        self.update()

    def _redraw(self) -> None:
        """In a turn of its own, so that the window's next paint finds it done."""
        if not self._turns.take():
            self._again.start(0)
            return
        picture, states = self._graph.picture, self._graph.states
        self._image = None
        if picture is not None and states is not None and self.isVisible():
            self._image = self._small(picture, states, self._map_view(), self.devicePixelRatioF())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        picture, states = self._graph.picture, self._graph.states
        painter = QPainter(self)
        try:
            tokens = self._theme.tokens
            if picture is None or states is None:
                return
            whole = self._map_view()
            if self._image is None or self._image.size() != self.size() * self.devicePixelRatioF():
                ratio = self.devicePixelRatioF()
                self._image = self._small(picture, states, whole, ratio)
            painter.drawImage(0, 0, self._image)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            left, top, right, bottom = self._graph.view.area()
            sight = QRectF(
                (left - whole.x) * whole.zoom,
                (top - whole.y) * whole.zoom,
                (right - left) * whole.zoom,
                (bottom - top) * whole.zoom,
            )
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(sight.intersected(QRectF(self.rect()).adjusted(2, 2, -2, -2)))
            painter.setPen(QPen(QColor(tokens.control), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        finally:
            painter.end()

    def _small(self, picture: Picture, states: States, whole: View, ratio: float) -> QImage:
        """All of the graph as blocks."""
        image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(self._theme.tokens.pane))
        grid = PixelGrid(image)
        painter = QPainter(image)
        try:
            picture.paint_blocks(painter, self._theme.tokens, states, replace(whole, ratio=ratio), grid)
        finally:
            painter.end()
        return image

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._look(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._look(event.position())

    def _look(self, at: QPointF) -> None:
        if self._graph.picture is None:
            return
        whole = self._map_view()
        self._graph.stop_glide()
        self._graph.set_view(
            camera.centred(self._graph.view, whole.x + at.x() / whole.zoom, whole.y + at.y() / whole.zoom)
        )
