"""Watches functions being traced: what they are differentiated by, and how a call inside them failed.

autograd's own depth counter isn't put back when a function raises; nor is it here, while the script runs: it would
number later traces otherwise than a bare run does. It is put back at the end of the recording.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

import autograd.numpy as anp
from autograd import core
from autograd.tracer import box_types

from gradviz.record.guard import guarded, note_fault
from gradviz.record.hips.engine import DETAIL, Engine
from gradviz.record.hips.functions import Functions
from gradviz.record.hips.leaves import Leaf
from gradviz.record.hips.nodes import Keys, Recorded, operand_rows, root_of
from gradviz.record.hips.state import Recorder, ThreadState
from gradviz.record.hips.values import ndarray
from gradviz.record.names import with_locals
from gradviz.record.oplog import OPERAND_WIDTH
from gradviz.record.ownframes import is_own
from gradviz.trace.packing import OP_RAISED

PARAMETER = (
    "_gradviz_parameter"  # attribute of a function of ours that stands for the person's: what it is differentiated by
)
PRIMITIVE: CodeType = anp.add.__code__  # of what every primitive is wrapped in
INIT: CodeType = core.VJPNode.__init__.__code__  # autograd's own, before it is replaced
MOST_LOOKED_AT = 64  # entries of an array of objects
MOST_FRAMES = 4  # of the script, whose variables are looked at for such arrays
MOST_BOXES = 8  # local variables whose graph is shown
OBJECTS = "autograd received an array of objects: plain numpy took the traced values apart."


class Tracing:
    """What is done around `autograd.core.trace`."""

    def __init__(self, recorder: Recorder, functions: Functions, keys: Keys) -> None:
        self._recorder = recorder
        self._functions = functions
        self._keys = keys
        self.engine: Engine | None = None

    def make_trace(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """What takes the place of `core.trace`."""
        recorder, session = self._recorder, self._recorder.session

        @functools.wraps(original)
        def trace(start_node: Any, fun: Any, x: Any) -> Any:
            if not session.recording or type(start_node) is not core.VJPNode:
                return original(start_node, fun, x)
            state = recorder.state()
            outer, caller = state.outer_stack, sys._getframe(1)
            stack = -1
            try:
                stack = recorder.frames.stack(caller, outer, self.trace_code)
                leaf = Leaf(x, recorder.values.spec(x), stack, parameter_of(fun))
                start_node.vjp = root_of(recorder, self._keys, start_node.vjp, leaf, state.number)
                state.outer_stack = stack
                if outer < 0:
                    state.last_error = 0  # that one is gone, and a new exception may have its address
            except Exception as fault:  # noqa: BLE001  # the recorder's own: it must not become the script's
                try:  # noqa: SIM105  # suppress() takes frames, and there may be no room for one
                    note_fault(session, fault)
                except RecursionError:  # the script is about to reach its limit, and does so by itself
                    pass
            try:
                end = original(start_node, fun, x)
            except Exception as error:  # the script's: noted, and it goes on
                with guarded(session):
                    self._failed(state, error, state.outer_stack)
                raise
            finally:
                state.outer_stack = outer
            if end[1] is None:
                with guarded(session):
                    self._independent(end[0], stack)
            return end

        return trace

    def make_operator(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Around grad and its like, as they are before they take several arguments: they refuse what isn't scalar."""
        session = self._recorder.session

        @functools.wraps(original)
        def operator(fun: Any, x: Any, /, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(fun, x, *args, **kwargs)
            except TypeError as error:
                if session.recording:
                    with guarded(session):
                        self._refused(original, error)
                raise

        return operator

    # -- how it failed

    def _refused(self, original: Callable[..., Any], error: BaseException) -> None:
        """The operator itself raised, with the traced function's result at hand."""
        entry = error.__traceback__
        while entry is not None and is_own(entry.tb_frame.f_code):
            entry = entry.tb_next
        if entry is None or entry.tb_next is not None or entry.tb_frame.f_code is not original.__code__:
            return
        frame, found = entry.tb_frame, []

        def look(names: Any) -> None:
            vjp = names.get("vjp")
            code = getattr(vjp, "__code__", None)
            if code is not None and "end_node" in code.co_freevars:
                found.append(vjp.__closure__[code.co_freevars.index("end_node")].cell_contents)

        with_locals(frame, look)
        if found and self.engine is not None:
            state = self._recorder.state()
            stack = self._recorder.frames.stack(frame, state.outer_stack, self.trace_code)
            self.engine.refused(found[0], stack, error)

    @property
    def trace_code(self) -> CodeType:
        """Of the function that stands for `core.trace`."""
        code: CodeType = core.trace.__code__
        return code

    def _failed(self, state: ThreadState, error: Exception, called: int) -> None:
        """The traced function raised: keep the call that did, with its operands, and the graph that stood."""
        if state.last_error == id(error):
            return
        state.last_error = id(error)
        recorder, engine = self._recorder, self.engine
        entries = list(_entries(error.__traceback__))
        users = [at for at, entry in enumerate(entries) if recorder.frames.is_user(entry.tb_frame.f_code)]
        last = users[-1] if users else -1
        below = [entry.tb_frame for entry in entries[last + 1 :] if not is_own(entry.tb_frame.f_code)]
        stack = recorder.frames.stack_of_traceback(error.__traceback__)
        user_frame = entries[last].tb_frame if users else None
        detail: dict[str, Any] = {**DETAIL, "trace": called}
        if below:
            detail["callee"] = called_name(below[0])
            detail["library"] = str(below[0].f_globals.get("__name__", ""))
        if state.outer_stack >= 0 and user_frame is not None:
            stack = recorder.frames.stack(user_frame, -1, None) if stack < 0 else stack
        detail.update(_while_vjp_was_made(below))
        detail.update(_objects([entries[at].tb_frame for at in reversed(users)], below))
        op, ends = self._raised_op(below, stack)
        if not ends and user_frame is not None:
            ends = boxes_in(user_frame)
        record = engine.partial(ends, stack, user_frame) if ends and engine is not None else None
        number = recorder.session.seen_exception(
            error, "forward", pass_id=record.number if record else None, op=op, stack=stack, detail=detail
        )
        if record is not None and engine is not None:
            record.exception = number
            engine.write(record)

    def _raised_op(self, frames: list[FrameType], stack: int) -> tuple[int | None, list[Any]]:
        """The primitive that raised, written down as a call; its number, and the nodes of its boxes."""
        frame = next((each for each in frames if each.f_code is PRIMITIVE and boxes_of(each)), None)
        if frame is None:
            frame = next((each for each in frames if each.f_code is PRIMITIVE), None)
        if frame is None:
            return None, []
        recorder = self._recorder
        given: list[Any] = []
        with_locals(frame, lambda names: given.extend((names["f_wrapped"], names["args"], names["kwargs"])))
        fun, args, kwargs = given
        info = self._functions.known.get(fun) or self._functions.learn(fun)
        operands, extra = operand_rows(recorder, info, args)
        arguments = self._functions.arguments(info, extra, kwargs) if extra or kwargs else -1
        log, number = recorder.state().log, next(recorder.op_numbers)
        sequence = next(recorder.node_numbers)
        log.operands += operands
        count = len(operands) // OPERAND_WIDTH
        log.ops += (number, info.name, stack, -1, sequence, sequence, OP_RAISED, arguments, count, 0)
        return number, boxes_of(frame)

    def _independent(self, result: Any, stack: int) -> None:
        """The result isn't traced. An array of boxes: plain numpy has taken them for objects."""
        if holds_boxes(result):
            shape = list(result.shape)
            self._recorder.session.note("hips-objects", OBJECTS, stack if stack >= 0 else None, shape=shape)


def _while_vjp_was_made(frames: list[FrameType]) -> dict[str, Any]:
    """For an exception's detail: the call went well, but its vjp could not be prepared."""
    frame = next((each for each in frames if each.f_code is INIT), None)
    if frame is None:
        return {}
    found: list[Any] = []
    with_locals(frame, lambda names: found.append(list(getattr(names["value"], "shape", ()))))
    return {"stage": "vjp", "result": found[0]}


def _objects(users: list[FrameType], below: list[FrameType]) -> dict[str, Any]:
    """For an exception's detail: the variables that hold arrays of boxes, frame by frame, innermost first.

    Plain numpy makes such arrays of traced values without a word; what is called with them raises much later.
    """
    held: list[list[str]] = []
    for frame in users[:MOST_FRAMES]:
        names: list[str] = []
        with_locals(frame, lambda variables: names.extend(n for n, v in variables.items() if holds_boxes(v)))  # noqa: B023  # called at once
        held.append(names[:MOST_BOXES])
    given: list[bool] = []
    for frame in below:
        if frame.f_code is PRIMITIVE:
            with_locals(frame, lambda names: given.extend(map(holds_boxes, names["args"])))
    return {"objects": held, "objects_given": any(given)} if any(given) or any(held) else {}


def holds_boxes(value: Any) -> bool:
    """Whether this is an array of objects that has boxes among its entries."""
    if type(value) is not ndarray or value.dtype != object:
        return False
    return any(type(each) in box_types for each in value.flat[:MOST_LOOKED_AT])


def parameter_of(fun: Any) -> str:
    """The parameter by which the function is differentiated, as far as `grad` and its like tell."""
    code, cells = getattr(fun, "__code__", None), getattr(fun, "__closure__", None)
    if code is None:
        return ""
    if is_own(code):
        return str(fun.__dict__.get(PARAMETER, ""))
    inside = {}
    for name, cell in zip(code.co_freevars, cells or ()):
        try:
            inside[name] = cell.cell_contents
        except ValueError:  # an empty cell
            continue
    inner, argnum = inside.get("fun"), inside.get("argnum")
    if inner is not None and type(argnum) is int:
        code = getattr(inner, "__code__", None)
    elif inner is not None:
        return ""
    else:
        argnum = 0
    names = code.co_varnames[: code.co_argcount] if code is not None else ()
    return str(names[argnum]) if 0 <= argnum < len(names) else ""


def called_name(frame: FrameType) -> str:
    """What runs in a frame: the function, or the class of its object and the method."""
    found: list[str] = []

    def look(names: Any) -> None:
        owner = names.get("self")
        if owner is not None and type(owner) is not type:
            found.append(type(owner).__name__)

    with_locals(frame, look)
    return ".".join([*found, frame.f_code.co_name])


def boxes_of(frame: FrameType) -> list[Any]:
    """The nodes of the boxes among the arguments of a primitive's frame."""
    found: list[Any] = []
    with_locals(frame, lambda names: found.extend(each._node for each in names["args"] if type(each) in box_types))
    return _recorded(found)


def boxes_in(frame: FrameType) -> list[Any]:
    """The nodes of the boxes that a frame's variables hold, newest first."""
    found: list[Any] = []
    with_locals(frame, lambda names: found.extend(v._node for v in names.values() if type(v) in box_types))
    return sorted(_recorded(found), key=lambda node: -node.vjp.sequence)[:MOST_BOXES]


def _recorded(nodes: list[Any]) -> list[Any]:
    unique = {id(node): node for node in nodes if type(getattr(node, "vjp", None)) is Recorded}
    return list(unique.values())


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next
