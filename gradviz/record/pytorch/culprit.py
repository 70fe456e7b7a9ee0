"""Which node a failed pass failed at, and whether any node had begun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Optional

from gradviz.record.exceptiontext import message_of
from gradviz.record.ownframes import is_own
from gradviz.record.passrecord import STEP_WIDTH
from gradviz.record.pytorch.passes import TorchPass
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.walk import Graph

CHANGED_BY_HOOK = re.compile(r"^hook '.*' has (changed|returned)|^can't replace a|has changed the (type|size)")
ASKED_FOR_NOTHING = ("One of the differentiated Tensors", "element ")  # no node's fault: there was nothing to derive
# Whose hooks on saved tensors run when a node fetches what it saved, and so within that node.
UNPACKERS = ("utils/checkpoint.py", "utils\\checkpoint.py", "autograd/graph.py", "autograd\\graph.py")
Found = tuple[Optional[int], bool, dict[str, Any]]


class Culprit:
    """Finds it after the fact, from the steps that began, the traceback, and the graph."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def find(self, record: TorchPass, error: BaseException) -> Found:
        """The failing node or None, whether a node began, and what is known of a hook."""
        last = record.last_node()
        began = last >= 0
        message = message_of(error)
        if message.startswith(ASKED_FOR_NOTHING):
            return None, began, {}
        below = _frames_below_engine(error.__traceback__)
        in_custom = any(name == "apply" and file.endswith("function.py") for file, name in below[:1])
        unpacking = any(name.startswith("unpack") and file.endswith(UNPACKERS) for file, name in below[:1])
        by_hook = bool(CHANGED_BY_HOOK.search(message)) or (bool(below) and not in_custom and not unpacking)
        if not by_hook:
            return (last, True, {}) if began else (None, False, {})
        state = self._recorder.state()
        hook = state.last_hook
        state.last_hook = None
        node = next_node(record)
        detail: dict[str, Any] = {}
        if hook is not None:
            detail["hook"] = hook
            at = _hooked_node(record, hook)
            node = at if at is not None else node
        return (node if node is not None else (last if began else None)), True, detail


def _hooked_node(record: TorchPass, hook: dict[str, Any]) -> int | None:
    """The node whose output's hook it was."""
    graph: Graph = record.graph
    if hook["sequence"] is not None and hook["sequence"] in graph.sequence:
        return graph.sequence.index(hook["sequence"])
    return next((node for node, value in graph.leaves.items() if value == hook["value"]), None)


def next_node(record: TorchPass) -> int | None:
    """The node whose turn it was: of those whose consumers have all run, the one that the engine takes first."""
    graph = record.graph
    ran = set(record.steps[::STEP_WIDTH])
    waiting = [0] * len(graph.name)
    for tail, head in zip(graph.tail, graph.head):
        if tail not in ran:
            waiting[head] += 1
    ready = [node for node in range(len(waiting)) if not waiting[node] and node not in ran]
    if not ready:
        return None
    return min(ready, key=lambda node: _turn(graph.sequence, node))


def _turn(sequences: Sequence[int], node: int) -> tuple[int, int]:
    """Leaves first, then the newest."""
    sequence = sequences[node]
    return (0, 0) if sequence < 0 else (1, -sequence)


def _frames_below_engine(tb: TracebackType | None) -> list[tuple[str, str]]:
    """File and function of the Python frames that ran inside the engine, outermost first."""
    found: list[tuple[str, str]] = []
    inside = False
    while tb is not None:
        code = tb.tb_frame.f_code
        if inside and not is_own(code):
            found.append((code.co_filename, code.co_name))
        if code.co_name == "_engine_run_backward" and not is_own(code):
            inside, found = True, []
        tb = tb.tb_next
    return found
