"""The Inspector's pages of a whole pass and of a module group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.document.hub import View
from gradviz.document.pass_facts import PassFacts
from gradviz.document.sample_values import number_text
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_words import node_link, node_words, place_row, spec_words, time_words, translate
from gradviz.gui.panes.leaf_table import LeafTable
from gradviz.trace.model import Leaf, Module

MOST_LEAVES = 400
OUTCOME_CHIPS = {
    "completed": ("done", "done"),
    "running": ("quiet", "pending"),
    "refused": ("error", "error"),
    "raised": ("error", "error"),
    "interrupted": ("error", "error"),
}


def build_summary(page: Page, facts: PassFacts, view: View) -> None:
    """Nothing is selected: the pass as a whole, and the state of every leaf's .grad at the end."""
    one = facts.backward
    kicker = translate("Inspector", "Backward pass {number}").format(number=one.id + 1)
    kind, icon = OUTCOME_CHIPS[one.outcome]
    chips = [Chip(outcome_words(one.outcome), kind, icon)]
    mine = [finding for finding in view.findings if finding.pass_id in (None, facts.pass_id)]
    for severity in ("error", "warning", "note"):
        count = sum(finding.severity == severity for finding in mine)
        if count:
            chips.append(Chip(f"{count:,}", severity, severity))
    steps = translate("Inspector", "{steps} of {nodes} nodes ran")
    title = steps.format(steps=f"{len(facts.steps):,}", nodes=f"{len(facts.graph):,}")
    page.heading(kicker, title, chips=chips)
    rows = place_row(translate("Inspector", "Called at"), one.stack)
    rows.append(Row(translate("Inspector", "Nodes"), f"{len(facts.graph):,}"))
    rows.append(Row(translate("Inspector", "Edges"), f"{len(facts.graph.tail):,}"))
    rows.append(Row(translate("Inspector", "Steps"), f"{len(facts.steps):,}"))
    if one.duration is not None:
        rows.append(Row(translate("Inspector", "Time"), time_words(int(one.duration * 1e9))))
    if one.repeats > 1:
        rows.append(Row(translate("Inspector", "Alike"), f"{one.repeats:,}", rest=translate("Inspector", "passes")))
    if not mine:
        words = translate("Inspector", "No problems found in {count} steps.").format(count=f"{len(facts.steps):,}")
        page.rows("pass", translate("Inspector", "This pass"), rows, words=words)
    else:
        page.rows("pass", translate("Inspector", "This pass"), rows)
    page.later(lambda: page.rows("norms", translate("Inspector", "Gradient norms"), norm_rows(facts)))
    page.later(lambda: leaf_section(page, facts, [leaf for leaf in facts.leaves if leaf.requires_grad], ""))


def outcome_words(outcome: str) -> str:
    return {
        "completed": translate("Inspector", "Completed"),
        "running": translate("Inspector", "Running"),
        "refused": translate("Inspector", "Refused before the first step"),
        "raised": translate("Inspector", "Raised"),
        "interrupted": translate("Inspector", "Interrupted"),
    }[outcome]


def norm_rows(facts: PassFacts, nodes: Sequence[int] | None = None) -> list[Row]:
    """The steps with the largest and the smallest gradient, of these nodes or all, where figures were taken."""
    steps = facts.steps
    norms = steps.norm
    known = np.flatnonzero(np.isfinite(norms) & (steps.nans >= 0))
    if nodes is not None and len(known):
        of_row = steps.node[np.searchsorted(steps.received_end, known, side="right")]
        known = known[np.isin(of_row, np.array(nodes, np.int64))]
    if not len(known):
        return []
    rows = []
    for label, at in (
        (translate("Inspector", "Largest"), known[np.argmax(norms[known])]),
        (translate("Inspector", "Smallest"), known[np.argmin(norms[known])]),
    ):
        step = int(np.searchsorted(steps.received_end, at, side="right"))
        node = int(steps.node[step])
        rows.append(
            Row(label, node_words(facts, node), node_link(node), mono=False, rest=number_text(float(norms[at])))
        )
    return rows


def leaf_section(page: Page, facts: PassFacts, leaves: list[Leaf], strip: str) -> None:
    """The table of leaves; a click selects the leaf's node."""
    if not leaves:
        return
    title = translate("Inspector", ".grad at the end of the run")
    section = page.section("leaves", title, translate("Inspector", "norm"))
    table = LeafTable(page.theme, leaves[:MOST_LEAVES], strip, section)
    table.chosen.connect(lambda leaf: follow_leaf(page, facts, leaf))
    section.rows.addWidget(table)
    words = translate("Inspector", "Bars: norm, log scale from 1e-6 to 10. Hatched: no gradient, or NaN.")
    if len(leaves) > MOST_LEAVES:
        words += " " + translate("Inspector", "{count} more are not listed.").format(count=len(leaves) - MOST_LEAVES)
    page.note(section, words)


def follow_leaf(page: Page, facts: PassFacts, leaf: int) -> None:
    nodes = np.flatnonzero(facts.graph.leaf == leaf)
    if len(nodes):
        page.link_followed.emit(node_link(int(nodes[0])))


def build_group(page: Page, facts: PassFacts, view: View, path: str) -> None:
    """A module: its shapes, its parameters and their gradients, its nodes."""
    modules = facts.trace.modules()
    module = next((each for each in modules if each.path == path), None)
    if module is None:
        build_summary(page, facts, view)
        return
    inside = inside_of(modules, module)
    nodes = nodes_inside(facts, inside)
    kicker = translate("Inspector", "Group · {count} nodes").format(count=f"{len(nodes):,}")
    leaves = [leaf for leaf in facts.leaves if leaf.module in inside]
    without = sum(leaf.requires_grad and leaf.grad_spec is None for leaf in leaves)
    chips = []
    if without:
        words = translate("Inspector", "{count} parameters get no gradient").format(count=without)
        chips.append(Chip(words, "warning", "warning"))
    page.heading(kicker, module.path or module.root_name or module.class_name, module.class_name, chips)
    rows = []
    call = next(
        (call for node in nodes[:1] if (call := facts.trace.call(int(facts.graph.call[node]))) is not None), None
    )
    while call is not None and call.module != module.id:
        call = facts.trace.call(call.parent) if call.parent >= 0 else None
    if call is not None:
        rows.append(Row(translate("Inspector", "In"), spec_words(call.in_spec)))
        rows.append(Row(translate("Inspector", "Out"), spec_words(call.out_spec)))
    count = translate("Inspector", "in {count} tensors").format(count=len(leaves))
    rows.append(Row(translate("Inspector", "Parameters"), f"{module.parameters:,}", rest=count))
    if module.training is not None:
        mode = translate("Inspector", "training") if module.training else translate("Inspector", "evaluation")
        rows.append(Row(translate("Inspector", "Mode"), mode, mono=False))
    page.rows("group", translate("Inspector", "Shapes"), rows)
    leaf_section(page, facts, leaves, f"{module.path}." if module.path else "")


def inside_of(modules: tuple[Module, ...], module: Module) -> set[int]:
    """The module and all below it."""
    inside = {module.id}
    grew = True
    while grew:
        more = {each.id for each in modules if each.parent in inside} - inside
        inside |= more
        grew = bool(more)
    return inside


def nodes_inside(facts: PassFacts, inside: set[int]) -> list[int]:
    """Nodes of calls of these modules."""
    wanted = []
    for number in np.unique(facts.graph.call).tolist():
        call = facts.trace.call(number) if number >= 0 else None
        if call is not None and call.module in inside:
            wanted.append(number)
    found: list[int] = np.flatnonzero(np.isin(facts.graph.call, wanted)).tolist()
    return found
