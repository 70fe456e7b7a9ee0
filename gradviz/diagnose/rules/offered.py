"""A function that gradviz called, to run backward from what it returned: where there is nothing to differentiate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules.cut import cut_finding
from gradviz.diagnose.rules.ends import End
from gradviz.diagnose.rules.offered_code import definition, floating, requiring, returned_name, returns_of
from gradviz.diagnose.rules.offered_way import cut_before_result, cut_of_result, last_graph_in
from gradviz.diagnose.source import Place
from gradviz.trace import model

# Kinds of notes that gradviz/record/pytorch/offer.py writes; the first is of recordings made by gradviz 0.1.0.
NOTHING_REQUIRED = "nothing-required"
NO_GRAPH = "offered-without-graph"


@dataclass(frozen=True)
class Given:
    """An argument: `kind` asks (for a gradient) | could (ask) | whole (numbers) | number (a Python float) | ""."""

    name: str
    kind: str
    value: int


@dataclass(frozen=True)
class Offer:
    """What went in and came out of the function."""

    arguments: tuple[Given, ...]
    results: tuple[int, ...]  # numbers of the tensors
    returned: str  # type

    def of_kind(self, kind: str) -> list[Given]:
        return [each for each in self.arguments if each.kind == kind]


def find(exam: Examination) -> Iterator[Finding]:
    """detached: numbers went in and came out, and there was nothing to differentiate."""
    case = exam.case
    for note in case.trace.notes():
        if note.kind == NOTHING_REQUIRED:
            names = note.detail.get("arguments")
            if isinstance(names, list) and names:
                yield _nothing_required(exam, [Given(str(name), "could", -1) for name in names])
        offer = _offer(note) if note.kind == NO_GRAPH else None
        if offer is not None and not any(one.phase == "run" for one in case.passes):
            yield from _without_graph(exam, offer)


def _offer(note: model.Note) -> Offer | None:
    """The note's parts; None where they are not what the recorder writes."""
    arguments, results = note.detail.get("arguments"), note.detail.get("results")
    if not isinstance(arguments, list) or not isinstance(results, list):
        return None
    given = []
    for each in arguments:
        if not isinstance(each, list) or len(each) != 3 or not isinstance(each[2], int):
            return None
        given.append(Given(str(each[0]), str(each[1]), each[2]))
    numbers = tuple(each for each in results if isinstance(each, int))
    return Offer(tuple(given), numbers, str(note.detail.get("returned", "")))


def _without_graph(exam: Examination, offer: Offer) -> Iterator[Finding]:
    """Why the result has no graph: it was cut off, was never made of what could have one, or nothing asked."""
    case = exam.case
    asks, could = offer.of_kind("asks"), offer.of_kind("could")
    cut = cut_of_result(case, offer.results)
    if cut is not None:
        # Gradients switched off in a function that nobody gave anything to differentiate by are meant to be off.
        severity = "error" if asks else "warning" if could or not cut.no_grad else "note"
        yield cut_finding(exam, replace(_end(exam, offer), severity=severity), cut)
    elif asks:
        yield from _asked_in_vain(exam, offer, asks)
    elif could:
        yield _nothing_required(exam, could)
        later = cut_before_result(case, offer.results, {each.value for each in could})
        if later is not None:
            found = cut_finding(exam, replace(_end(exam, offer), severity="warning"), later)
            yield replace(found, confidence=0.8)
    elif offer.of_kind("whole") and (offer.results or offer.returned in ("float", "int")):
        yield _whole_numbers(exam, offer.of_kind("whole"))
    elif offer.of_kind("number") and offer.results:
        yield _plain_numbers(exam, offer.of_kind("number"))


def _end(exam: Examination, offer: Offer) -> End:
    case = exam.case
    value = offer.results[0] if offer.results else -1
    returns = returns_of(case)
    fields = {"symptom_line": returns[-1].lineno} if returns else {}
    return End(returned_name(case), value, (), fields)


def _asked_in_vain(exam: Examination, offer: Offer, asks: list[Given]) -> Iterator[Finding]:
    """An argument asks for a gradient, and no call leads from it to the result."""
    case = exam.case
    function, names = _function(exam), ", ".join(each.name for each in asks)
    if offer.returned == "NoneType":
        made = last_graph_in(case)
        if made is not None:  # a graph was built and let go
            name, place = made
            parts: dict[str, object] = {"function": function, "name": name, "line": place.line}
            yield exam.writer.write("detached", "warning", place, "offered-returned-nothing", parts, op="")
    elif offer.results:
        parts = {"function": function, "names": names, "name": asks[0].name}
        yield exam.writer.write("detached", "warning", _place(exam), "offered-not-from", parts, op="")


def _nothing_required(exam: Examination, given: list[Given]) -> Finding:
    return _at_definition(exam, given, "warning", "offered-nothing-required", requiring(_written(exam, given[0].name)))


def _whole_numbers(exam: Examination, given: list[Given]) -> Finding:
    return _at_definition(exam, given, "warning", "offered-whole-numbers", floating(_written(exam, given[0].name)))


def _plain_numbers(exam: Examination, given: list[Given]) -> Finding:
    """A note: a number that is no tensor may well be a setting."""
    new = f"torch.tensor({_written(exam, given[0].name)}, requires_grad=True)"
    return _at_definition(exam, given, "note", "offered-plain-numbers", new)


def _at_definition(exam: Examination, given: list[Given], severity: str, words: str, new: str) -> Finding:
    """Of arguments, at the function that takes them; `new`: how the first of them is given instead."""
    parts = {
        "function": _function(exam),
        "names": ", ".join(each.name for each in given),
        "name": given[0].name,
        "new": new,
    }
    return exam.writer.write("detached", severity, definition(exam.case), words, parts, op="")


def _function(exam: Examination) -> str:
    return exam.case.run.function or exam.case.words("the-function-first")


def _written(exam: Examination, name: str) -> str:
    """The expression that was given for an argument."""
    given = {str(pair[0]): str(pair[1]) for pair in exam.case.run.arguments if len(pair) == 2}
    return given.get(name, name)


def _place(exam: Examination) -> Place:
    """Where the result is returned; where the function is defined, if it says so in several places."""
    case, returns = exam.case, returns_of(exam.case)
    code = case.code(case.run.script or case.run.target)
    return code.place(returns[0]) if code is not None and len(returns) == 1 else definition(case)
