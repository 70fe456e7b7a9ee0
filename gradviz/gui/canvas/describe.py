"""Boxes, edges and groups in words: for tooltips and for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.gui.canvas.hits import Hit
from gradviz.gui.canvas.loader import Loaded
from gradviz.scene.model import NO_EDGE, Kind, Look, State, States
from gradviz.scene.states import Timeline
from gradviz.scene.words import count_text, shape_text

translate = QCoreApplication.translate


def state_word(state: int) -> str:
    return {
        State.PENDING: translate("Canvas", "not yet reached"),
        State.DONE: translate("Canvas", "done"),
        State.CURRENT: translate("Canvas", "current"),
        State.FAILED: translate("Canvas", "failed"),
        State.NEVER: translate("Canvas", "never reached"),
        State.STILL: translate("Canvas", "constant"),
    }[State(state)]


class Describer:
    """Words for what is shown."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded

    def hit(self, found: Hit, states: States) -> str:
        """Several lines for a tooltip; "" where there is nothing to say."""
        if found.kind == "box":
            return "\n".join(self.box(found.at, states))
        if found.kind == "edge":
            return "\n".join(self.edge(found.at))
        if found.kind == "frame":
            return "\n".join(self.card(self._loaded.scene.draft.open_cards[found.at]))
        return ""

    def spoken(self, box: int, states: States) -> str:
        """Name, state, step, shapes, finding."""
        return ", ".join(part for part in self.box(box, states) if part)

    def box(self, box: int, states: States) -> list[str]:
        draft, texts = self._loaded.scene.draft, self._loaded.build.texts
        if draft.kind[box] == Kind.GROUP:
            return self.card(int(draft.card[box]))
        name = texts.name(draft, box)
        chip = draft.chips.get(box, "")
        lines = [f"{name} {chip}".strip(), state_word(int(states.box[box]))]
        second = texts.second(draft, box)
        if second:
            lines.append(second)
        step = int(draft.step_first[box])
        if step >= 0:
            lines.append(self._step(step))
        node = int(draft.node[box])
        if node >= 0 and draft.kind[box] != Kind.SEED:
            lines += self._shapes(node, step)
        lines += [
            translate("Canvas", "finding: {text}").format(text=self._loaded.order.findings[badge.finding].message)
            for badge in draft.badges
            if badge.box == box and badge.finding >= 0
        ]
        return lines

    def edge(self, edge: int) -> list[str]:
        draft = self._loaded.scene.draft
        texts = self._loaded.build.texts
        lines = [f"{texts.name(draft, int(draft.tail[edge]))} → {texts.name(draft, int(draft.head[edge]))}"]
        framed = next((label for label in draft.framed if label.edge == edge), None)
        expected = draft.labels[int(draft.label[edge])]
        if framed is not None and framed.expected:
            lines.append(translate("Canvas", "expected {shape}").format(shape=framed.expected))
            lines.append(translate("Canvas", "received {shape}").format(shape=framed.text))
        elif framed is not None and framed.look == Look.CHANGED:
            lines.append(framed.text)
        else:
            lines.append(translate("Canvas", "expected {shape}").format(shape=expected))
            lines += self._received(int(draft.edge[edge]))
        return [line for line in lines if line]

    def card(self, card: int) -> list[str]:
        one = self._loaded.scene.draft.cards[card]
        lines = [f"{one.title} {one.class_name}".strip(), translate("Canvas", "{count} nodes").format(count=one.nodes)]
        if one.parameters:
            lines.append(translate("Canvas", "{count} parameters").format(count=count_text(one.parameters)))
        if one.shapes:
            lines.append(one.shapes)
        if one.norm_words:
            lines.append(one.norm_words)
        if one.findings:
            words = translate("Canvas", "1 finding inside") if one.findings == 1 else ""
            lines.append(words or translate("Canvas", "{count} findings inside").format(count=one.findings))
        return lines

    def _step(self, step: int) -> str:
        steps = self._loaded.order.trace.steps(self._loaded.order.pass_id)
        duration = int(steps.duration[step])
        text = translate("Canvas", "step {step} of {all}").format(step=step + 1, all=len(steps))
        return f"{text} · {duration / 1e6:.3g} ms" if duration >= 0 else text

    def _shapes(self, node: int, step: int) -> list[str]:
        trace, pass_id = self._loaded.order.trace, self._loaded.order.pass_id
        expected = [shape_text(spec.shape) for spec in trace.node(pass_id, node).expected]
        lines = [translate("Canvas", "expects {shapes}").format(shapes=", ".join(expected))] if expected else []
        if step >= 0:
            got = [
                shape_text(one.spec.shape) if one.spec is not None else "None"
                for one in trace.step(pass_id, step).received
            ]
            if got and got != expected:
                lines.append(translate("Canvas", "received {shape}").format(shape=", ".join(got)))
        return lines

    def _received(self, edge: int) -> list[str]:
        """What the gradient on this edge of the graph was, where its node ran."""
        if edge < 0 or edge == NO_EDGE:
            return []
        graph = self._loaded.build.graph
        step = self._step_of(int(graph.head[edge]))
        if step < 0:
            return []
        received = self._loaded.order.trace.step(self._loaded.order.pass_id, step).received
        slot = int(graph.slot[edge])
        if slot >= len(received):
            return []
        spec = received[slot].spec
        if spec is None:
            return [translate("Canvas", "received {shape}").format(shape="None")]
        return [translate("Canvas", "received {shape}").format(shape=f"{shape_text(spec.shape)} {spec.dtype}")]

    def _step_of(self, node: int) -> int:
        draft = self._loaded.scene.draft
        box = int(draft.box_of[node])
        return int(draft.step_first[box]) if draft.kind[box] != Kind.GROUP else -1


def counts_of(loaded: Loaded) -> str:
    """'13 nodes, 13 edges, 1 constant'; of a graph with folded groups their number in place of the edges'."""
    draft = loaded.scene.draft
    nodes, folded = len(loaded.build.graph), int((draft.kind == Kind.GROUP).sum())
    constants = int((draft.kind == Kind.CONSTANT).sum())
    parts = [translate("Canvas", "{count} nodes").format(count=f"{nodes:,}")]
    if folded:
        words = (
            translate("Canvas", "{count} group folded") if folded == 1 else translate("Canvas", "{count} groups folded")
        )
        parts.append(words.format(count=folded))
    else:
        parts.append(translate("Canvas", "{count} edges").format(count=f"{len(loaded.build.graph.tail):,}"))
    if constants:
        one = constants == 1
        words = translate("Canvas", "{count} constant") if one else translate("Canvas", "{count} constants")
        parts.append(words.format(count=constants))
    return ", ".join(parts)


def step_of_box(line: Timeline, box: int) -> int:
    """The position at which a box's (first) node is current; -1 where it never ran."""
    return int(line.draft.step_first[box])
