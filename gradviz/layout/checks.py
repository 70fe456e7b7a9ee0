"""Whether a request makes sense, looked at before it is sent: an engine may take its arrays for granted."""

from __future__ import annotations

import numpy as np

from gradviz.layout.model import Request


def check(request: Request) -> None:
    """Raises ValueError with what is wrong."""
    count, edges, groups = len(request.widths), len(request.tail), len(request.group_parent)
    sizes = np.concatenate([request.widths, request.heights, request.label_sizes.ravel()])
    faults = {
        "heights and widths differ in number": len(request.heights) != count,
        "heads and tails differ in number": len(request.head) != edges,
        "label sizes aren't (edges, 2)": request.label_sizes.shape != (edges, 2),
        "a size isn't a number from 0": not bool((np.isfinite(sizes) & (sizes >= 0)).all()),
        "an edge ends at no node": not _within(request.tail, 0, count) or not _within(request.head, 0, count),
        "groups and nodes differ in number": len(request.group) not in (0, count),
        "a node is in no such group": not _within(request.group, -1, groups),
        "a group is in no such group": not _within(request.group_parent, -1, groups),
        "hints and nodes differ in number": request.rank_hint is not None and len(request.rank_hint) != count,
        "no such direction": request.options.direction not in ("down", "right"),
    }
    found = [words for words, wrong in faults.items() if wrong]
    if not found and _circular(request.group_parent.tolist()):
        found = ["a group is within itself"]
    if found:
        raise ValueError(f"can't be arranged: {'; '.join(found)}")


def _within(values: np.ndarray[tuple[int, ...], np.dtype[np.int32]], low: int, high: int) -> bool:
    return bool(((values >= low) & (values < high)).all())


def _circular(parent: list[int]) -> bool:
    sound = [False] * len(parent)
    for start in range(len(parent)):
        chain = []
        group = start
        while group >= 0 and not sound[group]:
            if group in chain:
                return True
            chain.append(group)
            group = parent[group]
        for passed in chain:
            sound[passed] = True
    return False
