"""Calls of Keras layers: `Layer.__call__` is wrapped once Keras is there; paths come from the outermost layer."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from gradviz.record.guard import guarded
from gradviz.record.importing import FrameworkWatch
from gradviz.record.names import variable_name
from gradviz.record.oplog import CALL_COMPLETED
from gradviz.record.ownframes import OWN_FOLDERS
from gradviz.record.patches import Patches
from gradviz.record.tensorflow.leaves import Leaves
from gradviz.record.tensorflow.state import Recorder, ThreadState
from gradviz.record.tensorflow.values import FIRST_VALUE, EagerTensor, numpy

KERAS = "keras.src.layers.layer"
KERAS_FILTER = "keras.src.utils.traceback_utils"  # as TensorFlow's, see frontend.py
OUT_SPEC = 5  # position in a call's row
NUMBERS = "?bBhHiIlLefdFD"  # numpy's codes of the types that TensorFlow has too


class OpenCall:
    """A layer's call that is running."""

    __slots__ = ("number", "path", "place", "root")

    def __init__(self, number: int, place: int, path: str, root: int) -> None:
        self.number = number
        self.place = place  # -> module.id
        self.path = path
        self.root = root  # module.id of the outermost layer


class LayerCalls:
    """Knows the layers and writes their rows; their variables get their names here."""

    def __init__(self, recorder: Recorder, leaves: Leaves) -> None:
        self._recorder = recorder
        self._leaves = leaves
        self._places: dict[tuple[int, str, int], tuple[Any, int]] = {}  # root, path, id -> weak layer, module.id
        self._named: set[int] = set()  # places whose variables are named
        self._roots: dict[int, str] = {}  # module.id of an outermost layer -> the variable that holds it
        self._watch: FrameworkWatch | None = None

    def install(self, patches: Patches) -> None:
        """At once where Keras is loaded, else when it is."""
        if KERAS in sys.modules:
            self._patch(patches)
            return
        self._watch = FrameworkWatch([KERAS], lambda _: self._patch(patches))
        sys.meta_path.insert(0, self._watch)

    def uninstall(self) -> None:
        if self._watch in sys.meta_path:
            sys.meta_path.remove(self._watch)

    def _patch(self, patches: Patches) -> None:
        owner = getattr(sys.modules.get(KERAS), "Layer", None)
        if owner is None:
            return
        session, original = self._recorder.session, owner.__call__

        @functools.wraps(original)
        def __call__(layer: Any, /, *args: Any, **kwargs: Any) -> Any:
            first = first_tensor((*args, *kwargs.values())) if session.recording else None
            if first is None:
                return original(layer, *args, **kwargs)
            return self.call(original, layer, args, kwargs, first)

        patches.replace(owner, "__call__", __call__)
        filters = sys.modules.get(KERAS_FILTER)
        if filters is not None:
            patches.replace(filters, "_EXCLUDED_PATHS", (*filters._EXCLUDED_PATHS, *OWN_FOLDERS))

    def call(
        self, original: Callable[..., Any], layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], first: Any
    ) -> Any:
        """Run the layer's call and record it. One that builds a symbolic graph has no tensor, and must not come by
        here: every stack ends at this frame.
        """
        state = self._recorder.state()
        parent, outer, log = state.call, state.outer_stack, state.log
        row, number = -1, parent
        with guarded(self._recorder.session):
            row = self._begin(state, layer, sys._getframe(2), first)
            number = state.call
        if row < 0:
            return original(layer, *args, **kwargs)
        result: Any = None
        try:
            result = original(layer, *args, **kwargs)
            return result
        except BaseException:  # the script's: noted, and it goes on
            if log.calls[row : row + 1] == [number]:  # else it was written meanwhile
                log.calls[row + CALL_COMPLETED] = 0
            raise
        finally:
            call = state.calls.pop()
            state.call, state.outer_stack = parent, outer
            with guarded(self._recorder.session):
                self._finish(layer, call)
                out = first_tensor((result,))
                if out is not None and log.calls[row : row + 1] == [number]:
                    log.calls[row + OUT_SPEC] = self._recorder.values.of_array(out)

    def _begin(self, state: ThreadState, layer: Any, frame: FrameType, first: Any) -> int:
        recorder = self._recorder
        stack = recorder.frames.stack(frame, state.outer_stack, LAYER_CALL)
        number = next(recorder.call_numbers)
        above = state.calls[-1] if state.calls else None
        path = "" if above is None else f"{above.path}.{layer.name}".lstrip(".")
        root = -1 if above is None else above.root
        place = self._place(layer, path, root, None if above is None else above.place, frame)
        call = OpenCall(number, place, path, place if above is None else root)
        row = len(state.log.calls)
        state.log.calls += (number, place, state.call, stack, recorder.values.of_array(first), -1, 1)
        state.calls.append(call)
        state.call, state.outer_stack = number, stack
        return row

    def _place(self, layer: Any, path: str, root: int, parent: int | None, frame: FrameType) -> int:
        key = (root, path, id(layer))
        known = self._places.get(key)
        found = known[1] if known is not None and known[0]() is layer else None
        if found is None:
            recorder = self._recorder
            name = None
            if parent is None:
                name = variable_name(layer, frame, recorder.frames.is_user, recorder.session.namespace()) or layer.name
            kind = {"class": type(layer).__name__}
            found = recorder.writer.add(
                "module", path=path, parent=parent, root_name=name, parameters=0, training=None, **kind
            )
            self._places[key] = (weakref.ref(layer), found)
            if name is not None:
                self._roots[found] = name
        return found

    def _finish(self, layer: Any, call: OpenCall) -> None:
        """After its first call a layer is built: count and name its variables."""
        if call.place in self._named or not layer.built:
            return
        trainable = [(each, variable_of(each)) for each in layer._trainable_variables]
        if any(raw is None for _, raw in trainable):
            return  # built inside a tf.function, Keras makes them later
        self._named.add(call.place)
        total = 0
        for each in layer.variables:
            size = 1
            for dim in each.shape:
                size *= int(dim)
            total += size
        self._recorder.writer.update("module", call.place, parameters=total)
        for each, raw in trainable:
            number = FIRST_VALUE + raw.handle._id
            name = str(each.name).partition(":")[0].rpartition("/")[2]
            full = f"{call.path}.{name}" if call.path else name
            self._leaves.parameters.setdefault(number, (full, call.place))
            self._leaves.labels.setdefault(number, f"{self._roots.get(call.root, '')}.{full}".lstrip("."))


LAYER_CALL: CodeType = LayerCalls.call.__code__  # where one layer's stack ends and its caller's begins


def variable_of(each: Any) -> Any:
    """TensorFlow's variable inside one of Keras'; None while that isn't initialized. Its `value` would make one up."""
    return each if hasattr(each, "handle") else getattr(each, "_value", None)


def first_tensor(values: Any) -> Any:
    """The first eager tensor, or array that Keras makes one of, among values, lists, tuples and dicts of them."""
    for value in values:
        if isinstance(value, EagerTensor) or (isinstance(value, numpy.ndarray) and value.dtype.char in NUMBERS):
            return value
        if isinstance(value, dict):
            value = tuple(value.values())
        if isinstance(value, (list, tuple)):
            found = first_tensor(value)
            if found is not None:
                return found
    return None
