"""The forward side of a trace: ops with operands and results, module calls, and who made or used a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.trace.columns import Column, Columns
from gradviz.trace.graph import CallColumns
from gradviz.trace.interned import Interned
from gradviz.trace.model import ModuleCall, Op, Value
from gradviz.trace.opening import TraceFile
from gradviz.trace.rows import parse_json

MAX_NUMBER = 2**31 - 1
_PLAIN = ("number", "call", "thread", "seq_before", "seq_after", "flags")


class Forward:
    """Ops and module calls of a whole run."""

    def __init__(self, file: TraceFile, interned: Interned) -> None:
        self._file = file
        self._interned = interned
        self._op = Columns(file, "op", None)
        self._operand = Columns(file, "operand", None)
        self._result = Columns(file, "result", None)
        self._call = Columns(file, "call", None)
        self._read = False
        self._operand_start: Column = np.empty(0, np.int32)
        self._result_start: Column = np.empty(0, np.int32)
        self._made_by: Owners | None = None  # which ops returned a value
        self._used_by: Owners | None = None
        self._calls: dict[int, int] = {}  # call number -> row
        self._built: dict[int, Op] = {}

    def refresh(self) -> None:
        """Look again for ops that were added since; what was read stays."""
        self._read = False

    def numbers(self) -> list[int]:
        self._read_on()
        return [int(number) for number in self._op["number"]]

    def op(self, number: int) -> Op | None:
        self._read_on()
        numbers = self._op["number"]
        row = int(np.searchsorted(numbers, number))
        return self._op_at(row) if row < len(numbers) and numbers[row] == number else None

    def ops(self) -> tuple[Op, ...]:
        self._read_on()
        if len(self._built) < self._op.count:
            self._build_all()
        return tuple(self._op_at(row) for row in range(self._op.count))

    def stacks(self) -> tuple[Column, Column]:
        """Numbers and stack ids of all ops, for whoever counts per line."""
        self._read_on()
        return self._op["number"], self._op["stack"]

    def producer(self, value: int, before: int | None) -> Op | None:
        if value < 0:
            return None
        self._read_on()
        if self._made_by is None:
            self._made_by = Owners(self._result["value"], self._op["result_end"])
        numbers = self._op["number"]
        for row in reversed(self._made_by.of(value)):
            if before is None or numbers[row] < before:
                return self._op_at(row)
        return None

    def users(self, value: int) -> tuple[Op, ...]:
        if value < 0:
            return ()
        self._read_on()
        if self._used_by is None:
            self._used_by = Owners(self._operand["value"], self._op["operand_end"])
        return tuple(self._op_at(row) for row in self._used_by.of(value))

    def call(self, number: int) -> ModuleCall | None:
        self._read_on()
        row = self._calls.get(number)
        if row is None:
            return None
        at = {name: int(self._call[name][row]) for name in self._call.data or {}}
        return ModuleCall(
            number=number,
            module=at["module"],
            parent=at["parent"],
            stack=self._interned.stack(at["stack"]),
            thread=at["thread"],
            in_spec=self._interned.spec(at["in_spec"]),
            out_spec=self._interned.spec(at["out_spec"]),
            completed=at["completed"] != 0,
        )

    def calls(self) -> CallColumns:
        """All module calls in one look."""
        self._read_on()
        order = np.argsort(self._call["number"], kind="stable")
        names = ("number", "module", "parent", "in_spec", "out_spec")
        return CallColumns(*(self._call[name][order].astype(np.int32) for name in names))

    def _read_on(self) -> None:
        if self._read:
            return
        with self._file.alone():
            with self._file.reading():
                grew = [columns.read_on() for columns in (self._operand, self._result, self._op, self._call)]
            if any(grew) or not self._built:
                self._check_ops()
                self._check_calls()
                self._made_by = self._used_by = None
            self._read = True

    def _check_ops(self) -> None:
        op = self._op
        op.need_within("number", 0, MAX_NUMBER)
        op.need_rising("number", strictly=True)
        op.need_within("name", 0, self._file.ids("string"))
        op.need_within("seq_before", -1, 2**63 - 1)
        for name in ("stack", "call", "thread", "arguments"):
            op.need_within(name, -1, MAX_NUMBER)
        self._operand_start = op.starts("operand_end", self._operand.count, whole=True)
        self._result_start = op.starts("result_end", self._result.count, whole=True)
        for columns in (self._operand, self._result):
            columns.need_within("spec", 0, self._file.ids("spec"))
            columns.need_within("value", -1, MAX_NUMBER)
            columns.need_within("version", -1, MAX_NUMBER)
        self._operand.need_within("name", -1, MAX_NUMBER)

    def _check_calls(self) -> None:
        call = self._call
        call.need_within("number", 0, MAX_NUMBER)
        call.need_within("module", 0, self._file.ids("module"))
        for name in ("parent", "stack", "in_spec", "out_spec"):
            call.need_within(name, -1, MAX_NUMBER)
        if bool((call["parent"] >= call["number"]).any()):
            raise call.damaged("says that a call ran inside a later one")
        self._calls = {int(number): row for row, number in enumerate(call["number"])}
        if len(self._calls) != call.count:
            raise call.damaged("holds the same number twice")

    def _op_at(self, row: int) -> Op:
        number = int(self._op["number"][row])
        found = self._built.get(number)
        if found is None:
            found = self._built[number] = self._make(row)
        return found

    def _make(self, row: int) -> Op:
        op = self._op
        operands = range(int(self._operand_start[row]), int(op["operand_end"][row]))
        results = range(int(self._result_start[row]), int(op["result_end"][row]))
        return Op(
            number=int(op["number"][row]),
            name=self._interned.string(int(op["name"][row])),
            stack=self._interned.stack(int(op["stack"][row])),
            call=int(op["call"][row]),
            thread=int(op["thread"][row]),
            seq_before=int(op["seq_before"][row]),
            seq_after=int(op["seq_after"][row]),
            flags=int(op["flags"][row]),
            arguments=self._arguments(int(op["arguments"][row])),
            operands=tuple(self._value(self._operand, at, int(self._operand["name"][at])) for at in operands),
            results=tuple(self._value(self._result, at, -1) for at in results),
        )

    def _build_all(self) -> None:
        """All ops at once, from lists of plain numbers: many times faster than one by one out of the columns."""
        operands = self._values(self._operand, self._operand["name"].tolist())
        results = self._values(self._result, [-1] * self._result.count)
        starts = (self._operand_start.tolist(), self._result_start.tolist())
        plain = [
            self._op[name].tolist() for name in (*_PLAIN, "name", "stack", "arguments", "operand_end", "result_end")
        ]
        arguments: dict[int, dict[str, Any]] = {}
        for own, took, gave in zip(zip(*plain), *starts):
            number, call, thread, before, after, flags, name, stack, words, operand_end, result_end = own
            if words not in arguments:
                arguments[words] = self._arguments(words)
            self._built[number] = Op(
                number,
                self._interned.string(name),
                self._interned.stack(stack),
                call,
                thread,
                before,
                after,
                flags,
                arguments[words],
                tuple(operands[took:operand_end]),
                tuple(results[gave:result_end]),
            )

    def _values(self, columns: Columns, names: list[int]) -> list[Value]:
        made: dict[tuple[int, ...], Value] = {}
        found = []
        for key in zip(*(columns[name].tolist() for name in ("value", "spec", "version", "flags")), names):
            value = made.get(key)
            if value is None:
                number, spec, version, flags, name = key
                value = Value(number, self._interned.known_spec(spec), version, flags, self._interned.string(name))
                made[key] = value
            found.append(value)
        return found

    def _value(self, columns: Columns, at: int, name: int) -> Value:
        return Value(
            number=int(columns["value"][at]),
            spec=self._interned.known_spec(int(columns["spec"][at])),
            version=int(columns["version"][at]),
            flags=int(columns["flags"][at]),
            name=self._interned.string(name),
        )

    def _arguments(self, number: int) -> dict[str, Any]:
        if number == -1:
            return {}
        value = parse_json(self._interned.string(number), lambda why: self._op.damaged(f"arguments {why}"))
        if not isinstance(value, dict):
            raise self._op.damaged("arguments aren't a JSON object")
        return value


class Owners:
    """For each value the rows, rising, of the parents among whose children it is."""

    def __init__(self, values: Column, ends: Column) -> None:
        order = np.argsort(values, kind="stable")
        self._values = values[order]
        self._parents = np.searchsorted(ends, order, side="right")

    def of(self, value: int) -> list[int]:
        first, last = np.searchsorted(self._values, [value, value + 1])
        return list(dict.fromkeys(self._parents[first:last].tolist()))
