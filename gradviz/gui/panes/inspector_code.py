"""The Inspector's page of a group that the script's code makes: a loop, a round of it, a call, a section."""

from __future__ import annotations

import numpy as np

from gradviz.document.hub import Selection
from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_section import Row
from gradviz.gui.panes.inspector_summary import norm_rows
from gradviz.gui.panes.inspector_words import place_row, spec_words, translate


def build_code(page: Page, facts: PassFacts, chosen: Selection) -> None:
    """Where it stands, what it hands on, when it ran backwards, and its largest and smallest gradients."""
    nodes = np.array([node for node in chosen.nodes if 0 <= node < len(facts.graph)], np.int64)
    kicker = translate("Inspector", "Group · {count} nodes").format(count=f"{len(nodes):,}")
    page.heading(kicker, chosen.title)
    made = nodes[facts.graph.seq[nodes] >= 0]
    if not len(made):
        return
    ordered = made[np.argsort(facts.graph.seq[made], kind="stable")]
    first, last = int(ordered[0]), int(ordered[-1])
    rows = place_row(translate("Inspector", "Begins at"), facts.stack(first))
    expected = facts.expected(last)
    if expected:
        rows.append(Row(translate("Inspector", "Out"), spec_words(expected[0])))
    steps = facts.step_of[nodes]
    steps = steps[steps >= 0]
    if len(steps):
        words = f"{int(steps.min()) + 1:,} – {int(steps.max()) + 1:,}"
        rows.append(Row(translate("Inspector", "Steps"), words))
    else:
        rows.append(Row(translate("Inspector", "Steps"), translate("Inspector", "none of them ran"), mono=False))
    page.rows("group", translate("Inspector", "This group"), rows)
    norms = norm_rows(facts, nodes.tolist())
    if norms:
        page.rows("norms", translate("Inspector", "Gradient norms"), norms)
