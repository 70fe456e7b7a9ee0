"""The bar above everything: which backward pass, the steps on a line with findings and the marker, and where one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from gradviz.document.actions import Actions, place_of
from gradviz.document.hub import Hub, View
from gradviz.draw.tokens import TIMELINE
from gradviz.errors import TraceError
from gradviz.gui.pass_chooser import PassChooser
from gradviz.gui.step_slider import Mark, StepSlider
from gradviz.gui.theme import Theme

if TYPE_CHECKING:
    from gradviz.diagnose.finding import Finding
    from gradviz.trace.model import Backward


class Timeline(QWidget):
    """Pass chooser, slider and the words for the present position."""

    def __init__(self, hub: Hub, actions: Actions, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hub, self._actions, self._theme = hub, actions, theme
        self.setFixedHeight(TIMELINE - 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Timeline"))
        self.chooser = PassChooser(hub, actions, theme, self)
        self.slider = StepSlider(theme, self)
        self.slider.moved.connect(self._actions.go_to)  # nobody is spared: the words here follow too
        self.slider.describe = self._describe
        self._plain = ""
        self._icon = QLabel(self)
        self._where = QLabel(self)
        self._where.setTextFormat(Qt.TextFormat.RichText)
        self._where.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._fitted: tuple[object, ...] = ()  # trace and pass that the words' room was made for
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 12, 0)
        row.setSpacing(16)
        row.addWidget(self.chooser)
        row.addWidget(self.slider, 1)
        row.addStretch(0)
        words = QHBoxLayout()
        words.setSpacing(5)
        words.addWidget(self._icon)
        words.addWidget(self._where)
        row.addLayout(words)
        for topic in ("pass", "position", "findings"):
            hub.listen(topic, self, self._refresh)
        theme.changed.connect(lambda: self._refresh(self._hub.view))
        self._refresh(hub.view)

    def where_text(self) -> str:
        """The words at the right, as plain text."""
        return self._plain

    def _refresh(self, view: View) -> None:
        steps = self._actions.step_count()
        planned = self._planned(view, steps)
        refused = self._refused(view)
        self.slider.show_steps(steps, planned, view.position, self._marks(view), refused and view.position == 0)
        self._tell(view, steps, planned, refused)

    def _planned(self, view: View, steps: int) -> int:
        """How many steps the pass would have had: known only from the nodes, when it didn't end well."""
        info = self._pass(view)
        if info is None or info.outcome == "completed":
            return steps
        return max(steps, info.nodes)

    def _refused(self, view: View) -> bool:
        info = self._pass(view)
        return info is not None and info.outcome == "refused"

    def _pass(self, view: View) -> Backward | None:
        if view.trace is None or view.pass_id is None:
            return None
        try:
            return next((each for each in view.trace.passes() if each.id == view.pass_id), None)
        except TraceError:
            return None

    def _marks(self, view: View) -> tuple[Mark, ...]:
        marks: dict[int, Mark] = {}
        for finding in view.findings:
            if finding.pass_id == view.pass_id and view.pass_id is not None:
                position = _position(view, finding)
                if position not in marks or finding.severity == "error":
                    marks[position] = Mark(position, finding.severity)
        return tuple(marks.values())

    def _tell(self, view: View, steps: int, planned: int, refused: bool) -> None:
        icon, color, text = "", "text", ""
        info = self._pass(view)
        if info is None:
            text = ""
        elif refused and view.position == 0:
            icon, color = "error", "error"
            text = self.tr("Raised before step 1 of {total}").format(total=planned)
        elif view.position >= steps and info.outcome == "raised":
            icon, color = "error", "error"
            text = self.tr("Raised at step {step} of {total}").format(step=min(steps + 1, planned), total=planned)
        elif view.position >= steps and info.outcome == "running":
            text = self.tr("{count} steps recorded so far").format(count=steps)
        elif view.position >= steps:
            text = self.tr("<b>End</b> of backward · {total} steps").format(total=steps)
        else:
            name = self._node_name(view, view.position)
            text = self.tr("<b>Step {step}</b> of {total} · {node}").format(
                step=view.position + 1, total=planned, node=name
            )
        weight = "600" if color == "error" else "400"
        tint = self._theme.tokens.color(color if color == "error" else "text")
        self._where.setText(f'<span style="font-size:12px; font-weight:{weight}; color:{tint}">{text}</span>')
        self._make_room((view.trace, view.pass_id))
        self._plain = text.replace("<b>", "").replace("</b>", "")
        self._icon.setVisible(bool(icon))
        if icon:
            self._icon.setPixmap(self._theme.icon(icon).pixmap(14, 14))

    def _make_room(self, shown: tuple[object, ...]) -> None:
        """As wide as the widest words of the pass so far: when a label's room changes, Qt arranges the whole window."""
        need = self._where.sizeHint()
        if shown != self._fitted or need.width() > self._where.minimumWidth():
            self._where.setFixedSize(need.width(), self.height())
            self._fitted = shown

    def _node_name(self, view: View, position: int) -> str:
        if view.trace is None or view.pass_id is None:
            return ""
        try:
            return view.trace.node(view.pass_id, view.trace.step(view.pass_id, position).node).name
        except TraceError:
            return ""

    def _describe(self, position: int) -> str:
        """What the pointer is over: step, node and the shapes it received."""
        view = self._hub.view
        steps = self._actions.step_count()
        if view.trace is None or view.pass_id is None or position >= steps:
            return self.tr("End of backward") if steps else ""
        try:
            step = view.trace.step(view.pass_id, position)
        except TraceError:
            return ""
        shapes = ", ".join(str(list(each.spec.shape)) if each.spec else "None" for each in step.received[:4])
        words = self.tr("Step {step} · {node} · received {shapes}")
        return words.format(step=position + 1, node=self._node_name(view, position), shapes=shapes or "–")


def _position(view: View, finding: Finding) -> int:
    position = place_of(view, finding).get("position", 0)
    return position if isinstance(position, int) else 0
