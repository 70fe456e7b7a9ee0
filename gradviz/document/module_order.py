"""In which order modules stand under each other, and which of them a filter leaves. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradviz.document.leaf_gradients import Fate
from gradviz.document.module_tree import ModuleTree

SORTS = ("name", "shapes", "parameters", "own", "gradient", "state")
_DIGITS = re.compile(r"(\d+)")
# What has no number comes after all numbers, the most remarkable first.
_BEYOND = {Fate.NAN: 4, Fate.INFINITE: 3, Fate.MEASURED: 2, Fate.ZERO: 2, Fate.MISSING: 1}
Words = Mapping[Fate, str]  # what a filter may ask for, of the innermost modules: those around hold one of each


@dataclass(frozen=True)
class Arrangement:
    """What is shown of a tree: the modules under each (-1: at the top), and the place of each among its siblings."""

    under: dict[int, tuple[int, ...]]
    row: dict[int, int]


def arranged(
    tree: ModuleTree, sort: str = "", falling: bool = False, needle: str = "", words: Words | None = None
) -> Arrangement:
    """`sort` "": as the model holds them. A filter keeps what it finds, what is inside, and the way to it."""
    kept = _kept(tree, needle.strip().casefold(), words or {})
    place = _places(tree, sort) if sort else None
    under: dict[int, tuple[int, ...]] = {}
    row: dict[int, int] = {}
    for above in (-1, *tree.forest.order.tolist()):
        children = tree.roots if above < 0 else tree.forest.children[above]
        if not children:
            continue
        shown = children if kept is None else tuple(child for child in children if kept[child])
        if place is not None and len(shown) > 1:
            shown = tuple(sorted(shown, key=place.__getitem__, reverse=falling))
        if shown:
            under[above] = shown
            row.update(zip(shown, range(len(shown))))
    return Arrangement(under, row)


def _kept(tree: ModuleTree, needle: str, words: Words) -> list[bool] | None:
    """None: all."""
    if not needle:
        return None
    asked = [fate for fate, word in words.items() if needle in word.casefold()]
    innermost = tree.forest.end == tree.forest.place + 1
    by_fate = (innermost & (tree.fates[:, asked] > 0).any(axis=1)).tolist()
    texts, parent, order = tree.texts, tree.forest.parent.tolist(), tree.forest.order.tolist()
    found = [False] * len(tree)
    for number in order:  # what is inside comes with it
        above = parent[number]
        found[number] = needle in texts[number] or by_fate[number] or (above >= 0 and found[above])
    for number in order[::-1]:  # and so does the way to it
        if found[number] and parent[number] >= 0:
            found[parent[number]] = True
    return found


def _places(tree: ModuleTree, sort: str) -> list[int]:
    """The place of each module in the order of all; of equal ones, as the model holds them."""
    count = len(tree)
    if sort in ("name", "shapes"):
        texts = [tree.name(tree.module(number)) if sort == "name" else tree.shapes(number) for number in range(count)]
        keys = [_natural(text) for text in texts]
        order = sorted(range(count), key=keys.__getitem__)
    else:
        order = np.lexsort(_columns(tree, sort)).tolist()
    place = [0] * count
    for at, number in enumerate(order):
        place[number] = at
    return place


def _columns(tree: ModuleTree, sort: str) -> tuple[NDArray[np.generic], ...]:
    """The last one counts most."""
    if sort == "parameters":
        return (np.array([tree.module(number).parameters for number in range(len(tree))]),)
    if sort == "own":
        return (tree.own,)
    rank = np.array([*(_BEYOND.get(fate, 0) for fate in Fate), -1])[tree.fate]  # NOTHING looks up the last
    if sort == "state":
        return tree.fates[:, Fate.FROZEN], tree.fates[:, Fate.MISSING], rank
    return tree.squares, rank


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """'layers.10' after 'layers.9'."""
    parts = _DIGITS.split(text.casefold())
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)
