"""Leaves: what functions are differentiated by, their names, and the gradient that arrived there last."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import FrameType
from typing import Any

from gradviz.record.hips.measures import figures_of
from gradviz.record.hips.samples import sample_of
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.values import ndarray, unboxed
from gradviz.record.names import variable_names
from gradviz.trace.packing import STATS

LARGEST_KEPT = 4096  # entries of a gradient whose numbers are kept for a picture


class Leaf:
    """What one trace differentiates by."""

    __slots__ = ("_argument", "_value", "number", "spec", "stack")

    def __init__(self, value: Any, spec: int, stack: int, argument: str) -> None:
        raw = unboxed(value)
        self._value: Any = weakref.ref(raw) if type(raw) is ndarray else raw if type(raw) is float else None
        self._argument = argument
        self.spec = spec
        self.stack = stack
        self.number = -1

    def __call__(self) -> Any:
        value = self._value
        return value() if isinstance(value, weakref.ref) else value

    @property
    def argument(self) -> str:
        """The parameter of the function that it was given for."""
        return self._argument


class Leaves:
    """The leaf table: equal leaves of a loop's passes are one row."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._names: dict[tuple[Any, ...], str] = {}  # stack, spec and parameter -> name
        self._ids: dict[tuple[Any, int], int] = {}
        self._arrived: dict[int, tuple[int, Any]] = {}  # leaf id -> spec, gradient

    def find_names(self, entries: Mapping[int, Leaf], frame: FrameType | None) -> None:
        """Name leaves by the variables that hold them in the user's frames, else by the function's parameter."""
        recorder = self._recorder
        values = {leaf.number: (leaf, leaf()) for leaf in entries.values()}
        things = {id(value): value for _, value in values.values() if value is not None}
        found = variable_names(things, frame, recorder.frames.is_user, recorder.session.namespace()) if things else {}
        for leaf, value in values.values():
            self._names[_place(leaf)] = found.get(id(value)) or leaf.argument

    def leaf_id(self, entry: Leaf, in_graph: bool) -> int:
        """The leaf's id; its row is made the first time."""
        key = self._key(entry)
        number = self._ids.get(key)
        if number is None:
            number = self._ids[key] = self._recorder.writer.add(
                "leaf",
                value=entry.number,
                name=self._names.get(_place(entry), entry.argument),
                kind="variable",
                module=None,
                spec=entry.spec,
                requires_grad=1,
                stack=entry.stack if entry.stack >= 0 else None,
                in_graph=int(in_graph),
            )
        return number

    def _key(self, entry: Leaf) -> tuple[Any, int]:
        return self._names.get(_place(entry)) or entry.stack, entry.spec

    def arrived(self, entry: Leaf, spec: int, gradient: Any, measured: bool) -> None:
        """A pass ended at this leaf. A small gradient is copied and looked at when the recording ends, a big one held
        weakly: what becomes of it until then is the script's affair.
        """
        number = self._ids.get(self._key(entry))
        if number is None:
            return
        raw = unboxed(gradient)
        kept: Any = None
        if measured and isinstance(raw, ndarray):
            kept = raw.copy() if raw.size <= LARGEST_KEPT else weakref.ref(raw)
        elif measured and isinstance(raw, float):
            kept = raw
        self._arrived[number] = (spec, kept)

    def write_end(self) -> None:
        """The gradient that each got last."""
        for number, (spec, kept) in self._arrived.items():
            columns: dict[str, Any] = {"grad_spec": spec}
            gradient = kept() if isinstance(kept, weakref.ref) else kept
            figures = figures_of(gradient) if gradient is not None else None
            if figures is not None:
                columns["grad_stats"] = STATS.pack(*figures)
                sample = sample_of(gradient)
                if sample is not None:
                    self._recorder.writer.add("sample", step=None, slot=number, role="leaf-grad", spec=spec, **sample)
            self._recorder.writer.update("leaf", number, **columns)


def _place(entry: Leaf) -> tuple[Any, ...]:
    return entry.stack, entry.spec, entry.argument
