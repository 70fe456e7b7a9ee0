"""Makes trace files for tests without running anything: say what the recording holds, then `save`.

`TraceBuilder` writes the run, `PassBuilder` one backward pass; whole recordings stand in tests/recordings.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace import packing
from gradviz.trace.writer import TraceWriter
from tests.pass_builder import NO_STATS, PassBuilder, Shape, Stats, extend

RUN: dict[str, Any] = {
    "gradviz": "0.1.0",
    "function": None,
    "arguments": "[]",
    "cwd": "/home/me",
    "interpreter": "/usr/bin/python3",
    "python": "3.12.4",
    "framework": "torch 2.13.0",
    "platform": "linux x86_64",
    "level": "summaries",
    "started": 1_780_000_000.0,
    "seconds": 0.5,
    "status": "ok",
    "exit_code": 0,
}

__all__ = ["NO_STATS", "PassBuilder", "Shape", "Stats", "TraceBuilder"]


class TraceBuilder:
    """A recording in the making. Numbers that it hands out (values, stacks, ops, leaves) are those of the trace."""

    def __init__(self, path: Path, script: str = "/home/me/script.py", text: str = "", **run: Any) -> None:
        self.path = Path(path)
        self.writer = TraceWriter(self.path)
        self.script = script
        self._values = 0
        self._columns = {kind: packing.new_columns(kind) for kind in ("op", "operand", "result", "call")}
        self._passes = 0
        self.run = {**RUN, "target": script, "script": script, **run}
        self.writer.thread("MainThread")
        self.writer.source(script, text.encode())

    def save(self) -> Path:
        """Write all and fold the log in: the file is whole."""
        self.commit()
        self.writer.finish()
        return self.path

    def commit(self) -> None:
        """Write what there is so far, as a recorder that goes on does."""
        self.writer.add("run", id=0, **self.run)
        for kind, columns in self._columns.items():
            if len(columns[0]):
                self.writer.segment(kind, None, 0, columns)
        self._columns = {}
        self.writer.commit()

    # -- what repeats

    def value(self) -> int:
        self._values += 1
        return self._values

    def spec(self, shape: Shape, dtype: str = "float32", device: str = "cpu", layout: str = "strided") -> int:
        return self.writer.spec(list(shape), dtype, device, layout)

    def at(
        self, line: int, columns: tuple[int, int] = (-1, -1), file: str | None = None, function: str = "<module>"
    ) -> int:
        """A stack of one frame."""
        source = self.writer.source(file or self.script)
        return self.writer.stack([self.writer.frame(source, line, line, *columns, function)])

    def stack(self, *places: tuple[str, int, str]) -> int:
        """A stack of (file, line, function), innermost first."""
        frames = [self.writer.frame(self.writer.source(file), line, line, -1, -1, name) for file, line, name in places]
        return self.writer.stack(frames)

    # -- forward

    def op(
        self,
        name: str,
        stack: int,
        operands: Sequence[tuple[int, Shape, str]] = (),
        results: Sequence[tuple[int, Shape]] = (),
        *,
        call: int = -1,
        flags: int = 0,
        arguments: dict[str, Any] | None = None,
        grads: bool = True,
        seq: tuple[int, int] = (-1, -1),
    ) -> int:
        """A forward call; operands are (value, shape, parameter name), results (value, shape)."""
        own, operand, result = (self._columns[kind] for kind in ("op", "operand", "result"))
        needs = packing.VALUE_REQUIRES_GRAD if grads else 0
        for value, shape, parameter in operands:
            extend(operand, (value, self.spec(shape), 0, needs, self.writer.string(parameter)))
        for value, shape in results:
            extend(result, (value, self.spec(shape), 0, needs))
        number = len(own[0])
        words = -1 if arguments is None else self.writer.string(json.dumps(arguments))
        ends = (len(operand[0]), len(result[0]))
        extend(own, (number, self.writer.string(name), stack, call, 0, *seq, flags, words, *ends))
        return number

    def module(
        self, path: str, class_name: str, parameters: int, parent: int | None = None, root: str | None = None
    ) -> int:
        row = {"path": path, "class": class_name, "parent": parent, "root_name": root}
        return self.writer.add("module", **row, parameters=parameters, training=1)

    def call(self, module: int, stack: int, given: Shape, returned: Shape, parent: int = -1) -> int:
        columns = self._columns["call"]
        number = len(columns[0])
        extend(columns, (number, module, parent, stack, 0, self.spec(given), self.spec(returned), 1))
        return number

    def leaf(
        self,
        name: str,
        shape: Shape,
        stack: int | None = None,
        *,
        value: int | None = None,
        module: int | None = None,
        dtype: str = "float32",
        stats: Stats | None = None,
        grad: NDArray[Any] | None = None,
        frozen: bool = False,
        in_graph: bool = True,
    ) -> int:
        """A parameter (with a module) or variable; `stats` are of its .grad, which is missing without."""
        number = self.writer.add(
            "leaf",
            value=self.value() if value is None else value,
            name=name,
            kind="variable" if module is None else "parameter",
            module=module,
            spec=self.spec(shape, dtype),
            requires_grad=int(not frozen),
            stack=stack,
            grad_spec=None if stats is None else self.spec(shape, dtype),
            grad_stats=None if stats is None else packing.STATS.pack(*stats),
            in_graph=int(in_graph),
        )
        if grad is not None:
            self.sample(grad, None, None, number, "leaf-grad")
        return number

    # -- what else a recording holds

    def sample(
        self,
        data: NDArray[Any],
        pass_id: int | None,
        step: int | None,
        slot: int = 0,
        role: str = "received",
        whole: Shape | None = None,
        strides: Sequence[int] | None = None,
    ) -> None:
        self.writer.add(
            "sample",
            **{"pass": pass_id},
            step=step,
            slot=slot,
            role=role,
            spec=self.spec(data.shape if whole is None else whole, str(data.dtype)),
            strides=json.dumps(list(strides or [1] * data.ndim)),
            shape=json.dumps(list(data.shape)),
            dtype=str(data.dtype),
            version=0,
            data=np.ascontiguousarray(data).tobytes(),
        )

    def exception(self, kind: str, message: str, stack: int | None, phase: str, **fields: Any) -> int:
        detail = json.dumps(fields.pop("detail", {}))
        row = {"type": kind, "message": message, "text": f"{kind}: {message}", "stack": stack, "thread": 0, **fields}
        return self.writer.add("exception", phase=phase, caught=0, detail=detail, **row)

    def note(self, kind: str, text: str, **detail: Any) -> None:
        self.writer.add("note", kind=kind, text=text, detail=json.dumps(detail))

    def output(self, text: str, stream: str = "stdout") -> None:
        self.writer.add("output", stream=stream, time=1_780_000_000.1, data=text.encode())

    def backward(self, stack: int, **columns: Any) -> PassBuilder:
        """Begin a pass; `columns` are those of the table `backward`."""
        number = columns.pop("id", self._passes)
        self._passes = number + 1
        return PassBuilder(self, number, stack, columns)
