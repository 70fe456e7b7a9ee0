"""What became of a fix that was tried: read from the recording of the second run, and put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradviz.diagnose.case import Case
from gradviz.diagnose.finding import Finding, SeedRewrite
from gradviz.diagnose.naming import value_name
from gradviz.diagnose.shapes import text as shape_text
from gradviz.diagnose.words.trying import TRYING
from gradviz.document.supervisor import Outcome
from gradviz.trace.model import Backward, Dim, ExceptionInfo
from gradviz.trace.reader import Trace

TRIED = "tried"  # `backward.phase` of the passes whose seed was replaced
MOST_NAMED = 3  # gradients told of in the sentence
LONGEST_MESSAGE = 160

Examine = Callable[[Path], Sequence[Finding]]


@dataclass(frozen=True)
class Gradient:
    """A gradient that the call made: added to a leaf's `.grad`, or returned for an input."""

    name: str  # the tensor's, "" unknown
    shape: tuple[Dim, ...]


@dataclass(frozen=True)
class Trial:
    """A fix, tried. `outcome`: completed | failed | not-reached | timeout | stopped | killed | not-run.

    `finding` is what the call fails with in spite of it. `status` and `exit_code` are the second run's as a whole.
    """

    rewrite: SeedRewrite
    outcome: str
    message: str
    gradients: tuple[Gradient, ...] = ()
    finding: Finding | None = None
    status: str = "not-run"
    exit_code: int | None = None

    @property
    def holds(self) -> bool:
        return self.outcome == "completed"


def not_run(rewrite: SeedRewrite, reason: str) -> Trial:
    return Trial(rewrite, "not-run", TRYING["not-run"].format(reason=reason))


def judged(rewrite: SeedRewrite, outcome: Outcome, timeout: float, examine: Examine) -> Trial:
    """The trial that the second run was. Raises TraceError where its recording can't be read."""
    if outcome.status == "not-run":
        return not_run(rewrite, outcome.trouble)
    with Trace(outcome.trace) as trace:
        verdict = _Verdict(trace, rewrite, outcome, timeout, examine)
        return verdict.of_call() if verdict.call is not None else verdict.of_none()


class _Verdict:
    """Judges one second run."""

    def __init__(self, trace: Trace, rewrite: SeedRewrite, outcome: Outcome, timeout: float, examine: Examine) -> None:
        self._trace, self._rewrite, self._outcome, self._timeout = trace, rewrite, outcome, timeout
        self._examine = examine
        tried = [each for each in trace.passes() if each.phase == TRIED]
        self.call: Backward | None = tried[0] if tried else None
        self._failing = next((each for each in tried if each.outcome != "completed"), None)

    def of_call(self) -> Trial:
        """The call was come to, with the other seed."""
        call = self.call
        assert call is not None
        if call.outcome == "completed" and not self._failed_among_rows():
            gradients = self._gradients(call)
            sentence = TRYING["completed"].format(function=self._rewrite.function, gradients=self._told(gradients))
            return self._trial("completed", sentence + self._further(), gradients)
        failing = self._failing or call
        if failing.outcome in ("running", "interrupted") and self._outcome.status in ("timeout", "stopped", "killed"):
            return self._trial(self._outcome.status, TRYING[self._outcome.status].format(seconds=self._timeout))
        return self._failed(failing)

    def of_none(self) -> Trial:
        """It wasn't come to."""
        status, raised = self._outcome.status, self._raised()
        if status in ("timeout", "stopped", "killed"):
            return self._trial(status, TRYING[status].format(seconds=self._timeout))
        if raised is None:
            return self._trial("not-reached", TRYING["not-reached"])
        words = TRYING["not-reached-raised"].format(type=raised.type, place=self._place_of(raised))
        return self._trial("not-reached", words)

    def _failed_among_rows(self) -> bool:
        """Of one call that runs a pass for each row, any that failed is the call's failure."""
        return self._rewrite.kind == "rows" and self._failing is not None

    def _failed(self, call: Backward) -> Trial:
        findings = self._examine(self._outcome.trace)
        found = next((each for each in findings if each.pass_id == call.id), None)
        error = next((each for each in self._trace.exceptions() if each.id == call.exception), None)
        if found is not None:
            place, message = self._place(found.file, found.line), found.message
        elif error is not None:
            place, message = self._place_of(error), f"{error.type}: {_short(error.message)}"
        else:
            place, message = self._place(self._rewrite.file, self._rewrite.line), call.outcome
        words = TRYING["failed"].format(function=self._rewrite.function, place=place, message=message)
        return self._trial("failed", words, finding=found)

    def _trial(
        self, outcome: str, message: str, gradients: tuple[Gradient, ...] = (), finding: Finding | None = None
    ) -> Trial:
        status = "killed" if self._outcome.status == "recording" else self._outcome.status
        return Trial(self._rewrite, outcome, message, gradients, finding, status, self._outcome.exit_code)

    # -- gradients

    def _gradients(self, call: Backward) -> tuple[Gradient, ...]:
        return self._of_inputs(call) if call.entry == "grad" else self._of_leaves(call)

    def _of_leaves(self, call: Backward) -> tuple[Gradient, ...]:
        """A leaf's `.grad` has the shape of what its node received."""
        leaves = {leaf.id: leaf for leaf in self._trace.leaves()}
        graph, steps = self._trace.graph(call.id), self._trace.steps(call.id)
        found = {}
        for node, start, end in zip(steps.node, steps.received_start, steps.received_end):
            leaf = leaves.get(int(graph.leaf[node]))
            spec = self._trace.spec(int(steps.spec[start])) if end > start and steps.spec[start] >= 0 else None
            if leaf is not None and spec is not None:
                found[leaf.id] = Gradient(leaf.name, spec.shape)
        return tuple(found[each] for each in sorted(found))

    def _of_inputs(self, call: Backward) -> tuple[Gradient, ...]:
        """What `grad` returned: the shape of each input, with the stack of seeds in front where there was one."""
        case = Case(self._trace)
        stacked = call.seeds[0].spec.shape[:1] if call.batched and call.seeds and call.seeds[0] is not None else ()
        return tuple(
            Gradient(value_name(case, port.value) if port.value >= 0 else "", (*stacked, *port.spec.shape))
            for port in call.inputs
            if port.node >= 0
        )

    def _told(self, gradients: Sequence[Gradient]) -> str:
        if not gradients:
            return ""
        kind = "input" if self._rewrite.function == "grad" else "leaf"
        sentences = []
        for number, each in enumerate(gradients, 1):
            words = TRYING[kind if each.name else f"{kind}-unnamed"]
            sentences.append(words.format(name=each.name, number=number, shape=shape_text(each.shape)))
        parts = list(dict.fromkeys(sentences))[:MOST_NAMED]  # layers in a list share their parameters' names
        if len(gradients) > len(parts):
            parts.append(TRYING["more"].format(count=len(gradients) - len(parts)))
        listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[:-1] else parts)
        return TRYING["gradients" if len(parts) > 1 else "one-gradient"].format(list=listed)

    # -- what came afterwards

    def _further(self) -> str:
        status, raised = self._outcome.status, self._raised()
        if status == "raised" and raised is not None:
            place, message = self._place_of(raised), _short(raised.message)
            return TRYING["then-raised"].format(type=raised.type, place=place, message=message)
        if f"then-{status}" not in TRYING or status == "raised":
            return ""
        return TRYING[f"then-{status}"].format(code=self._outcome.exit_code, seconds=self._timeout)

    def _raised(self) -> ExceptionInfo | None:
        if self._outcome.status != "raised":
            return None
        return next((each for each in reversed(self._trace.exceptions()) if not each.caught), None)

    def _place_of(self, error: ExceptionInfo) -> str:
        if error.stack:
            return self._place(error.stack[0].file, error.stack[0].line)
        return self._place(error.raised_file or "", error.raised_line or 0)

    def _place(self, file: str, line: int) -> str:
        """'line 14' in the script itself, 'model.py:14' elsewhere."""
        if not file or not line:
            return "an unknown place"
        return f"line {line}" if file == self._trace.run().script else f"{Path(file).name}:{line}"


def _short(message: str) -> str:
    first = message.splitlines()[0] if message else ""
    return first if len(first) <= LONGEST_MESSAGE else first[: LONGEST_MESSAGE - 1].rstrip() + "…"
