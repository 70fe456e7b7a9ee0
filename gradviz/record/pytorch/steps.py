"""Hooks on the nodes of a pass: one prehook each, seeing the accumulated gradients just before the node runs.

A prehook is enough: the engine makes what a node hands on equal to what the next one expects, and what is handed on is
what the next one receives. A node that raises is one that began and after which nothing did.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any

import torch

from gradviz.record.passrecord import SEVERAL
from gradviz.record.patches import Patches
from gradviz.record.pytorch.keeping import keeping
from gradviz.record.pytorch.passes import TorchPass
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.values import is_wrapped
from gradviz.trace.packing import NODE_LEAF

current_node = torch._C._current_autograd_node
Tensor = torch.Tensor


class NodeHooks:
    """The hooks of one pass; `remove` takes every one of them off again."""

    def __init__(self, recorder: Recorder, record: TorchPass) -> None:
        self._registered: list[dict[Any, Any]] = []  # the hook dictionaries of the nodes
        self._handles: list[Any] = []
        hook = make_prehook(recorder, record)
        self._key = id(hook)
        recorder.hook_sinks[id(hook)] = self._registered
        try:
            append = self._handles.append
            for node in record.graph.nodes:
                handle = node.register_prehook(hook)
                if handle is not None:
                    append(handle)
        except BaseException:  # whatever it is, it goes on
            self.remove()
            raise
        finally:
            del recorder.hook_sinks[id(hook)]

    def remove(self) -> None:
        """Hooks on leaves would outlive the graph."""
        for hooks in self._registered:
            hooks.pop(self._key, None)
        for handle in self._handles:
            handle.remove()
        self._registered.clear()
        self._handles.clear()


def install_registration(recorder: Recorder, patches: Patches) -> None:
    """Spare our own hooks the handle that torch makes for each: it costs as much as all the rest of a registration."""
    mixin = torch.autograd.function._HookMixin
    original = getattr(mixin, "_register_hook", None)
    if original is None:
        return
    sinks = recorder.hook_sinks

    def _register_hook(hooks: Any, hook: Any) -> Any:
        sink = sinks.get(id(hook))
        if sink is None:
            return original(hooks, hook)
        if hooks is None:
            hooks = OrderedDict()
        hooks[id(hook)] = hook  # an address: torch numbers its own from 0
        sink.append(hooks)
        return hooks, None

    patches.replace(mixin, "_register_hook", staticmethod(_register_hook))


def make_prehook(recorder: Recorder, record: TorchPass) -> Callable[[Sequence[Any]], None]:
    """What every node of the pass calls before it runs. It never raises, and returns None: nothing is replaced."""
    graph, values, cells = record.graph, recorder.values, recorder.session.live.cells
    index, flags, leaf = graph.index, graph.flags, NODE_LEAF
    starts, specs = _slots(graph)
    add_step, batches, clock = record.steps.extend, record.batches, perf_counter_ns
    started, strided = record.started, torch.strided
    add = batches.add if batches is not None else None

    def prehook(gradients: Sequence[Any]) -> None:
        if not record.active:
            return
        try:
            node = index[id(current_node())]
            cells[2] = node
            spec = specs[node]
            if spec != SEVERAL and len(gradients) == 1:
                gradient = gradients[0]
                if type(gradient) is Tensor and gradient.layout is strided:
                    version = gradient._version
                    add_step((node, clock() - started, spec, version))
                    if add is not None:
                        if not flags[node]:
                            add(spec, starts[node], gradient, version)
                        else:
                            careful(node, spec, gradient, version)
                    return
            add_step((node, clock() - started, SEVERAL, 0))
            record.several[node] = odd(node, gradients)
        except Exception as fault:  # noqa: BLE001  # a fault of the recorder's must not become the script's
            record.fault = fault

    def careful(node: int, spec: int, gradient: Any, version: int) -> None:
        """Custom functions may write to what they are given, hooks of a leaf to its `.grad`, which that becomes."""
        assert batches is not None
        batches.add(spec, starts[node], gradient, version)
        if not flags[node] & leaf or graph.nodes[node].variable._post_accumulate_grad_hooks:
            batches.flush()

    def odd(node: int, gradients: Sequence[Any]) -> list[int]:
        """Several gradients, none, or one of an unusual kind: spec and version of each."""
        rows: list[int] = []
        for slot, gradient in enumerate(gradients):
            if gradient is None:
                rows += (-1, -1)
                continue
            entry_spec, version = describe_gradient(values, gradient)
            rows += (entry_spec, version)
            if batches is None:
                continue
            if type(gradient) is Tensor and gradient.layout is strided and plain(gradient):
                batches.add(entry_spec, starts[node] + slot, gradient, version)
                if flags[node]:
                    batches.flush()
            else:
                batches.add_odd(starts[node] + slot, gradient)
        return rows

    if batches is not None:
        for node, spec in enumerate(specs):  # kinds that a stack can't hold go the careful way
            if spec != SEVERAL and spec not in values.measurable:
                specs[node] = SEVERAL
        if recorder.session.level == "values":
            return keeping(prehook, recorder, record)
    return prehook


def _slots(graph: Any) -> tuple[list[int], list[int]]:
    """For each node its first slot's number, and what it expects where that is one gradient."""
    starts: list[int] = []
    specs: list[int] = []
    start = 0
    for end in graph.expected_end:
        starts.append(start)
        specs.append(graph.expected[start] if end == start + 1 else SEVERAL)
        start = end
    return starts, specs


def plain(gradient: Any) -> bool:
    """Whether its numbers can be stacked and measured as they are."""
    return bool(
        gradient.is_floating_point()
        and not gradient.is_nested
        and not gradient.is_quantized
        and gradient.device.type != "meta"
        and not is_wrapped(gradient)
    )


def describe_gradient(values: Any, gradient: Any) -> tuple[int, int]:
    """Spec and version of a gradient, of whatever kind."""
    with torch._C.DisableTorchFunctionSubclass():
        spec = values.spec(gradient)
        try:
            version: int | None = gradient._version
        except RuntimeError:  # an inference tensor
            version = -1
    return spec, int(version if version is not None else -1)
