"""Between what is hit in a scene and what is selected in the hub, both ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradviz.diagnose.finding import Mark
from gradviz.document.hub import Selection
from gradviz.draw.view import View
from gradviz.gui.canvas import camera
from gradviz.gui.canvas.hits import NOTHING, Hit
from gradviz.gui.canvas.loader import Loaded
from gradviz.scene.marks import edges_of
from gradviz.scene.model import NO_EDGE, Card, Kind


def selection_of(loaded: Loaded, found: Hit) -> Selection:
    """What the hub calls the thing that was hit."""
    draft = loaded.scene.draft
    if found.kind == "box":
        kind, box = int(draft.kind[found.at]), found.at
        if kind == Kind.GROUP:
            return group_of(loaded, int(draft.card[box]))
        if kind == Kind.SEED:
            return _seed(loaded, int(np.flatnonzero(draft.tail == box)[0]))
        if kind == Kind.CONSTANT:
            return _constant(loaded, box)
        return Selection("node", node=int(draft.node[box]))
    if found.kind == "frame":
        return group_of(loaded, draft.open_cards[found.at])
    if found.kind == "edge":
        edge = int(draft.edge[found.at])
        if edge == NO_EDGE:
            return _constant(loaded, int(draft.head[found.at]))
        if edge < 0:
            return _seed(loaded, found.at)
        graph = loaded.build.graph
        return Selection("edge", node=int(graph.head[edge]), tail=int(graph.tail[edge]), slot=int(graph.slot[edge]))
    return Selection()


def group_of(loaded: Loaded, card: int) -> Selection:
    """A module's group by its path, a stack with its modules; a loop's with its nodes, which nobody else can tell."""
    draft = loaded.scene.draft
    one = draft.cards[card]
    if one.copies and not one.is_code:
        modules = tuple(dict.fromkeys(_modules_of_stack(draft.cards, card)))
        return Selection("group", path=one.path, title=one.title, modules=modules)
    if not one.is_code:
        return Selection("group", path=one.path, module=one.module)
    inside = np.zeros(len(draft.cards) + 1, bool)
    for at, each in enumerate(draft.cards):
        inside[at] = at == card or (each.parent >= 0 and inside[each.parent])
    nodes = np.flatnonzero(inside[draft.card_of])
    return Selection("group", path=one.path, title=one.title, nodes=tuple(nodes.tolist()))


def _modules_of_stack(cards: tuple[Card, ...], stack: int) -> Iterator[int]:
    """Those side by side in it, whatever sections they were put in."""
    within = {stack}
    for at, card in enumerate(cards):  # parents come first
        if card.parent in within:
            if card.module >= 0:
                yield card.module
            elif card.is_code:
                within.add(at)


def hit_of(loaded: Loaded, selection: Selection) -> Hit:
    """Where the scene shows what is selected; NOTHING where it doesn't."""
    draft = loaded.scene.draft
    if selection.kind == "node" and 0 <= selection.node < len(draft.box_of):
        return Hit("box", int(draft.box_of[selection.node]))
    if selection.kind in ("edge", "seed"):
        mark = Mark(selection.kind, selection.node, selection.slot, selection.tail)
        edges = edges_of(draft, loaded.build.graph, mark)
        return Hit("edge", edges[0]) if edges else NOTHING
    if selection.kind == "group":
        for at, card in enumerate(draft.open_cards):
            if _stands_for(draft.cards[card], selection):
                return Hit("frame", at)
        return _folded_round(loaded, selection)
    return NOTHING


def _stands_for(card: Card, selection: Selection) -> bool:
    """A module's group by the module, as several models may have the same paths; a stack by the path of its first."""
    return card.module == selection.module if selection.module >= 0 else card.path == selection.path


def _folded_round(loaded: Loaded, selection: Selection) -> Hit:
    """The folded group that is selected, or the one that it is folded away in."""
    draft = loaded.scene.draft
    boxes = {int(draft.card[box]): box for box in np.flatnonzero(draft.card >= 0).tolist()}
    for at, one in enumerate(draft.cards):
        card = at if _stands_for(one, selection) else -1
        while card >= 0:
            if card in boxes:
                return Hit("box", boxes[card])
            card = draft.cards[card].parent
    return NOTHING


def groups_round(loaded: Loaded, node: int) -> frozenset[str]:
    """The keys of all groups that a node of the pass is in."""
    draft = loaded.scene.draft
    card, keys = int(draft.card_of[node]), set()
    while card >= 0:
        keys.add(draft.cards[card].key)
        card = draft.cards[card].parent
    return frozenset(keys)


def boxes_of_selection(loaded: Loaded, selection: Selection) -> tuple[int, ...]:
    """The boxes of all nodes that a source line made."""
    if selection.kind != "line":
        return ()
    nodes = loaded.lines.get((selection.path, selection.line), ())
    return tuple(dict.fromkeys(int(loaded.scene.draft.box_of[node]) for node in nodes))


def place_of_hit(loaded: Loaded, found: Hit, view: View) -> int:
    """The box to look at for a hit, of an edge that is looked at already the end that is; -1 none."""
    if found.kind == "box":
        return found.at
    if found.kind == "edge":
        tail, scene = int(loaded.scene.draft.tail[found.at]), loaded.scene
        seen = camera.in_middle(view, float(scene.x[tail]), float(scene.y[tail]), 0.9)
        return tail if seen else int(scene.draft.head[found.at])
    return -1


def _seed(loaded: Loaded, edge: int) -> Selection:
    number = -1 - int(loaded.scene.draft.edge[edge])
    roots = next(one.roots for one in loaded.order.trace.passes() if one.id == loaded.order.pass_id)
    root = roots[number]
    return Selection("seed", node=root.node, slot=root.slot)


def _constant(loaded: Loaded, box: int) -> Selection:
    """The line where the constant was made."""
    line = loaded.scene.draft.constants.get(box, 0)
    host = loaded.scene.draft.tail[loaded.scene.draft.head == box]
    badges = {badge.box: badge.finding for badge in loaded.scene.draft.badges}
    finding = badges.get(int(host[0]), -1) if len(host) else -1
    if not line or not 0 <= finding < len(loaded.order.findings):
        return Selection()
    return Selection("line", path=loaded.order.findings[finding].file, line=line)
