"""One function of HIPS autograd's or TensorFlow's, run alone: backward follows from what it returns, as in PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradviz.trace.reader import Trace
from tests.gradviz_command import Done, run_gradviz
from tests.tensorflow_python import PYTHON, needs_tensorflow

HIPS = """
import autograd.numpy as np
from autograd import grad
def loss(w, x, *, scale=1.0):
    return np.sum((np.dot(x, w) * scale) ** 2)
class Model:
    @staticmethod
    def wide(x):
        return {"count": 3, "values": np.tanh(x) * 2.0}
def slope(x):
    return grad(lambda a: np.sum(a ** 2))(x)
def nothing(x):
    return 1.0
def norm(x):
    return np.sqrt(np.sum(x ** 2))
def names_of_ours(self, function, fun, names):
    return np.sum(self * function * fun * names)
"""
TENSORFLOW = """
import numpy as np
import tensorflow as tf
bias = tf.Variable([0.5, 1.5])
def loss(w, x, *, scale=1.0):
    return tf.reduce_sum((tf.linalg.matvec(x, w) * scale) ** 2)
class Model:
    @staticmethod
    def wide(x):
        return {"count": 3, "values": tf.tanh(x) * 2.0}
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x ** 2)
    return tape.gradient(y, x)
@tf.function
def shifted(x):
    return x + bias
def cut(x):
    return tf.constant(x.numpy() * 2.0)
def norm(x):
    return tf.sqrt(tf.reduce_sum(x ** 2))
def names_of_ours(self, function, fun, names):
    return tf.reduce_sum(self * function * fun * names)
def square(x):
    return tf.square(tf.cast(x, tf.float32))
"""


class Framework:
    """How a test's arguments are made in a framework, and under which interpreter its file runs."""

    def __init__(self, text: str, array: str, python: str | None) -> None:
        self.text = text
        self.array = array
        self.interpreter = ["--python", python] if python else []

    def line(self, start: str, further: int = 0) -> int:
        return self.text.splitlines().index(start) + 1 + further

    def run(self, folder: Path, function: str, arguments: dict[str, str], *more: str) -> Done:
        return run_gradviz("check", *self._words(folder, function, arguments), *more, "--json", cwd=folder)

    def recorded(self, folder: Path, function: str, arguments: dict[str, str]) -> Trace:
        words = self._words(folder, function, arguments)
        done = run_gradviz("record", *words, "-o", "run.gradviz", cwd=folder)
        assert done.exit_code == 0, done.stderr
        return Trace(folder / "run.gradviz")

    def _words(self, folder: Path, function: str, arguments: dict[str, str]) -> list[str]:
        (folder / "work.py").write_text(self.text, encoding="utf-8")
        given = [each for name, value in arguments.items() for each in ("--arg", f"{name}={value}")]
        return [f"work.py::{function}", *given, *self.interpreter]


IN_HIPS = Framework(HIPS, "np.array({})", None)
IN_TENSORFLOW = Framework(TENSORFLOW, "tf.constant({})", PYTHON)
BOTH = pytest.mark.parametrize(
    "framework",
    [pytest.param(IN_HIPS, id="hips"), pytest.param(IN_TENSORFLOW, id="tensorflow", marks=needs_tensorflow)],
)


@BOTH
def test_every_argument_is_a_leaf_with_its_gradient(framework: Framework, tmp_path: Path) -> None:
    made = framework.array.format
    arguments = {"w": made("[1., 2.]"), "x": made("[[1., 0.], [0., 3.]]"), "scale": "2.0"}

    with framework.recorded(tmp_path, "loss", arguments) as trace:
        (backward,) = trace.passes()
        leaves = {leaf.name: leaf for leaf in trace.leaves()}
        norms = {name: leaf.grad_stats.norm for name, leaf in leaves.items() if leaf.grad_stats is not None}

    assert (backward.phase, backward.outcome, any(backward.seeds)) == ("offered", "completed", False)
    assert set(leaves) == {"w", "x"}
    # d/dw |2 x w|^2 = 8 x^T x w = 8 (1, 18);  d/dx = 8 (x w) w^T = 8 (1, 6) (1, 2)^T
    assert norms["w"] == pytest.approx(8 * (1 + 18**2) ** 0.5)
    assert norms["x"] == pytest.approx(8 * (37 * 5) ** 0.5)


@BOTH
def test_arguments_may_bear_any_name(framework: Framework, tmp_path: Path) -> None:
    names = ("self", "function", "fun", "names")
    arguments = {name: framework.array.format("[1., 2.]") for name in names}

    with framework.recorded(tmp_path, "names_of_ours", arguments) as trace:
        assert {leaf.name for leaf in trace.leaves()} == set(names)
        assert [each.outcome for each in trace.passes()] == ["completed"]


@BOTH
def test_of_a_dictionary_the_first_tensor_is_taken_and_its_seed_is_shown(framework: Framework, tmp_path: Path) -> None:
    with framework.recorded(tmp_path, "Model.wide", {"x": framework.array.format("[1., 1., 1.]")}) as trace:
        (backward,) = trace.passes()

    (seed,) = backward.seeds
    assert (backward.phase, backward.outcome) == ("offered", "completed")
    assert seed is not None and seed.spec.shape == (3,)


@BOTH
@pytest.mark.parametrize(("numbers", "exit_code"), [("[1., 2., 3.]", 0), ("[1., 2., 3., 4.]", 1)])
def test_the_seed_can_be_given(numbers: str, exit_code: int, framework: Framework, tmp_path: Path) -> None:
    seed = framework.array.format(numbers)

    done = framework.run(tmp_path, "Model.wide", {"x": framework.array.format("[1., 1., 1.]")}, "--seed-gradient", seed)

    assert done.exit_code == exit_code, done.stdout
    for finding in done.loud:
        assert finding["rule"] == "seed-shape-mismatch"
        assert (finding["expected_shape"], finding["received_shape"]) == ([3], [4])
        assert "--seed-gradient" in finding["explanation"] and seed in finding["message"]


@BOTH
def test_a_function_that_differentiates_by_itself_is_left_alone(framework: Framework, tmp_path: Path) -> None:
    with framework.recorded(tmp_path, "slope", {"x": framework.array.format("[1., 1., 1.]")}) as trace:
        (backward,) = trace.passes()

    assert (backward.phase, backward.create_graph, backward.outcome) == ("run", False, "completed")


@BOTH
def test_faults_are_explained_at_their_line(framework: Framework, tmp_path: Path) -> None:
    done = framework.run(tmp_path, "norm", {"x": framework.array.format("[0., 0.]")})

    (finding,) = done.loud
    assert (finding["rule"], finding["line"]) == ("non-finite-gradient", framework.line("def norm(x):", 1))


def test_a_result_that_hangs_on_nothing_is_no_warning_of_autograds(tmp_path: Path) -> None:
    done = IN_HIPS.run(tmp_path, "nothing", {"x": "np.ones(3)"})

    assert (done.exit_code, done.report["backwards"], done.stderr) == (0, [], "")


def test_whole_numbers_are_told_of(tmp_path: Path) -> None:
    done = IN_HIPS.run(tmp_path, "norm", {"x": "np.arange(3)"})

    (finding,) = done.loud
    assert (finding["rule"], finding["line"]) == ("detached", IN_HIPS.line("def norm(x):"))
    assert finding["fix"] == "x = np.array(np.arange(3), dtype=float)"


def test_without_an_argument_nothing_is_traced(tmp_path: Path) -> None:
    text = "import autograd.numpy as np\ndef main():\n    return np.sum(np.ones(3))\n"

    done = Framework(text, "", None).run(tmp_path, "main", {})

    assert (done.exit_code, done.report["status"], done.report["backwards"]) == (0, "ok", [])


@needs_tensorflow
def test_a_variable_is_reached_without_an_argument_that_a_tape_follows(tmp_path: Path) -> None:
    with IN_TENSORFLOW.recorded(tmp_path, "shifted", {"x": "np.ones(2, 'float32')"}) as trace:
        assert [leaf.name for leaf in trace.leaves()] == ["bias"]
        assert [each.phase for each in trace.passes()] == ["offered"]


@needs_tensorflow
@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("np.ones(2)", "x = tf.constant(np.ones(2))"),
        ("tf.constant([1, 2])", "x = tf.cast(tf.constant([1, 2]), tf.float32)"),
    ],
)
def test_arguments_that_no_tape_follows_are_told(given: str, fix: str, tmp_path: Path) -> None:
    done = IN_TENSORFLOW.run(tmp_path, "square", {"x": given})

    (finding,) = done.loud
    wanted: tuple[Any, ...] = ("detached", "warning", IN_TENSORFLOW.line("def square(x):"), fix)
    assert (finding["rule"], finding["severity"], finding["line"], finding["fix"]) == wanted


@needs_tensorflow
def test_a_way_that_was_cut_is_told_where(tmp_path: Path) -> None:
    done = IN_TENSORFLOW.run(tmp_path, "cut", {"x": "tf.ones([2])"})

    (finding,) = done.loud
    assert (finding["rule"], finding["line"]) == ("detached", IN_TENSORFLOW.line("def cut(x):", 1))
    assert finding["message"].startswith("cut() hangs on nothing that gradviz's tape follows: .numpy()")
