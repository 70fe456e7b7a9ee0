"""The Inspector's page of a whole pass, and what it shares with those of groups: norms, leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.document.hub import View
from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_words import node_link, node_words, place_row, time_words, translate
from gradviz.gui.panes.leaf_table import LeafTable
from gradviz.scene.words import number_text
from gradviz.trace.model import Leaf

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
    if view.unexamined:
        words = translate("Inspector", "This recording couldn't be examined for problems.")
        page.rows("pass", translate("Inspector", "This pass"), rows, words=words)
    elif not mine:
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
