"""Leaves: parameters and variables that gradients are accumulated into, their names, their `.grad` at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Any

import torch

from gradviz.record.names import variable_names
from gradviz.record.pytorch.batches import Batches
from gradviz.record.pytorch.modules import ModuleCalls
from gradviz.record.pytorch.samples import PER_DIMENSION_OF_LEAF, sample_of
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.values import Known
from gradviz.trace.packing import STATS, VALUE_PARAMETER, VALUE_REQUIRES_GRAD

MOST_LEAVES = 20_000


class Leaves:
    """The leaf table."""

    def __init__(self, recorder: Recorder, modules: ModuleCalls) -> None:
        self._recorder = recorder
        self._modules = modules
        self._ids: dict[int, int] = {}  # value -> leaf id
        self._names: dict[int, str] = {}  # value -> variable
        self._in_graph: set[int] = set()

    def unnamed(self, values: Iterable[int]) -> list[int]:
        """Those of these leaves that neither a module nor a variable has named yet."""
        parameters, names = self._modules.parameters, self._names
        return [value for value in values if value not in parameters and value not in names]

    def parameters(self) -> AbstractSet[int]:
        """Values of the parameters of modules that were called."""
        return self._modules.parameters.keys()

    def find_names(self, tensors: Mapping[int, Any], frame: FrameType | None) -> None:
        """Name leaves (value -> tensor) by the variables that hold them in the user's frames."""
        recorder = self._recorder
        things = {id(tensor): tensor for tensor in tensors.values()}
        found = variable_names(things, frame, recorder.frames.is_user, recorder.session.namespace())
        for value, tensor in tensors.items():
            name = found.get(id(tensor))
            if name is not None:
                self._names[value] = name

    def leaf_id(self, entry: Known, in_graph: bool) -> int:
        """The leaf's id; its row is made the first time."""
        value = entry.number
        number = self._ids.get(value)
        if number is None:
            number = self._ids[value] = self._add(entry, in_graph)
        elif in_graph and value not in self._in_graph:
            self._recorder.writer.update("leaf", number, in_graph=1)
        if in_graph:
            self._in_graph.add(value)
        return number

    def _add(self, entry: Known, in_graph: bool) -> int:
        path, module = self._modules.parameters.get(entry.number, (None, None))
        is_parameter = path is not None or entry.flags & VALUE_PARAMETER
        stack = self._recorder.new_leaves.get(entry.number, -1)
        return self._recorder.writer.add(
            "leaf",
            value=entry.number,
            name=path or self._names.get(entry.number, ""),
            kind="parameter" if is_parameter else "variable",
            module=module,
            spec=entry.spec,
            requires_grad=int(bool(entry.flags & VALUE_REQUIRES_GRAD)),
            stack=stack if stack >= 0 else None,
            in_graph=int(in_graph),
        )

    def write_end(self) -> None:
        """The state of every leaf's `.grad` when the script is over."""
        recorder = self._recorder
        alive: dict[int, Any] = {}
        entries = list(recorder.values.known.values())
        wanted = self._modules.parameters.keys() | recorder.new_leaves.keys() | self._ids.keys()
        for entry in entries:
            tensor = entry() if entry.number in wanted else None
            if tensor is not None and tensor.is_leaf and len(alive) < MOST_LEAVES:
                recorder.values.describe(tensor, entry)
                alive[entry.number] = tensor
        self.find_names({value: alive[value] for value in self.unnamed(alive)}, None)
        self._write_gone(entries)
        gradients = self._gradients(alive)
        for value, tensor in alive.items():
            self._write_one(recorder.values.lookup(tensor), value, tensor, gradients.get(value))

    def _write_gone(self, entries: Iterable[Known]) -> None:
        """Parameters that no graph ever held and that went with the function they lived in, as a `main()` is one: that
        they were there and asked for a gradient is known; a `.grad` that nothing accumulated into isn't.
        """
        parameters = self._modules.parameters
        for entry in entries:
            if len(self._ids) >= MOST_LEAVES:
                return
            missing = entry.number in parameters and entry.number not in self._ids
            if missing and entry.flags & VALUE_REQUIRES_GRAD and entry() is None:
                self.leaf_id(entry, False)

    def _gradients(self, alive: Mapping[int, Any]) -> dict[int, bytes]:
        """Statistics of each leaf's gradient, all measured together."""
        values = self._recorder.values
        if self._recorder.session.level == "shapes":
            return {}
        batches = Batches()
        measured: list[int] = []
        for value, tensor in alive.items():
            gradient = tensor.grad
            if gradient is None:
                continue
            spec = values.spec(gradient)
            if spec in values.measurable and type(gradient) is torch.Tensor:
                batches.add(spec, len(measured), gradient, gradient._version)
            else:
                batches.add_odd(len(measured), gradient)
            measured.append(value)
        columns = batches.columns(len(measured))
        return {value: STATS.pack(*(column[at] for column in columns)) for at, value in enumerate(measured)}

    def _write_one(self, entry: Known, value: int, tensor: Any, stats: bytes | None) -> None:
        recorder = self._recorder
        number = self.leaf_id(entry, False)
        path = self._modules.parameters.get(value, (None, None))[0]
        columns: dict[str, Any] = {
            "name": path or self._names.get(value, ""),
            "requires_grad": int(bool(entry.flags & VALUE_REQUIRES_GRAD)),
            "spec": entry.spec,
        }
        gradient = tensor.grad
        if gradient is not None:
            columns["grad_spec"] = spec = recorder.values.spec(gradient)
            if stats is not None:
                columns["grad_stats"] = stats
                sample = sample_of(gradient, per_dimension=PER_DIMENSION_OF_LEAF)
                if sample is not None:
                    recorder.writer.add("sample", step=None, slot=number, role="leaf-grad", spec=spec, **sample)
        recorder.writer.update("leaf", number, **columns)
