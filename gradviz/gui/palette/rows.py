"""What the palette lists: for a query the hits of a recording, its problems and the commands, by kind. No widgets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from gradviz.diagnose.finding import Finding
from gradviz.document.find import FEW, MANY, Found, Hit, marks_of
from gradviz.document.shape_pattern import Span

translate = QCoreApplication.translate
USUAL = ("next_finding", "run", "focus_path", "focus_around", "view_back", "fit", "fold_all", "open", "export")
COMMANDS_ONLY = ">"  # a query that begins so


@dataclass(frozen=True)
class Row:
    """`kind`: head | hit | finding | command | more | note. The first and the last can't be chosen.

    `what` says where it leads: a Hit, the place of a finding, the name of a command, the kind to show all of.
    """

    kind: str
    text: str
    detail: str = ""
    right: str = ""
    marks: tuple[Span, ...] = ()
    detail_marks: tuple[Span, ...] = ()
    icon: str = ""
    mono: bool = False
    enabled: bool = True
    what: Hit | int | str = ""

    @property
    def can_be_chosen(self) -> bool:
        return self.enabled and self.kind not in ("head", "note")


@dataclass(frozen=True)
class Offer:
    """A command as it stands now. `reason`: why it can't be given, "" where it can."""

    name: str
    text: str
    keys: str = ""
    reason: str = ""
    enabled: bool = True


@dataclass(frozen=True)
class Group:
    """The rows of one kind. `strong`: one of them begins with what was typed. `exact`: one is called so."""

    kind: str
    rows: tuple[Row, ...]
    total: int
    strong: bool = False
    exact: bool = False


def heading(kind: str) -> str:
    return {
        "node": translate("Palette", "Nodes"),
        "leaf": translate("Palette", "Parameters and variables"),
        "module": translate("Palette", "Modules"),
        "line": translate("Palette", "Lines"),
        "shape": translate("Palette", "Shapes"),
        "finding": translate("Palette", "Problems"),
        "command": translate("Palette", "Commands"),
    }[kind]


def listed(
    query: str,
    found: Sequence[Found],
    findings: Sequence[Finding],
    offers: Sequence[Offer],
    wide: Iterable[str] = (),
) -> list[Row]:
    """All rows, those of a kind below their heading. `wide`: kinds to show all of."""
    alone = query.lstrip().startswith(COMMANDS_ONLY)
    words = query.strip().lstrip(COMMANDS_ONLY).casefold().split()
    groups = [] if alone else [_hits(each, words) for each in found]
    if not alone:
        groups.append(_findings(findings, words))
    groups.append(_commands(offers, words, MANY if alone or "command" in wide else FEW))
    groups.sort(key=lambda group: (not group.exact, not group.strong))  # stable: the order of kinds stays
    return [row for group in groups for row in _below_heading(group)]


def _below_heading(group: Group) -> list[Row]:
    if not group.rows:
        return []
    count = len(group.rows)
    words = translate("Palette", "{shown} of {all}").format(shown=count, all=f"{group.total:,}")
    rows = [Row("head", heading(group.kind), right=words if count < group.total else ""), *group.rows]
    if count < min(group.total, MANY):
        more = translate("Palette", "Show {count} more").format(count=min(group.total, MANY) - count)
        rows.append(Row("more", more, what=group.kind))
    return rows


def _hits(found: Found, words: Sequence[str]) -> Group:
    strong = found.kind != "line" and any(_begins(hit.title, words) for hit in found.hits)
    exact = found.kind in ("node", "leaf", "module") and any(
        hit.title.casefold().split() == [*words] for hit in found.hits
    )
    return Group(found.kind, tuple(_hit(hit) for hit in found.hits), found.total, strong, exact)


def _hit(hit: Hit) -> Row:
    right = ""
    if hit.kind in ("line", "shape") and hit.nodes:
        right = nodes_words(len(hit.nodes))
    return Row(
        "hit",
        hit.title,
        hit.detail,
        right,
        hit.marks,
        hit.detail_marks,
        hit.kind,
        hit.kind in ("line", "shape"),
        what=hit,
    )


def nodes_words(count: int) -> str:
    return translate("Palette", "1 node") if count == 1 else translate("Palette", "{count} nodes").format(count=count)


def _findings(findings: Sequence[Finding], words: Sequence[str]) -> Group:
    rows = []
    for at, one in enumerate(findings):
        title = one.title or one.message
        if _holds(" ".join((title, one.message, one.rule, one.node, one.op)), words):
            place = f"{Path(one.file).name}:{one.line}" if one.line else ""
            rows.append(Row("finding", title, place, "", marks_of(title, words), (), one.severity, what=at))
    strong = any(_begins(row.text, words) for row in rows)
    return Group("finding", tuple(rows[:FEW]), min(len(rows), FEW), strong)


def _commands(offers: Sequence[Offer], words: Sequence[str], limit: int) -> Group:
    """Those that can be given first; the others say why not."""
    fitting = [one for one in offers if _holds(one.text, words)]
    fitting.sort(key=lambda one: (not one.enabled, not _begins(one.text, words)))
    rows = [
        Row(
            "command",
            one.text,
            one.reason,
            one.keys,
            marks_of(one.text, words),
            (),
            "command",
            False,
            one.enabled,
            one.name,
        )
        for one in fitting
    ]
    strong = any(_begins(row.text, words) and row.enabled for row in rows)
    return Group("command", tuple(rows[:limit]), len(rows), strong)


def usual_first(offers: Sequence[Offer]) -> list[Offer]:
    """Those that one wants in the middle of the work, before anything is typed."""
    return sorted(offers, key=lambda one: USUAL.index(one.name) if one.name in USUAL else len(USUAL))


def _holds(text: str, words: Sequence[str]) -> bool:
    folded = text.casefold()
    return all(word in folded for word in words)


def _begins(text: str, words: Sequence[str]) -> bool:
    return bool(words) and text.casefold().startswith(words[0])
