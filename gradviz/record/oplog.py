"""Forward calls as they come in, one log per thread: flat lists of numbers, nothing for the garbage collector to count.

A call becomes packed columns only when its pass is written. Rows of a log are appended whole, its operands and results
before it, so that another thread may take what is complete at any moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from gradviz.trace.writer import TraceWriter

# number, name, stack, call, seq_before, seq_after, flags, arguments, operands, results
OP_WIDTH = 10
OPERAND_WIDTH = 5  # value, spec, version, flags, name
RESULT_WIDTH = 4  # value, spec, version, flags
CALL_COMPLETED = 6  # position in a call's row
CALL_WIDTH = 7  # number, module, parent, stack, in_spec, out_spec, completed


class OpLog:
    """What one thread did since its log was last taken."""

    __slots__ = ("calls", "operands", "ops", "results", "thread")

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.ops: list[int] = []
        self.operands: list[int] = []
        self.results: list[int] = []
        self.calls: list[int] = []

    def take(self) -> OpLog:
        """What is complete, as a log of its own."""
        taken = OpLog(self.thread)
        count = len(self.ops) // OP_WIDTH * OP_WIDTH
        taken.ops = self.ops[:count]
        del self.ops[:count]
        operands = OPERAND_WIDTH * sum(taken.ops[8::OP_WIDTH])
        results = RESULT_WIDTH * sum(taken.ops[9::OP_WIDTH])
        taken.operands = self.operands[:operands]
        del self.operands[:operands]
        taken.results = self.results[:results]
        del self.results[:results]
        calls = len(self.calls) // CALL_WIDTH * CALL_WIDTH
        taken.calls = self.calls[:calls]
        del self.calls[:calls]
        return taken

    def extend(self, later: OpLog) -> None:
        """Append what the same thread did afterwards."""
        self.ops += later.ops
        self.operands += later.operands
        self.results += later.results
        self.calls += later.calls

    def __len__(self) -> int:
        return len(self.ops) // OP_WIDTH


class OpSegments:
    """Writes logs as segments, numbering rows over the whole run."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._ops = 0
        self._operands = 0
        self._results = 0
        self._calls = 0

    def write(self, logs: Sequence[OpLog]) -> None:
        """Queue the logs of one stretch of time, all threads together."""
        for log in logs:
            self._write_calls(log)
        filled = [log for log in logs if log.ops]
        if len(filled) == 1:
            self._write_ops(filled[0], [filled[0].thread] * len(filled[0]))
        elif filled:
            merged, threads = merge(filled)
            self._write_ops(merged, threads)

    def _write_ops(self, log: OpLog, threads: Sequence[int]) -> None:
        ops, count = log.ops, len(log)
        operand_ends = list(accumulate(ops[8::OP_WIDTH], initial=self._operands))
        result_ends = list(accumulate(ops[9::OP_WIDTH], initial=self._results))
        parts: list[Sequence[int]] = [ops[column::OP_WIDTH] for column in range(8)]
        number, name, stack, call, before, after, flags, arguments = parts
        columns = [
            number,
            name,
            stack,
            call,
            threads,
            before,
            after,
            flags,
            arguments,
            operand_ends[1:],
            result_ends[1:],
        ]
        operands, results, segment = log.operands, log.results, self._writer.segment
        segment("op", None, self._ops, columns)
        segment("operand", None, self._operands, [operands[at::OPERAND_WIDTH] for at in range(OPERAND_WIDTH)])
        segment("result", None, self._results, [results[at::RESULT_WIDTH] for at in range(RESULT_WIDTH)])
        self._ops += count
        self._operands = operand_ends[-1]
        self._results = result_ends[-1]

    def _write_calls(self, log: OpLog) -> None:
        if not log.calls:
            return
        number, module, parent, stack, in_spec, out_spec, completed = (
            log.calls[column::CALL_WIDTH] for column in range(CALL_WIDTH)
        )
        threads = [log.thread] * len(number)
        columns = [number, module, parent, stack, threads, in_spec, out_spec, completed]
        self._writer.segment("call", None, self._calls, columns)
        self._calls += len(number)


def merge(logs: Sequence[OpLog]) -> tuple[OpLog, list[int]]:
    """Several threads' ops in the order of their numbers, and the thread of each."""
    places: list[tuple[int, OpLog, int, int, int]] = []  # number, log, offset in ops, operands, results
    for log in logs:
        operand = result = 0
        for at in range(0, len(log.ops), OP_WIDTH):
            places.append((log.ops[at], log, at, operand, result))
            operand += OPERAND_WIDTH * log.ops[at + 8]
            result += RESULT_WIDTH * log.ops[at + 9]
    merged, threads = OpLog(-1), []
    for _, log, at, operand, result in sorted(places, key=lambda place: place[0]):
        row = log.ops[at : at + OP_WIDTH]
        merged.ops += row
        merged.operands += log.operands[operand : operand + OPERAND_WIDTH * row[8]]
        merged.results += log.results[result : result + RESULT_WIDTH * row[9]]
        threads.append(log.thread)
    return merged, threads
