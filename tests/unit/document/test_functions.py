"""The functions of a file that can be run alone, read without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.functions import Function, Parameter, list_functions, makes_only
from gradviz.errors import NotStartedError

SOURCE = '''
import torch
raise SystemExit("the file must not be run")

def loss(x, y: "torch.Tensor", scale=2.0, *, weight: float = 0.5, **rest):
    """Squared error.

    More words."""
    return ((x - y) ** 2).sum() * scale

class Model(torch.nn.Module):
    @staticmethod
    def wide(x, /, n):
        return x

    def forward(self, x):
        return x

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

try:
    import other
except ImportError:
    def other(a):
        a.sum().backward()

if True:
    def late(): ...

async def waits(x): ...

if __name__ == "__main__":
    def main(): ...
'''


def listed(folder: Path, source: str) -> dict[str, Function]:
    (folder / "script.py").write_text(source, encoding="utf-8")
    return {function.name: function for function in list_functions(folder / "script.py")}


def test_top_level_functions_and_static_methods_are_listed_in_order(tmp_path: Path) -> None:
    assert list(listed(tmp_path, SOURCE)) == ["loss", "Model.wide", "other", "late"]


def test_parameters_come_with_defaults_and_annotations(tmp_path: Path) -> None:
    loss = listed(tmp_path, SOURCE)["loss"]

    assert loss.parameters == (
        Parameter("x"),
        Parameter("y", annotation="'torch.Tensor'"),
        Parameter("scale", default="2.0"),
        Parameter("weight", default="0.5", annotation="float"),
    )
    assert [each.name for each in loss.parameters if each.required] == ["x", "y"]
    assert (loss.line, loss.documentation, loss.takes_any) == (5, "Squared error.", True)


def test_a_function_that_runs_backward_itself_is_known(tmp_path: Path) -> None:
    functions = listed(tmp_path, SOURCE)

    assert functions["other"].calls_backward
    assert not functions["loss"].calls_backward


@pytest.mark.parametrize(
    "body", ["loss.backward()", "torch.autograd.grad(y, x)", "grad(loss)(x)", "tape.gradient(y, x)", "g = jacobian(f)"]
)
def test_each_framework_has_its_own_word_for_it(body: str, tmp_path: Path) -> None:
    assert listed(tmp_path, f"def f(x):\n    {body}\n")["f"].calls_backward


@pytest.mark.parametrize(
    ("imports", "framework"),
    [
        ("import torch", "torch"),
        ("import tensorflow as tf\nimport numpy as np", "tf"),
        ("import autograd.numpy as np", "np"),
        ("from autograd import grad, numpy as anp", "anp"),
        ("import numpy as np", "torch"),
    ],
)
def test_arguments_are_made_by_the_framework_that_the_file_imports(
    imports: str, framework: str, tmp_path: Path
) -> None:
    assert listed(tmp_path, f"{imports}\ndef f(x): ...\n")["f"].framework == framework


def test_of_two_with_one_name_the_later_counts(tmp_path: Path) -> None:
    functions = listed(tmp_path, "def f(a): ...\ndef f(b): ...\n")

    assert functions["f"].line == 2
    assert [each.name for each in functions["f"].parameters] == ["b"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"def f(:\n", "isn't valid Python: invalid syntax (line 1)"),
        (b"\0", "isn't valid Python"),
        (b"# caf\xe9\nx = '\xe9'\n", "isn't valid Python"),
    ],
)
def test_a_broken_file_is_told_in_a_sentence(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_bytes(data)

    with pytest.raises(NotStartedError, match=r"script\.py") as caught:
        list_functions(tmp_path / "script.py")

    assert words in str(caught.value)


def test_a_missing_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotStartedError, match="can't be read"):
        list_functions(tmp_path / "nothing.py")


@pytest.mark.parametrize("encoding", ["gbk", "latin-1", "utf-8"])
def test_any_declared_encoding_will_do(encoding: str, tmp_path: Path) -> None:
    text = (
        f"# -*- coding: {encoding} -*-\ndef größe(x='ü'): ...\n"
        if encoding != "gbk"
        else ("# -*- coding: gbk -*-\ndef 中文(x): ...\n")
    )
    (tmp_path / "script.py").write_bytes(text.encode(encoding))

    assert [each.name for each in list_functions(tmp_path / "script.py")] == ["中文" if encoding == "gbk" else "größe"]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("def f(x):\n    for i in range(3):\n        yield x * i\n", "generator"),
        ("async def f(x):\n    return x\n", "coroutine"),
        ("async def f(x):\n    yield x\n", "generator"),
        ("def f(x):\n    def g():\n        yield x\n    return sum(g())\n", ""),
        ("@total\ndef f(x):\n    yield x\n", ""),
        ("async def f(x): ...\ndef f(x): ...\n", ""),
    ],
)
def test_what_calling_it_alone_only_makes(source: str, made: str, tmp_path: Path) -> None:
    assert list(listed(tmp_path, source)) == ([] if made else ["f"])
    assert makes_only(tmp_path / "script.py", "f") == made


def test_nothing_is_told_of_a_function_that_isnt_there(tmp_path: Path) -> None:
    listed(tmp_path, SOURCE)
    assert makes_only(tmp_path / "script.py", "gone") == ""
    assert makes_only(tmp_path / "script.py", "waits") == "coroutine"
