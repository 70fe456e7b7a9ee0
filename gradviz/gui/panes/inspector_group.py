"""The Inspector's page of a module: its shapes, its parameters and their gradients in this pass, its nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.document.hub import Selection, View
from gradviz.document.leaf_gradients import Fate
from gradviz.document.module_calls import calls_of, with_leaves
from gradviz.document.module_tree import Branch, tree_of
from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_section import Chip, Row
from gradviz.gui.panes.inspector_summary import build_summary, leaf_section, norm_rows
from gradviz.gui.panes.inspector_words import spec_words, translate
from gradviz.gui.panes.modules_words import figure, is_wrong, state


def build_group(page: Page, facts: PassFacts, view: View, chosen: Selection) -> None:
    """The module that is selected; the whole pass where the recording has no such module."""
    tree = tree_of(facts)
    number = chosen.module if 0 <= chosen.module < len(tree) else tree.number_of(chosen.path)
    if number < 0:
        build_summary(page, facts, view)
        return
    branch, module = tree[number], tree.module(number)
    calls = calls_of(facts.trace, facts.pass_id)
    nodes = with_leaves(facts.graph, calls.nodes_inside(number))
    kicker = translate("Inspector", "Group · {count} nodes").format(count=f"{len(nodes):,}")
    page.heading(kicker, module.path or module.root_name or module.class_name, module.class_name, _chips(branch))
    rows = []
    took, gave = calls.ends(number)
    if branch.calls:
        rows.append(Row(translate("Inspector", "In"), spec_words(took)))
        rows.append(Row(translate("Inspector", "Out"), spec_words(gave)))
    if branch.calls > 1:
        times = translate("Inspector", "times in this pass; the shapes are the first call's")
        rows.append(Row(translate("Inspector", "Called"), f"{branch.calls:,}", rest=times))
    count = translate("Inspector", "in {count} tensors").format(count=f"{branch.tensors:,}")
    rows.append(Row(translate("Inspector", "Parameters"), f"{module.parameters:,}", rest=count))
    if branch.own != module.parameters and branch.own:
        rows.append(Row(translate("Inspector", "Its own"), f"{branch.own:,}"))
    if branch.fate is not None:
        rows.append(_norm(translate("Inspector", "Gradient norm"), branch))
    if module.training is not None:
        mode = translate("Inspector", "training") if module.training else translate("Inspector", "evaluation")
        rows.append(Row(translate("Inspector", "Mode"), mode, mono=False))
    page.rows("group", translate("Inspector", "Shapes"), rows)
    inside = set(tree.forest.inside(number).tolist())
    leaves = [leaf for leaf in facts.leaves if leaf.module in inside]
    page.later(lambda: leaf_section(page, facts, leaves, f"{module.path}." if module.path else ""))
    page.later(lambda: page.rows("norms", translate("Inspector", "Gradient norms"), norm_rows(facts, nodes.tolist())))


def build_stack(page: Page, facts: PassFacts, view: View, chosen: Selection) -> None:
    """A stack of equal modules: what they have in common, and the gradient norm of each. One that was called again and
    again is told as itself.
    """
    tree, calls = tree_of(facts), calls_of(facts.trace, facts.pass_id)
    branches = [tree[number] for number in chosen.modules if 0 <= number < len(tree)]
    if len(branches) < 2:
        build_group(page, facts, view, replace(chosen, module=branches[0].module.id if branches else -1))
        return
    first, last = branches[0].module, branches[-1].module
    inside = np.concatenate([calls.nodes_inside(branch.module.id) for branch in branches])
    nodes = len(with_leaves(facts.graph, np.unique(inside)))
    kicker = translate("Inspector", "Stack of {copies} · {count} nodes")
    page.heading(kicker.format(copies=len(branches), count=f"{nodes:,}"), chosen.title, first.class_name)
    rows = [
        Row(translate("Inspector", "In"), spec_words(calls.ends(first.id)[0])),
        Row(translate("Inspector", "Out"), spec_words(calls.ends(last.id)[1])),
    ]
    each = translate("Inspector", "{count} each").format(count=f"{first.parameters:,}")
    total = sum(branch.module.parameters for branch in branches)
    rows.append(Row(translate("Inspector", "Parameters"), f"{total:,}", rest=each))
    page.rows("group", translate("Inspector", "Shapes"), rows)
    norms = [
        _norm(branch.name, branch, f"module:{branch.module.id}")
        for branch in reversed(branches)  # as they stand on the canvas: the last one's gradient comes first
        if branch.fate is not None
    ]
    page.rows("norms", translate("Inspector", "Gradient norm of each"), norms)


def _norm(label: str, branch: Branch, link: str = "") -> Row:
    """The norm or the word in its place, and what is odd; quiet and said once where all of it is frozen."""
    value, odd = figure(branch), state(branch)
    if branch.fate == Fate.FROZEN and value == odd and not link:
        return Row(label, "", mono=False, rest=odd)
    return Row(label, value, link, rest=odd if odd != value else "")


def _chips(branch: Branch) -> list[Chip]:
    chips = []
    missing = branch.fates[Fate.MISSING]
    if missing:
        words = translate("Inspector", "{count} parameters get no gradient").format(count=f"{missing:,}")
        chips.append(Chip(words, "warning", "warning"))
    elif is_wrong(branch):
        chips.append(Chip(state(branch), "error", "error"))
    if branch.fate == Fate.FROZEN:
        chips.append(Chip(translate("Inspector", "frozen"), "quiet", "pending"))
    return chips
