"""What each GradientTape has seen: its watched tensors and variables, and the ops that hang on them.

TensorFlow's own tape is out of Python's reach, so its rule is followed here: an op is on the tape when one of its
inputs is watched, or is the result of an op that is, and has a type that gradients flow through. All of it is numbers.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop
from tensorflow.python.eager import tape as tape_module

from gradviz.record.guard import guarded, note_fault
from gradviz.record.patches import Patches
from gradviz.record.tensorflow.leaves import Leaf
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.values import EagerTensor

is_stopped: Callable[[], bool] = pywrap_tfe.TFE_Py_TapeSetIsStopped


class Entry:
    """An op on a tape: what a backward pass needs to know of it."""

    __slots__ = ("call", "flags", "in_ids", "name", "op", "out_ids", "out_specs", "sequence", "thread")

    def __init__(
        self, name: int, op: int, sequence: int, thread: int, call: int, flags: int,
        in_ids: Sequence[int], out_ids: Sequence[int], out_specs: Sequence[int],
    ) -> None:  # fmt: skip
        self.name = name
        self.op = op
        self.sequence = sequence
        self.thread = thread
        self.call = call
        self.flags = flags
        self.in_ids = in_ids
        self.out_ids = out_ids
        self.out_specs = out_specs


class TapeRecord:
    """One tape from its beginning to its end; a tape that is reset begins anew."""

    def __init__(self, persistent: bool, watches_variables: bool, made: tuple[str, int] | None, first_op: int) -> None:
        self.persistent = persistent
        self.watches_variables = watches_variables
        self.made = made  # file and line
        self.first_op = first_op
        self.last_op = -1
        self.used: tuple[str, int] | None = None  # where its gradient() was called first
        self.ids: set[int] = set()  # of tensors that it follows
        self.entries: dict[int, Entry] = {}  # id of a result -> the op that made it
        self.leaves: dict[int, Leaf] = {}  # id of a watched tensor, or of a variable's handle
        self.exits: list[int] = []  # ops that handed a followed tensor to Python or numpy

    def add(self, entry: Entry, trainable: set[int]) -> None:
        """The op is on this tape."""
        for each, spec in zip(entry.out_ids, entry.out_specs):
            self.entries[each] = entry
            if spec in trainable:
                self.ids.add(each)

    def ends(self) -> list[int]:
        """The ids of what nothing else on the tape was computed from."""
        used = {each for entry in self.entries.values() for each in entry.in_ids}
        return [each for each in (*self.entries, *self.leaves) if each in self.ids and each not in used]

    def watch(self, leaf: Leaf) -> None:
        self.ids.add(leaf.id)
        self.leaves.setdefault(leaf.id, leaf)


class Tapes:
    """The tapes of the run, by the GradientTape that each belongs to."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: weakref.WeakKeyDictionary[Any, TapeRecord] = weakref.WeakKeyDictionary()
        self._variables: dict[int, Leaf] = {}  # by id of the handle: made once, each tape watches it anew
        self.stand_in: Any = None  # offer.Offer's tape: it ends where the person's code makes one of its own
        self.made_at: dict[int, int] = {}  # id of a handle -> the stack of the call that made the variable

    def of(self, tape: Any) -> TapeRecord | None:
        return self._known.get(tape)

    def install(self, patches: Patches) -> None:
        """Wrap what begins and ends recording, and what watches."""
        session, owner = self._recorder.session, backprop.GradientTape

        def after(name: str, do: Callable[..., None], target: Any = owner) -> None:
            original = getattr(target, name)

            @functools.wraps(original)
            def patched(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if session.recording:
                    with guarded(session):
                        do(*args, **kwargs)
                return result

            patches.replace(target, name, patched)

        pushing = owner._push_tape

        @functools.wraps(pushing)
        def push(tape: Any) -> Any:
            is_new = tape._tape is None
            if self.stand_in is not None and tape is not self.stand_in:
                self._give_way()
            result = pushing(tape)
            if session.recording:
                with guarded(session):
                    self._pushed(tape, is_new)
            return result

        patches.replace(owner, "_push_tape", push)
        after("_pop_tape", self._popped)
        after("watch", self._watched)
        self._patch_access(patches)

    def _pushed(self, tape: Any, is_new: bool) -> None:
        recorder = self._recorder
        record = self._known.get(tape)
        if is_new or record is None:
            made = recorder.user_place(sys._getframe(1))
            first = next(recorder.op_numbers)  # a number of its own: what has a lower one ran before
            record = TapeRecord(bool(tape._persistent), bool(tape._watch_accessed_variables), made, first)
            self._known[tape] = record
        recorder.state().tapes.append(record)

    def _give_way(self) -> None:
        stand_in, self.stand_in = self.stand_in, None
        if stand_in._recording:
            stand_in._pop_tape()

    def _popped(self, tape: Any) -> None:
        record, tapes = self._known.get(tape), self._recorder.state().tapes
        if record is not None and record in tapes:
            tapes.remove(record)
            record.last_op = next(self._recorder.op_numbers)

    def _watched(self, tape: Any, tensor: Any) -> None:
        record = self._known.get(tape)
        if record is None:
            return
        stack = self._recorder.frames.stack(sys._getframe(1))
        for each in backprop._extract_tensors_and_variables(tensor):
            if hasattr(each, "handle"):
                record.watch(self._leaf_of_variable(each, stack))
            elif isinstance(each, EagerTensor):
                spec = self._recorder.values.spec(each)
                if spec in self._recorder.values.trainable:
                    record.watch(Leaf(each, each._id, spec, stack, False))

    def accessed(self, variable: Any) -> None:
        """A trainable variable was read."""
        tapes = self._recorder.state().tapes
        if not tapes or is_stopped():
            return
        handle = variable.handle
        if not isinstance(handle, EagerTensor):
            return
        for record in tapes:
            if record.watches_variables and handle._id not in record.ids:
                record.watch(self._leaf_of_variable(variable, -1))

    def _patch_access(self, patches: Patches) -> None:
        """Every read of a trainable variable comes by here, so it has to be quick."""
        session, original, original_all = (
            self._recorder.session,
            tape_module.variable_accessed,
            tape_module.variables_accessed,
        )

        @functools.wraps(original)
        def variable_accessed(variable: Any) -> Any:
            result = original(variable)
            if session.recording:
                try:
                    self.accessed(variable)
                except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
                    try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                        note_fault(session, fault)
                    except RecursionError:  # the script is about to reach its limit, and does so by itself
                        pass
            return result

        @functools.wraps(original_all)
        def variables_accessed(variables: Any) -> Any:
            result = original_all(variables)
            with guarded(session):
                for each in variables if session.recording else ():
                    if each.trainable:
                        self.accessed(each)
            return result

        patches.replace(tape_module, "variable_accessed", variable_accessed)
        patches.replace(tape_module, "variables_accessed", variables_accessed)

    def spec_of_variable(self, variable: Any) -> int:
        """The description of what a variable holds."""
        shape = variable.shape
        return self._recorder.values.like(shape.as_list() if shape.rank is not None else ["?"], variable.dtype)

    def _leaf_of_variable(self, variable: Any, stack: int) -> Leaf:
        number = variable.handle._id
        known = self._variables.get(number)
        if known is None or known() is not variable:
            made_at = self.made_at.get(number, stack)
            known = self._variables[number] = Leaf(variable, number, self.spec_of_variable(variable), made_at, True)
        return known
