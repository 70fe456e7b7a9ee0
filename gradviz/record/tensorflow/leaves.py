"""Leaves: what tapes watch, their names, and the gradient that arrived there last."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import FrameType
from typing import Any

from gradviz.record.arraysamples import sample_of_array
from gradviz.record.names import variable_names
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.values import FIRST_VALUE, numpy
from gradviz.trace.packing import STATS

LARGEST_KEPT = 4096  # entries of a gradient whose numbers are kept for a picture
UNTOLD = ("Variable", "variable")  # what TensorFlow and Keras call a variable without a name


class Leaf:
    """A watched tensor, or a variable."""

    __slots__ = ("_value", "id", "is_variable", "number", "own_name", "spec", "stack")

    def __init__(self, value: Any, number: int, spec: int, stack: int, is_variable: bool) -> None:
        self._value = weakref.ref(value)
        self.id = number  # as TensorFlow numbers tensors: of a variable, that of its handle
        self.number = FIRST_VALUE + number
        self.spec = spec
        self.stack = stack
        self.is_variable = is_variable
        name = str(value.name).partition(":")[0] if is_variable else ""
        self.own_name = "" if name in UNTOLD else name

    def __call__(self) -> Any:
        return self._value()


class Leaves:
    """The leaf table."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.parameters: dict[int, tuple[str, int]] = {}  # value of a layer's variable -> its path, its module's id
        self.labels: dict[int, str] = {}  # the same -> its path from the variable that holds the outermost layer
        self._names: dict[int, str] = {}
        self._ids: dict[Any, int] = {}
        self._arrived: dict[int, tuple[int, Any, Any]] = {}  # leaf id -> spec, figures, array

    def find_names(self, entries: Mapping[int, Leaf], frame: FrameType | None) -> None:
        """Name leaves by the variables that hold them in the user's frames."""
        recorder = self._recorder
        unnamed = [e for e in entries.values() if e.number not in self._names and e.number not in self.parameters]
        things = {id(value): value for value in (leaf() for leaf in unnamed) if value is not None}
        if not things:
            return
        found = variable_names(things, frame, recorder.frames.is_user, recorder.session.namespace())
        for leaf in unnamed:
            self._names[leaf.number] = found.get(id(leaf()), leaf.own_name)

    def name_of(self, leaf: Leaf) -> str:
        path = self.parameters.get(leaf.number, ("", 0))[0]
        return path or self._names.get(leaf.number, "") or leaf.own_name

    def label_of(self, leaf: Leaf) -> str:
        """What a sentence calls it: two layers may each have a kernel."""
        return self.labels.get(leaf.number) or self.name_of(leaf)

    def leaf_id(self, entry: Leaf, in_graph: bool) -> int:
        """The leaf's id; its row is made the first time. Tensors that a loop watches anew each time are one leaf."""
        name = self.name_of(entry)
        key = entry.number if entry.is_variable else (name or entry.stack, entry.spec)
        number = self._ids.get(key)
        if number is None:
            module = self.parameters.get(entry.number, ("", None))[1]
            number = self._ids[key] = self._recorder.writer.add(
                "leaf",
                value=entry.number,
                name=name,
                kind="parameter" if module is not None else "variable",
                module=module,
                spec=entry.spec,
                requires_grad=1,
                stack=entry.stack if entry.stack >= 0 and module is None else None,
                in_graph=int(in_graph),
            )
        self._ids[entry.number] = number
        return number

    def arrived(self, entry: Leaf, spec: int, figures: Any, gradient: Any) -> None:
        """A pass ended at this leaf."""
        number = self._ids.get(entry.number)
        if number is not None and spec >= 0:
            small = figures is not None and gradient is not None and gradient.size < LARGEST_KEPT
            self._arrived[number] = (spec, figures, gradient.copy() if small else None)

    def write_end(self) -> None:
        """The gradient that each got last."""
        for number, (spec, figures, gradient) in self._arrived.items():
            columns: dict[str, Any] = {"grad_spec": spec}
            if figures is not None:
                columns["grad_stats"] = STATS.pack(*figures)
                sample = sample_of_array(numpy, gradient) if gradient is not None else None
                if sample is not None:
                    self._recorder.writer.add("sample", step=None, slot=number, role="leaf-grad", spec=spec, **sample)
            self._recorder.writer.update("leaf", number, **columns)
