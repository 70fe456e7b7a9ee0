"""What the parts of the torch recorder share: one Recorder for the run, one ThreadState for each thread."""

from __future__ import annotations

import itertools
from array import array
from threading import get_ident
from typing import Any

import torch

from gradviz.record.frontend import Session
from gradviz.record.oplog import OpLog
from gradviz.record.pytorch.arguments import Arguments
from gradviz.record.pytorch.functions import Functions
from gradviz.record.pytorch.values import Values
from gradviz.record.recorder import FrameworkRecorder

SEQUENCES_KEPT = 4_000_000  # node -> op for the newest nodes of a thread: 4 bytes each

FEW = 8  # nodes: appended one by one they cost less

sequence_number = torch._C._autograd._get_sequence_nr


class ThreadState:
    """One thread's place in its forward and backward passes."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.ident = get_ident()
        self.log = OpLog(number)
        self.mode: Any = None  # the function mode entered in this thread
        self.calls: list[Any] = []  # modules.OpenCall, outermost first
        self.call = -1  # number of the innermost module call
        self.outer_stack = -1  # where that was called from
        self.inside = 0  # depth of custom forwards and backwards: what they compute has no nodes
        self.passes: list[Any] = []  # engine.Pass that run in this thread, outermost first
        self.given: Any = None  # outputs and seeds as the user gave them, from _make_grads to the engine
        self.last_hook: Any = None  # the user's tensor hook that was called last: hooks.WatchedHook.told
        self.last_error = 0  # id of the exception that is on its way out
        self.first_sequence = sequence_number()
        self.sequences = array("i")  # op of each node made since, by sequence number
        self.sequence_calls = array("i")  # and its module call
        self.sequence_specs = array("i")  # what its one output looks like, -1 where it has several or that isn't sure

    def made(self, before: int, after: int, op: int, spec: int = -1) -> None:
        """The nodes numbered before .. after - 1 were made in `op`, those excepted that an op inside it made."""
        sequences = self.sequences
        length = self.first_sequence + len(sequences)
        if before == length and after == before + 1:
            sequences.append(op)
            self.sequence_calls.append(self.call)
            self.sequence_specs.append(spec)
            return
        for at in range(max(before - self.first_sequence, 0), min(after - self.first_sequence, len(sequences))):
            if sequences[at] == -1:
                sequences[at] = op
                self.sequence_calls[at] = self.call
        if before > length:  # made by what no record tells of
            self._append(before - length, -1, -1)
        self._append(after - max(before, length), op, self.call)

    def trim(self) -> None:
        """Forget the oldest nodes when there are very many."""
        if len(self.sequences) > SEQUENCES_KEPT:
            for column in (self.sequences, self.sequence_calls, self.sequence_specs):
                del column[: SEQUENCES_KEPT // 2]
            self.first_sequence += SEQUENCES_KEPT // 2

    def _append(self, count: int, op: int, call: int) -> None:
        if count > FEW:
            self.sequences.extend([op] * count)
            self.sequence_calls.extend([call] * count)
            self.sequence_specs.extend([-1] * count)
            return
        for _ in range(count):
            self.sequences.append(op)
            self.sequence_calls.append(call)
            self.sequence_specs.append(-1)

    def place_of(self, sequence: int) -> tuple[int, int]:
        """Op and module call that made the node of this sequence number in this thread, -1 unknown."""
        at = sequence - self.first_sequence
        return (self.sequences[at], self.sequence_calls[at]) if 0 <= at < len(self.sequences) else (-1, -1)


class Recorder(FrameworkRecorder[ThreadState]):
    """The run's recorder: where its parts find each other."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, ThreadState)
        self.values = Values(session.writer)
        self.functions = Functions(session.writer)
        self.arguments = Arguments(session.writer, session.frames)
        self.call_numbers = itertools.count()
        self.saved_names: dict[type, tuple[str, ...]] = {}  # attributes of a kind of node for its saved tensors
        self.hook_sinks: dict[int, list[dict[Any, Any]]] = {}  # id of a hook being registered -> where its nodes' go
        self.roots_seen: set[int] = set()  # values that a backward was called from
        self.differentiated = False  # the function target ran a backward itself, or a grad that makes no graph
        self.new_leaves: dict[int, int] = {}  # value of a leaf that an op made or met -> stack
