"""What the Inspector's pages of nodes and edges share: shapes beside each other, findings of a place, kept samples."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.diagnose.finding import Finding
from gradviz.document.comparison import compare, single
from gradviz.document.hub import View
from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_page import Page
from gradviz.gui.panes.inspector_section import Row, Section
from gradviz.gui.panes.inspector_words import translate
from gradviz.trace.model import Sample, Spec


class SampleReader:
    """Reads a kept sample when it is looked at."""

    def __init__(self, facts: PassFacts, step: int, slot: int, roles: tuple[str, ...]) -> None:
        self._facts, self._step, self._slot, self._roles = facts, step, slot, roles

    def __call__(self) -> Sample | None:
        found = self._facts.trace.samples(self._facts.pass_id, self._step)
        return next((one for one in found if one.slot == self._slot and one.role in self._roles), None)


def show_pair(
    page: Page,
    section: Section,
    wanted: Spec | None,
    given: Spec | None,
    arrived: bool,
    names: tuple[str, ...] = (),
) -> None:
    """Expected beside received, with dtype and device where both are known; `names` are those of what is expected."""
    expected, received = translate("Inspector", "Expected"), translate("Inspector", "Received")
    if wanted is not None and given is not None:
        page.table(section, compare(wanted.shape, given.shape), (expected, received), names=names)
        rows = []
        for label, mine, yours in (("dtype", wanted.dtype, given.dtype), ("device", wanted.device, given.device)):
            rows.append(Row(label, f"{mine} {'=' if mine == yours else '≠'} {yours}"))
        section.rows.addWidget(page.links(rows, section))
        return
    if wanted is not None:
        page.table(section, single(wanted.shape), (expected,), names=names)
    if given is not None:
        page.table(section, single(given.shape), (received,))
        return
    if arrived:
        page.note(section, translate("Inspector", "None: an undefined gradient, taken as zeros."))
    else:
        page.note(section, translate("Inspector", "Nothing has arrived here."))


def show_marks(page: Page, findings: Sequence[Finding], node: int = -1, tail: int = -1) -> bool:
    """Expected beside received as the findings have them (of this edge, if one is given); False where none tells."""
    for finding in findings:
        for mark in finding.marks:
            if node >= 0 and (mark.node != node or mark.tail != tail):
                continue
            if isinstance(mark.expected, tuple) and isinstance(mark.received, tuple):
                section = page.section("marks", translate("Inspector", "Where it goes wrong"))
                labels = (translate("Inspector", "Expected"), translate("Inspector", "Received"))
                page.table(section, compare(mark.expected, mark.received), labels)
                return True
    return False


def findings_at(view: View, pass_id: int, node: int, seed: bool = False) -> list[Finding]:
    """Findings that mark this node (or, with `seed`, the seed that enters it); the one that is shown comes first."""
    found = []
    for number, finding in enumerate(view.findings):
        if finding.pass_id not in (None, pass_id):
            continue
        if any(mark.node == node and (mark.kind == "seed") == seed for mark in finding.marks):
            found.append((number != view.finding, number, finding))
    return [finding for _, _, finding in sorted(found, key=lambda each: each[:2])]


def rule_words(rule: str) -> str:
    """'silent-broadcast' as a chip says it."""
    return rule.replace("-", " ").capitalize()
