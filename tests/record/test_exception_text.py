"""What the recorder says of an exception: Python's own words, unless they are made by code of the script's."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

from gradviz.diagnose.examination import diagnose
from gradviz.document.run_request import Target
from gradviz.record.exceptiontext import message_of, text_of
from gradviz.trace.reader import Trace
from tests.transparency import assert_same, run_bare, run_recorded


class Loud:
    """A test fails where one of its words is asked for."""

    def __str__(self) -> str:
        raise AssertionError("called")

    __repr__ = __str__


class LoudError(Exception):
    def __str__(self) -> str:
        raise SystemExit("called")  # no Exception: nothing would swallow it


class HiddenArguments(ValueError):
    @property
    def args(self) -> Any:  # type: ignore[override]  # as a careless class may have it
        raise SystemExit("called")


def raised(make: Callable[[], BaseException], cause: BaseException | None = None) -> BaseException:
    try:
        raise make() from cause
    except BaseException as error:  # noqa: BLE001  # whatever it is
        return error


@pytest.mark.parametrize(
    "make",
    [
        lambda: ValueError("a word"),
        lambda: ValueError("two", 3, (4.0, None)),
        lambda: ValueError(),
        lambda: KeyError("k"),
        lambda: KeyError(numpy.int64(3)),
        lambda: OSError(2, "No such file", Path("x")),
        lambda: SyntaxError("bad", ("f.py", 1, 2, "x =\n")),
        lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        lambda: torch.OutOfMemoryError("no room"),
        lambda: RuntimeError(torch.Size([2, 3]), torch.float32),
        lambda: ValueError(ValueError("inner")),
    ],
)
def test_known_exceptions_are_told_as_python_tells_them(make: Callable[[], BaseException]) -> None:
    error = raised(make)

    assert message_of(error) == str(error)
    assert text_of(error) == "".join(traceback.format_exception(type(error), error, error.__traceback__))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LoudError("its", 2), "('its', 2)"),
        (lambda: LoudError("its"), "its"),
        (lambda: LoudError(), ""),
        (lambda: ValueError(Loud()), "<Loud>"),
        (lambda: ValueError("x", [Loud()]), "('x', <list>)"),
        (lambda: KeyError(LoudError("k")), "<LoudError>"),
        (lambda: HiddenArguments("h", 1), "('h', 1)"),
        (lambda: ValueError(torch.ones(2)), "<Tensor>"),
        (lambda: ValueError(numpy.array([Loud()], dtype=object)), "<ndarray>"),
    ],
)
def test_nothing_of_the_scripts_is_called(make: Callable[[], BaseException], message: str) -> None:
    error = raised(make)
    outer = raised(lambda: RuntimeError("outer"), cause=error)

    assert message_of(error) == message
    assert message in text_of(error) and type(error).__name__ in text_of(error)
    text = text_of(outer)
    assert text.index(type(error).__name__) < text.index("direct cause") < text.index("RuntimeError: outer")


SWALLOWED = """
import sys
import autograd.numpy as np
from autograd import grad
from autograd.extend import primitive, defvjp
class Counted(Exception):
    def __str__(self):
        print("asked")
        return "counted"
    __repr__ = __str__
class Word:
    def __str__(self):
        print("asked for a word")
        return "word"
    __repr__ = __str__
def bad(x):
    raise Counted("at 4")
@primitive
def double(x):
    return x * 2
def vjp(ans, x):
    def run(g):
        raise ValueError(Word())
    return run
defvjp(double, vjp)
for function in (bad, lambda x: np.sum(double(x))):
    try:
        grad(function)(np.arange(3.0))
    except Exception as error:
        print("caught", type(error).__name__)
"""


@pytest.mark.parametrize("end", ["", "bad(1)\n", "sys.exit(Word())\n"])
def test_a_script_whose_exceptions_have_words_of_their_own(end: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SWALLOWED + end, encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz")

    assert_same(bare, recorded.seen)
    with Trace(tmp_path / "run.gradviz") as trace:
        diagnose(trace)
        known = [(each.type, each.message) for each in trace.exceptions()]
        assert ("ValueError", "<Word>") in known
