"""Which step of a pass executed which node, and at which node it ended.

Position k of a pass means: k steps have run; the node of step k (counted from 0) is the current one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.model import Backward

NO_FAILURE = -1
ENDED = ("completed", "refused", "raised", "interrupted")


def failed_node(backward: Backward) -> int:
    """The node that raised, or was running when the process ended; -1 for none."""
    for node in (backward.failed_node, backward.running_node):
        if node is not None:
            return node
    return NO_FAILURE


def first_steps(count: int, order: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each of `count` nodes the first step that executed it, -1 for none."""
    ran_at = np.full(count, -1, np.int64)
    ran_at[order[::-1]] = np.arange(len(order) - 1, -1, -1)
    return ran_at
