"""The Inspector's pages of a seed gradient and of an edge: what the receiving node expects beside what came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.diagnose.finding import Finding
from gradviz.document.comparison import single
from gradviz.document.dim_names import DimNames
from gradviz.document.hub import View
from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_call import formula_rows
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_parts import SampleReader, findings_at, rule_words, show_marks, show_pair
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_values import Values
from gradviz.gui.panes.inspector_words import node_link, node_words, place_row, spec_words, stack_rows, translate
from gradviz.trace.model import Spec


def build_seed(page: Page, facts: PassFacts, view: View, node: int) -> None:
    """The seed that enters `node`: what was passed, and what it is."""
    one = facts.backward
    at = next((at for at, root in enumerate(one.roots) if root.node == node), 0)
    if at >= len(one.roots):
        return
    root, given = one.roots[at], facts.seed_spec(at)
    name = facts.seed_name(at)
    findings = findings_at(view, facts.pass_id, node, seed=True)
    kicker = translate("Inspector", "Edge · seed of backward {number}").format(number=one.id + 1)
    target = node_words(facts, node) if node >= 0 else translate("Inspector", "no node")
    title = f"{name or translate('Inspector', 'Seed')} → {target}"
    slot = translate("Inspector", "slot {slot}").format(slot=root.slot)
    page.heading(kicker, title, slot, seed_chips(root.spec, given, findings))
    section = page.section("shapes", translate("Inspector", "Shape, dimension by dimension"))
    if given is not None:
        show_pair(page, section, root.spec, given, True)
    else:
        page.table(section, single(root.spec.shape), (translate("Inspector", "Expected"),))
        page.note(section, translate("Inspector", "No seed was passed: a scalar output starts from 1."))
    page.rows("passed", translate("Inspector", "What was passed"), passed_rows(facts, at, name))
    figures = None
    if given is not None:
        choice = Values(
            translate("Inspector", "Values received"), given, figures, SampleReader(facts, -1, at, ("seed",))
        )
        page.values("values", translate("Inspector", "Values received"), [choice])
    page.later(lambda: formula_rows(page, facts, node))
    page.rows("stack", translate("Inspector", "Called at"), stack_rows(one.stack))


def seed_chips(wanted: Spec, given: Spec | None, findings: Sequence[Finding]) -> list[Chip]:
    """Fits, or doesn't; a cast is told too."""
    if given is None:
        return [Chip(translate("Inspector", "Left out"), "quiet")]
    if given.shape != wanted.shape:
        return [Chip(translate("Inspector", "Shape mismatch"), "error", "error")]
    chips = [Chip(rule_words(finding.rule), finding.severity, finding.severity) for finding in findings]
    if given.dtype != wanted.dtype:
        chips.append(Chip(f"{given.dtype} → {wanted.dtype}", "changed"))
    return chips or [Chip(translate("Inspector", "Shapes match"), "done", "done")]


def passed_rows(facts: PassFacts, at: int, name: str) -> list[Row]:
    leaf = facts.seed_leaf(at)
    if facts.seed_spec(at) is None:
        return []
    rows = [Row(translate("Inspector", "Tensor"), name or translate("Inspector", "unnamed"))]
    if leaf is None:
        return rows
    rows = [Row(rows[0].label, rows[0].value, rest="· " + translate("Inspector", "a leaf of this graph"))]
    rows += place_row(translate("Inspector", "Made at"), leaf.stack)
    nodes = np.flatnonzero(facts.graph.leaf == leaf.id)
    if len(nodes):
        node = int(nodes[0])
        in_graph = translate("Inspector", "In the graph")
        rows.append(Row(in_graph, node_words(facts, node), node_link(node), mono=False))
    return rows


def build_edge(page: Page, facts: PassFacts, view: View, tail: int, head: int, slot: int, dims: DimNames) -> None:
    """The gradient's way from `tail` to `head`."""
    number = int(facts.step_of[head])
    step = facts.trace.step(facts.pass_id, number) if number >= 0 else None
    received = step.received[slot] if step is not None and slot < len(step.received) else None
    expected = facts.expected(head)
    wanted = expected[slot] if slot < len(expected) else None
    title = f"{node_words(facts, tail)} → {node_words(facts, head)}"
    chips = [
        Chip(rule_words(finding.rule), finding.severity, finding.severity)
        for finding in findings_at(view, facts.pass_id, head)
        if any(mark.kind == "edge" and mark.tail == tail for mark in finding.marks)
    ]
    if received is not None and received.spec is not None and wanted is not None:
        fits = received.spec.shape == wanted.shape
        words = translate("Inspector", "Shapes match") if fits else translate("Inspector", "Shape mismatch")
        chips.append(Chip(words, "done" if fits else "error", "done" if fits else "error"))
        if received.stats.nans > 0:
            chips.append(Chip(f"NaN {received.stats.nans:,}", "error", "nan"))
        if received.stats.infs > 0:
            chips.append(Chip(f"Inf {received.stats.infs:,}", "error", "nan"))
    elif received is None:
        chips.append(Chip(translate("Inspector", "Nothing arrived"), "quiet", "never"))
    into = int(np.count_nonzero((facts.graph.head == head) & (facts.graph.slot == slot)))
    if into > 1:
        chips.append(Chip(translate("Inspector", "Σ of {count} gradients").format(count=into), "changed"))
    slot_words = translate("Inspector", "slot {slot}").format(slot=slot)
    page.heading(translate("Inspector", "Edge"), title, slot_words, chips)
    told = received is None and show_marks(page, findings_at(view, facts.pass_id, head), head, tail)
    if not told:
        section = page.section("shapes", translate("Inspector", "Shape, dimension by dimension"))
        given = received.spec if received is not None else None
        names = dims.of_slot(facts, head, slot, wanted.shape) if wanted is not None else ()
        show_pair(page, section, wanted, given, received is not None, names)
    rows = [
        Row(translate("Inspector", "From"), node_words(facts, tail), node_link(tail), mono=False),
        Row(translate("Inspector", "To"), node_words(facts, head), node_link(head), mono=False),
    ]
    if received is not None:
        rows.append(Row(translate("Inspector", "Received"), spec_words(received.spec)))
    page.rows("ends", translate("Inspector", "Between"), rows)
    if received is not None:
        reader = SampleReader(facts, number, slot, ("received",))
        choice = Values(translate("Inspector", "Received"), received.spec, received.stats, reader)
        page.values("values", translate("Inspector", "Values received"), [choice])
    page.later(lambda: formula_rows(page, facts, head))
