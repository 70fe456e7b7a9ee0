"""Runs the rules over a recording: errors first, then silent faults; one finding per fault, likeliest first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gradviz.diagnose.build import Writer
from gradviz.diagnose.case import Case, TraceView
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.rules import (
    attention,
    axis,
    broadcast,
    crash,
    custom_silent,
    custom_value,
    cut,
    fading,
    higher_order,
    hips_objects,
    hips_vjp,
    inplace,
    layout,
    lost,
    non_leaf,
    nonfinite,
    offered,
    offered_numbers,
    replaced_parameter,
    seed_cast,
    seeds,
    startup,
    tape,
    tape_custom,
    tape_none,
)
from gradviz.diagnose.tape_calls import ENTRY
from gradviz.diagnose.triage import explain
from gradviz.diagnose.words.catalogue import ENGLISH
from gradviz.diagnose.words.phrase import Catalogue

_RANK = {"error": 0, "warning": 1, "note": 2}
# What a fault that went unseen leads to further on.
_LEADS_TO = {
    "silent-broadcast": {"implicit-non-scalar", "forward-shape-error", "zero-gradient", "vanishing-gradient"},
    "custom-backward-wrong-shape": {"forward-shape-error"},
}


def diagnose(trace: TraceView, catalogue: Catalogue = ENGLISH, place: str = "window") -> tuple[Finding, ...]:
    """What went wrong in a recording, most likely cause first; () when nothing did. `place`: where it is read, one of
    fragments.PLACES.
    """
    case = Case(trace, catalogue.fragments)
    exam = Examination(case, Writer(case, catalogue, place))
    found = list(_errors(exam))
    found += _silent(exam)
    if not any(one.severity != "note" for one in found):
        found += _suspected(exam)
    return _ordered(_folded(_distinct(found)))


def _errors(exam: Examination) -> Iterator[Finding]:
    for error in exam.case.exceptions:
        if not any(rule.is_effect(exam, error) for rule in (tape_none, replaced_parameter, non_leaf)):
            yield from explain(exam, error)
    died = crash.worker_died(exam)
    if died is not None:
        yield died
    ended = startup.ended_early(exam)
    if ended is not None:
        yield ended


def _silent(exam: Examination) -> Iterator[Finding]:
    """Faults that raise nothing."""
    for backward in exam.case.passes:
        if backward.outcome == "completed":
            surplus = seeds.count_mismatch(exam, backward)
            if surplus is not None:
                yield surplus
            yield from seed_cast.find(exam, backward)
            on_nothing = cut.from_leaf(exam, backward)
            if on_nothing is not None:
                yield on_nothing
        yield from hips_vjp.silent(exam, backward)
        yield from tape.silent(exam, backward)
        yield from tape_custom.find(exam, backward)
        if backward.entry != ENTRY:  # TensorFlow neither sums nor casts what a custom gradient returns
            yield from custom_silent.silent(exam, backward)
    yield from hips_objects.objects(exam)
    yield from tape_none.find(exam)
    yield from broadcast.find(exam)
    yield from inplace.via_data(exam)
    yield from nonfinite.find(exam)
    yield from offered.find(exam)
    yield from offered_numbers.find(exam)
    yield from higher_order.penalties(exam)
    yield from replaced_parameter.find(exam)
    yield from non_leaf.find(exam)


def _suspected(exam: Examination) -> Iterator[Finding]:
    """What is likely wrong, looked for only where nothing certainly is: much of it could be the consequence."""
    found = list(lost.find(exam))
    yield from found or lost.cut_on_the_way(exam)
    yield from custom_value.find(exam)
    yield from fading.flat(exam)
    yield from fading.vanishing(exam)
    yield from axis.softmax_over_batch(exam)
    yield from axis.batch_first(exam)
    yield from attention.weights(exam)
    yield from layout.scrambled(exam)


def _distinct(found: Iterable[Finding]) -> list[Finding]:
    """A fault that shows in many passes is told once."""
    first: dict[tuple[object, ...], Finding] = {}
    for one in found:
        key = (one.rule, one.file, one.line, one.node)
        held = first.get(key)
        if held is None or _RANK[one.severity] < _RANK[held.severity]:
            first[key] = one
    return list(first.values())


def _folded(found: list[Finding]) -> list[Finding]:
    """Consequences told under their cause."""
    cause = next((one for one in found if one.rule in _LEADS_TO and one.severity != "note"), None)
    if cause is None:
        return found
    kept, effects = [], []
    for one in found:
        if one.rule in _LEADS_TO[cause.rule] and _later(cause, one):
            effects.append(one.message)
        else:
            kept.append(one)
    if effects:
        kept = [dataclasses.replace(one, effects=(*one.effects, *effects)) if one is cause else one for one in kept]
    return kept


def _later(cause: Finding, effect: Finding) -> bool:
    """Whether the effect shows what the cause made: its shape."""
    made = cause.result_shape if cause.rule == "silent-broadcast" else cause.received_shape
    return made in (effect.received_shape, effect.expected_shape)


def _ordered(found: list[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda f: (_RANK[f.severity], -f.confidence)))
