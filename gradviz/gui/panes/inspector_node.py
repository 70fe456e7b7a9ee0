"""The Inspector's page of a node: what it expects and received, values, saved tensors, the call that made it."""

from __future__ import annotations

from gradviz.document.comparison import stretched, summed_dims
from gradviz.document.dim_names import DimNames
from gradviz.document.hub import View
from gradviz.document.pass_facts import Handed, PassFacts, spec_text
from gradviz.document.variable_names import VariableNames
from gradviz.gui.panes.inspector_call import call_rows, formula_rows
from gradviz.gui.panes.inspector_page import Page, steps_in_pass
from gradviz.gui.panes.inspector_parts import SampleReader, findings_at, rule_words, show_marks, show_pair
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_values import Values
from gradviz.gui.panes.inspector_words import (
    node_link,
    node_words,
    spec_words,
    stack_rows,
    time_words,
    translate,
)
from gradviz.scene.words import shape_text
from gradviz.trace.model import Leaf, Step
from gradviz.trace.packing import NODE_CUSTOM

MOST_SLOTS = 6


class NodePage:
    """Puts the page of `node` together."""

    def __init__(
        self, page: Page, facts: PassFacts, view: View, node: int, names: VariableNames, dims: DimNames
    ) -> None:
        self.page, self.facts, self.view, self.node = page, facts, view, node
        self.names, self.dims = names, dims
        number = int(facts.step_of[node])
        self.step: Step | None = facts.trace.step(facts.pass_id, number) if number >= 0 else None
        self.expected = facts.expected(node)
        self.findings = findings_at(view, facts.pass_id, node)

    def build(self) -> None:
        self.heading()
        self.operands()
        self.shapes()
        self.returned()
        for part in (self.gradient, self.leaf, self.saved, self.formula, self.handed_on, self.forward, self.stack):
            self.page.later(part)

    def stack(self) -> None:
        stack = self.facts.stack(self.node)
        self.page.rows("stack", translate("Inspector", "Made by your lines"), stack_rows(stack))

    # -- heading
    def heading(self) -> None:
        facts, node = self.facts, self.node
        words = [translate("Inspector", "Leaf") if facts.leaf(node) else translate("Inspector", "Node")]
        if self.step is not None:
            place = translate("Inspector", "step {number} of {count}")
            words.append(place.format(number=self.step.number + 1, count=f"{steps_in_pass(facts):,}"))
            words.append(time_words(self.step.duration))
        elif facts.line(node):
            words.append(translate("Inspector", "line {line}").format(line=facts.line(node)))
        name = facts.name(node)
        self.page.heading(" · ".join(filter(None, words)), name.strong, name.rest, self.chips())

    def chips(self) -> list[Chip]:
        chips = [self.state_chip()]
        for finding in self.findings:
            icon = finding.severity if finding.severity in ("error", "warning", "note") else ""
            chips.append(Chip(rule_words(finding.rule), finding.severity, icon))
        chips += self.changes()
        if self.step is not None and self.fits() and not self.findings:
            chips.append(Chip(translate("Inspector", "Shapes match"), "done", "done"))
        elif self.step is not None and not self.fits():
            chips.append(Chip(translate("Inspector", "Shape mismatch"), "error", "error"))
        return chips

    def state_chip(self) -> Chip:
        facts, position = self.facts, self.view.position
        number = -1 if self.step is None else self.step.number
        reached = position > number if number >= 0 else position >= len(facts.steps)
        if self.node == facts.failed and reached:
            return Chip(translate("Inspector", "Failed"), "error", "error")
        if number < 0:
            if facts.forward_only:
                return Chip(translate("Inspector", "No backward ran"), "quiet", "pending")
            if facts.ended:
                return Chip(translate("Inspector", "Never reached"), "quiet", "never")
            return Chip(translate("Inspector", "Not yet reached"), "quiet", "pending")
        if number == position:
            return Chip(translate("Inspector", "Current"), "current", "current_on_fill")
        if number < position:
            return Chip(translate("Inspector", "Done"), "done", "done")
        return Chip(translate("Inspector", "Not yet reached"), "quiet", "pending")

    def changes(self) -> list[Chip]:
        """What the numbers themselves say: NaN, infinities."""
        chips = []
        for received in self.step.received if self.step is not None else ():
            if received.stats.nans > 0:
                chips.append(Chip(f"NaN {received.stats.nans:,}", "error", "nan"))
            if received.stats.infs > 0:
                chips.append(Chip(f"Inf {received.stats.infs:,}", "error", "nan"))
        return chips

    def fits(self) -> bool:
        assert self.step is not None
        pairs = zip(self.expected, self.step.received)
        return all(given.spec is None or given.spec.shape == wanted.shape for wanted, given in pairs)

    # -- shapes
    def operands(self) -> None:
        """How broadcasting stretched the operands of the forward call, where a finding tells."""
        for finding in self.findings:
            table = stretched(finding.operands, finding.result_shape)
            if table is None:
                continue
            section = self.page.section("operands", translate("Inspector", "Operands in forward"))
            labels = (*(operand.name or "?" for operand in finding.operands), translate("Inspector", "result"))
            self.page.table(section, table, labels, "error" if finding.severity == "error" else "changed")
            self.page.rows("backward", translate("Inspector", "What backward does with it"), self.sums())
            return

    def sums(self) -> list[Row]:
        """Where a stretched operand's gradient is summed back."""
        if self.step is None or not self.step.received or self.step.received[0].spec is None:
            return []
        given = self.step.received[0].spec.shape
        rows = [Row(translate("Inspector", "Received"), shape_text(given))]
        for handed in self.facts.handed(self.node):
            if handed.spec is None:
                continue
            dims = summed_dims(given, handed.spec.shape)
            if dims:
                kept = len(handed.spec.shape) == len(given)
                words = "dim " + ", ".join(f"−{-dim}" for dim in dims)
                rest = translate("Inspector", "kept as 1") if kept else ""
                rows.append(Row(translate("Inspector", "Summed over"), words, rest=rest))
            rows.append(Row(translate("Inspector", "Handed on"), shape_text(handed.spec.shape)))
        return rows

    def shapes(self) -> None:
        title = translate("Inspector", "Shape, dimension by dimension")
        if not self.expected:
            return
        if self.step is None:
            show_marks(self.page, self.findings)
        section = self.page.section("shapes", title)
        for slot, wanted in enumerate(self.expected[:MOST_SLOTS]):
            if len(self.expected) > 1:
                self.page.note(section, translate("Inspector", "slot {slot}").format(slot=slot))
            received = self.step.received[slot] if self.step and slot < len(self.step.received) else None
            given, names = (
                received.spec if received else None,
                self.dims.of_slot(self.facts, self.node, slot, wanted.shape),
            )
            show_pair(self.page, section, wanted, given, received is not None, names)
        if len(self.expected) > MOST_SLOTS:
            more = translate("Inspector", "and {count} slots more")
            self.page.note(section, more.format(count=len(self.expected) - MOST_SLOTS))

    def returned(self) -> None:
        """What a custom backward or a hook gave back itself."""
        if not int(self.facts.graph.flags[self.node]) & NODE_CUSTOM or self.step is None:
            return
        rows = []
        edges = {int(self.facts.graph.index[edge]): edge for edge in self.facts.out_edges(self.node)}
        for back in self.facts.trace.returned(self.facts.pass_id):
            if back.step != self.step.number:
                continue
            rest = ""
            if back.index in edges:
                head = int(self.facts.graph.head[edges[back.index]])
                wanted = self.facts.expected(head)
                slot = int(self.facts.graph.slot[edges[back.index]])
                if slot < len(wanted):
                    rest = translate("Inspector", "expected {shape}").format(shape=shape_text(wanted[slot].shape))
            label = translate("Inspector", "Gradient {number}").format(number=back.index)
            rows.append(Row(label, back.type or spec_words(back.spec), rest=rest))
        self.page.rows("returned", translate("Inspector", "Returned by its backward"), rows)

    # -- values
    def gradient(self) -> None:
        self.page.values("values", translate("Inspector", "Gradient"), self.values())

    def values(self) -> list[Values]:
        choices = []
        received = self.step.received if self.step is not None else ()
        for slot, one in enumerate(received):
            label = translate("Inspector", "Received")
            if len(received) > 1:
                label += " " + translate("Inspector", "slot {slot}").format(slot=slot)
            assert self.step is not None
            choices.append(Values(label, one.spec, one.stats, self.sample(self.step.number, slot)))
        for handed in self.facts.handed(self.node):
            number = int(self.facts.step_of[handed.head])
            if not handed.arrived or number < 0:
                continue
            there = self.facts.trace.step(self.facts.pass_id, number).received[handed.slot]
            words = translate("Inspector", "Handed on to {node}")
            if handed.summed:
                words = translate("Inspector", "Summed in {node}")
            label = words.format(node=node_words(self.facts, handed.head))
            choices.append(Values(label, there.spec, there.stats, self.sample(number, handed.slot)))
        return choices

    def sample(self, step: int, slot: int) -> SampleReader:
        return SampleReader(self.facts, step, slot, ("received",))

    def leaf(self) -> None:
        leaf = self.facts.leaf(self.node)
        if leaf is None:
            return
        rows = [Row(translate("Inspector", "Kind"), leaf_kind(leaf), mono=False)]
        rows.append(Row(translate("Inspector", "Tensor"), spec_words(leaf.spec)))
        grad = spec_words(leaf.grad_spec) if leaf.grad_spec else translate("Inspector", "None: no gradient arrived")
        rows.append(Row(".grad", grad, mono=leaf.grad_spec is not None))
        self.page.rows("leaf", translate("Inspector", "At the end of the run"), rows)
        if leaf.grad_spec is not None:
            choice = Values(".grad", leaf.grad_spec, leaf.grad_stats, lambda: self.facts.trace.leaf_sample(leaf.id))
            self.page.values("leaf-grad", translate("Inspector", ".grad at the end"), [choice])

    # -- rows
    def saved(self) -> None:
        rows = []
        for saved in self.facts.trace.saved(self.facts.pass_id, self.node):
            version = translate("Inspector", "version {number}")
            rest = "" if saved.version is None else version.format(number=saved.version)
            if None not in (saved.version, saved.saved_version) and saved.version != saved.saved_version:
                was = translate("Inspector", "saved at version {number}: changed since")
                rest += ", " + was.format(number=saved.saved_version)
            value = spec_words(saved.spec) if saved.spec is not None else translate("Inspector", "freed")
            rows.append(Row(saved.name, value, rest=rest))
        self.page.rows("saved", translate("Inspector", "Saved for backward"), rows)

    def formula(self) -> None:
        formula_rows(self.page, self.facts, self.node)

    def handed_on(self) -> None:
        rows = []
        for number, handed in enumerate(self.facts.handed(self.node)):
            label = translate("Inspector", "Gradient {number}").format(number=number)
            name, link = node_words(self.facts, handed.head), node_link(handed.head)
            rows.append(Row(label, name, link, mono=False, rest=self.arrived(handed)))
        self.page.rows("handed", translate("Inspector", "Hands on to"), rows)

    def arrived(self, handed: Handed) -> str:
        """The shape that arrived, beside the one that is expected there if that is another."""
        expected = self.facts.expected(handed.head)
        wanted = expected[handed.slot] if handed.slot < len(expected) else None
        if not handed.arrived or wanted is None or handed.spec is None:
            return spec_text(handed.spec)
        if handed.spec.shape == wanted.shape:
            return spec_text(handed.spec)
        return translate("Inspector", "{given} ≠ expected {wanted}").format(
            given=spec_text(handed.spec), wanted=spec_text(wanted)
        )

    def forward(self) -> None:
        """The forward call that made this node."""
        op = self.facts.op(self.node)
        if op is not None:
            call_rows(self.page, self.facts, op, self.names)


def leaf_kind(leaf: Leaf) -> str:
    return translate("Inspector", "parameter") if leaf.kind == "parameter" else translate("Inspector", "variable")
