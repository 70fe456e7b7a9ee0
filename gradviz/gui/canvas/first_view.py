"""How far open a graph is shown that nobody has looked at yet: as far as it fits the window and can be read."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.draw.nearby import Area
from gradviz.scene.model import Draft

FITS_AT = 0.6  # the zoom from which on both lines of a box are written
WORTH = 1.25  # folded further, where even that doesn't fit, only for so much more zoom
NEARLY, MUCH = 0.8, 2  # of the zoom that is needed; so many times the boxes that would be left
MOST_NODES = 5000  # of a graph that is built several times to find out


def coarser(draft: Draft, opened: frozenset[str]) -> frozenset[str] | None:
    """The next step of folding: first the modules that hold no others, then the innermost that are open, and so on.

    None where nothing is open.
    """
    shown, cards = set(draft.open_cards), draft.cards
    holders = {card.parent for card in cards}
    innermost = [at for at in shown if at not in holders] or [
        at for at in shown if not any(cards[other].parent == at for other in shown)
    ]
    return opened - {cards[at].key for at in innermost} if innermost else None


def zoom_to_fit(bounds: Area, viewport: tuple[float, float]) -> float:
    """Of a drawing, as a part of the zoom at which it would fill `viewport` px of the scene."""
    across, down = max(bounds[2] - bounds[0], 1.0), max(bounds[3] - bounds[1], 1.0)
    return min(viewport[0] / across, viewport[1] / down)


def best(zooms: Sequence[float], boxes: Sequence[int], needed: float) -> int:
    """Which of these, each folded further than the one before: the first that can be read, else the largest.

    One that is but a little too large stays where folding on would leave next to nothing of it.
    """
    for at, zoom in enumerate(zooms):
        if zoom >= needed:
            nearly = at > 0 and zooms[at - 1] >= NEARLY * needed and boxes[at - 1] >= MUCH * boxes[at]
            return at - 1 if nearly else at
    largest = max(range(len(zooms)), key=lambda at: zooms[at])
    return largest if zooms[largest] >= WORTH * zooms[0] else 0
