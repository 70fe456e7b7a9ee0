"""Which entries of a big array are kept for a picture: every k-th per dimension."""

from __future__ import annotations

PER_DIMENSION = 64
MOST = 4096  # entries


def strides_for(shape: list[int], most: int = MOST, per_dimension: int = PER_DIMENSION) -> list[int]:
    """The step per dimension that leaves at most `most` entries, the largest dimensions thinned first."""
    strides = [-(-size // per_dimension) if size > per_dimension else 1 for size in shape]
    kept = [_kept(size, step) for size, step in zip(shape, strides)]
    while _product(kept) > most:
        widest = max(range(len(kept)), key=kept.__getitem__)
        strides[widest] *= 2
        kept[widest] = _kept(shape[widest], strides[widest])
    return strides


def _kept(size: int, step: int) -> int:
    return -(-size // step)


def _product(sizes: list[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
