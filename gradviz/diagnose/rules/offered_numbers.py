"""A function of TensorFlow's or HIPS autograd's that gradviz called: where it was given nothing to differentiate by."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.hips_code import own_numpy
from gradviz.diagnose.rules.offered_code import definition
from gradviz.trace import model

NOT_FOLLOWED = "offered-not-followed"  # kind of note; gradviz/record/{tensorflow,hips}/offer.py write it
# What an argument was -> the phrase, and what makes something else of its expression.
_IN_TENSORFLOW = {
    "array": ("offered-not-followed", "tf.constant({given})"),
    "whole": ("offered-whole-numbers", "tf.cast({given}, tf.float32)"),
}
_IN_AUTOGRAD = {"whole": ("hips-offered-whole", "{np}.array({given}, dtype=float)")}


def find(exam: Examination) -> Iterator[Finding]:
    """detached: numbers went in and came out, and none of them was what the framework follows."""
    for note in exam.case.trace.notes():
        if note.kind == NOT_FOLLOWED:
            yield from _told(exam, note)


def _told(exam: Examination, note: model.Note) -> Iterator[Finding]:
    arguments = note.detail.get("arguments")
    given = [each for each in arguments if isinstance(each, list)] if isinstance(arguments, list) else []
    kinds = {str(each[0]): str(each[1]) for each in given if len(each) == 2}
    phrases = _IN_AUTOGRAD if note.detail.get("framework") == "autograd" else _IN_TENSORFLOW
    for kind, (phrase, new) in phrases.items():
        names = [name for name, each in kinds.items() if each == kind]
        if names:
            yield _finding(exam, names, phrase, new)
            return


def _finding(exam: Examination, names: list[str], phrase: str, new: str) -> Finding:
    case, name = exam.case, names[0]
    written = {str(pair[0]): str(pair[1]) for pair in case.run.arguments if len(pair) == 2}.get(name, name)
    place = definition(case)
    parts = {
        "function": case.run.function or case.words("the-function-first"),
        "names": ", ".join(names),
        "name": name,
        "new": new.format(given=written, np=own_numpy(case.code(place.file))),
    }
    return exam.writer.write("detached", "warning", place, phrase, parts, op="")
