"""Module calls: `nn.Module.__call__` is wrapped, paths come from the outermost module that was called.

Wrapped rather than hooked: with global hooks torch takes another road through `_call_impl`, whose frames then stand in
tracebacks.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import torch

from gradviz.record.names import variable_name
from gradviz.record.oplog import CALL_COMPLETED
from gradviz.record.pytorch.guard import note_fault
from gradviz.record.pytorch.state import Recorder, ThreadState

Module = torch.nn.Module
Tensor = torch.Tensor
Failed = Callable[[BaseException, Any, int, Iterable[Any]], None]
OUT_SPEC = 5  # position in a call's row


class OpenCall:
    """A module's forward that is running."""

    __slots__ = ("children", "number", "place", "root")

    def __init__(self, number: int, root: Root, place: Place) -> None:
        self.number = number
        self.root = root
        self.place = place
        self.children: dict[int, int] | None = None  # id of a child -> how often it was called from here


class Place:
    """A module instance under one path of its root."""

    __slots__ = ("id", "path")

    def __init__(self, number: int, path: str) -> None:
        self.id = number
        self.path = path


class Root:
    """An outermost module, with the places of all modules in it. Holds no module."""

    def __init__(self) -> None:
        self.places: dict[int, list[Place]] = {}  # by id of the module
        self.by_path: dict[str, Place] = {}


class ModuleCalls:
    """Knows the modules and writes their rows; parameters get their names here."""

    def __init__(self, recorder: Recorder, failed: Failed) -> None:
        self._recorder = recorder
        self._failed = failed
        self._roots: dict[int, tuple[Any, Root]] = {}  # id of the outermost module -> (weak reference, its places)
        self.parameters: dict[int, tuple[str, int]] = {}  # value of a parameter -> its path, its module's id

    def call(self, original: Callable[..., Any], module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the module's call and record it."""
        recorder = self._recorder
        state = recorder.state()
        parent, outer, log = state.call, state.outer_stack, state.log
        row = -1
        try:
            row = self._begin(state, module, sys._getframe(2), args, kwargs)
        except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
            try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                note_fault(recorder, fault)
            except RecursionError:  # the script is about to reach its limit, and does so by itself
                pass
        if row < 0:  # called out here, so that an exception of the script's doesn't get ours as its context
            return original(module, *args, **kwargs)
        number = state.call
        try:
            result = original(module, *args, **kwargs)
        except BaseException as error:  # the script's: noted, and it goes on
            if log.calls[row : row + 1] == [number]:  # else it was written meanwhile
                log.calls[row + CALL_COMPLETED] = 0
            if state.last_error != id(error) and isinstance(error, Exception):
                try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                    self._failed(error, module, state.outer_stack, (*args, *kwargs.values()))
                except RecursionError:  # the script is about to reach its limit, and does so by itself
                    pass
            raise
        finally:
            state.calls.pop()
            state.call, state.outer_stack = parent, outer
        out = result if isinstance(result, Tensor) else _first_tensor(result)
        if out is not None and log.calls[row : row + 1] == [number]:
            entry = recorder.values.known.get(id(out))
            log.calls[row + OUT_SPEC] = entry.spec if entry is not None and entry() is out else -1
        return result

    def _begin(self, state: ThreadState, module: Any, frame: FrameType, args: Any, kwargs: Any) -> int:
        """Open the call; where its row begins in the log."""
        recorder, calls, log = self._recorder, state.calls, state.log
        stack = recorder.frames.stack(frame, state.outer_stack, MODULE_CALL)
        place: Place
        if calls:
            root = calls[-1].root
            places = root.places.get(id(module))
            if places is not None and len(places) == 1:
                place = places[0]
            else:
                with torch._C.DisableTorchFunction():  # no mode shall see what we read
                    place = self._place(calls[-1], module)
        else:
            root = self._root(module, frame)
            place = root.by_path[""]
        first = args[0] if args and isinstance(args[0], Tensor) else _first_tensor(args or kwargs)
        in_spec = -1
        if first is not None:
            entry = recorder.values.known.get(id(first))
            if entry is None or entry() is not first:
                with torch._C.DisableTorchFunction():
                    entry = recorder.values.lookup(first)
            in_spec = entry.spec
        number = next(recorder.call_numbers)
        row = len(log.calls)
        log.calls += (number, place.id, state.call, stack, in_spec, -1, 1)
        calls.append(OpenCall(number, root, place))
        state.call, state.outer_stack = number, stack
        return row

    def _root(self, module: Any, frame: FrameType) -> Root:
        known = self._roots.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        with torch._C.DisableTorchFunction():
            return self._new_root(module, frame)

    def _new_root(self, module: Any, frame: FrameType) -> Root:
        root = Root()
        self._roots[id(module)] = (weakref.ref(module), root)
        name = variable_name(module, frame, self._recorder.frames.is_user, self._recorder.session.namespace())
        self._learn(root, module, name)
        return root

    def _learn(self, root: Root, module: Any, root_name: str | None) -> None:
        """Rows for the module and all inside it that have none yet, names for their parameters."""
        modules = list(module.named_modules(remove_duplicate=False))
        counts = count_parameters(modules)
        for path, each in modules:
            if path in root.by_path:
                continue
            parent = root.by_path.get(path.rpartition(".")[0]) if path else None
            number = self._add(each, path, None if parent is None else parent.id, root_name, counts[path])
            place = root.by_path[path] = Place(number, path)
            root.places.setdefault(id(each), []).append(place)
            for name, parameter in each._parameters.items():
                if parameter is not None:
                    full = f"{path}.{name}" if path else name
                    self.parameters.setdefault(self._recorder.values.lookup(parameter).number, (full, number))

    def _add(self, module: Any, path: str, parent: int | None, root_name: str | None, parameters: int) -> int:
        """Its row."""
        names = {"class": type(module).__name__}
        training = int(module.training)
        add = self._recorder.writer.add
        return add(
            "module", path=path, parent=parent, root_name=root_name, parameters=parameters, training=training, **names
        )

    def _place(self, parent: OpenCall, module: Any) -> Place:
        root: Root = parent.root
        found = self._known_place(parent, module)
        if found is None:  # added since the root was first called, or never registered in it
            outermost = next((ref() for ref, each in self._roots.values() if each is root), None)
            if outermost is not None:
                self._learn(root, outermost, None)
            found = self._known_place(parent, module)
        if found is None:
            path = f"{parent.place.path}.{type(module).__name__}".lstrip(".")
            counts = count_parameters(module.named_modules())
            number = self._add(module, path, parent.place.id, None, counts[""])
            found = Place(number, path)
            root.places.setdefault(id(module), []).append(found)
        return found

    def _known_place(self, parent: OpenCall, module: Any) -> Place | None:
        """Of the module's paths the one inside its caller's; the next one each time it is called from there again."""
        places = parent.root.places.get(id(module))
        if places is None:
            return None
        if len(places) == 1:
            return places[0]
        path = parent.place.path
        inside = [place for place in places if place.path and place.path.rpartition(".")[0] == path]
        if not inside:  # called past a container that has no forward of its own (ModuleList)
            prefix = f"{path}." if path else ""
            inside = [place for place in places if place.path.startswith(prefix)] or places
        if parent.children is None:
            parent.children = {}
        turn = parent.children.get(id(module), 0)
        parent.children[id(module)] = turn + 1
        return inside[turn % len(inside)]


MODULE_CALL = ModuleCalls.call.__code__  # its frames are where one module's stack ends and its caller's begins


def _first_tensor(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return result
    for value in result.values() if isinstance(result, dict) else result if isinstance(result, (list, tuple)) else ():
        if isinstance(value, torch.Tensor):
            return value
    return None


def count_parameters(modules: Iterable[tuple[str, Any]]) -> dict[str, int]:
    """For each path the elements of the parameters inside, children included, a shared one once; lazy ones count 0."""
    counts: dict[str, int] = {}
    seen: set[tuple[str, int]] = set()
    for path, module in modules:
        counts.setdefault(path, 0)
        for parameter in module._parameters.values():
            if parameter is None or torch.nn.parameter.is_lazy(parameter):
                continue
            size, above = parameter.numel(), path
            while True:
                if (above, id(parameter)) not in seen:
                    seen.add((above, id(parameter)))
                    counts[above] = counts.get(above, 0) + size
                if not above:
                    break
                above = above.rpartition(".")[0]
    return counts
