"""The cases of TensorFlow's tapes, under its interpreter: each fault found where it is, each mended twin quiet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.source_imports import ROOT
from tests.tensorflow_python import PYTHON, needs_tensorflow

CASES = ROOT / "tests" / "data" / "cases"
NAMED = [each for each in json.loads((CASES / "cases.json").read_text(encoding="utf-8")) if each["framework"] == "tf"]
SILENT = {
    "a custom gradient of the wrong shape": (
        "@tf.custom_gradient\ndef scale(w, x):\n    def grad(up):\n        return up * x, up * w\n"
        "    return w * x, grad\n"
        "w = tf.Variable([1.0, 2.0, 3.0])\nwith tf.GradientTape() as tape:\n    y = scale(w, tf.ones([4, 3]))\n"
        "tape.gradient(y, w)\n",
        ("custom-backward-wrong-shape", 5, [3], [4, 3]),
    ),
    "a custom gradient whose shape is refused further on": (
        "@tf.custom_gradient\ndef halve(a):\n    def grad(up):\n        return tf.reduce_sum(up, axis=0) * 0.5\n"
        "    return a * 0.5, grad\n"
        "w = tf.Variable(tf.ones([2, 3]))\nwith tf.GradientTape() as tape:\n    y = halve(tf.exp(w)) + w\n"
        "tape.gradient(y, w)\n",
        ("custom-backward-wrong-shape", 5, [2, 3], [3]),
    ),
    "a custom gradient whose shape an optimizer refuses": (
        "@tf.custom_gradient\ndef halve(a):\n    def grad(up):\n        return tf.reduce_sum(up, axis=0) * 0.5\n"
        "    return a * 0.5, grad\n"
        "w = tf.Variable(tf.ones([2, 3]))\nwith tf.GradientTape() as tape:\n    y = halve(w)\n"
        "tf.keras.optimizers.SGD(0.1).apply_gradients([(tape.gradient(y, w), w)])\n",
        ("custom-backward-wrong-shape", 5, [2, 3], [3]),
    ),
    "a custom gradient with too few gradients": (
        "@tf.custom_gradient\ndef scale(w, x):\n    def grad(up):\n        return up * x\n"
        "    return w * x, grad\n"
        "w = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    y = scale(w, tf.ones([2]))\n"
        "tape.gradient(y, w)\n",
        ("custom-backward-wrong-count", 5, "2 gradients", "1 gradient"),
    ),
    "a broadcast in a Keras model's loss": (
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nx, y = tf.ones([8, 3]), tf.ones([8])\n"
        "with tf.GradientTape() as tape:\n    loss = tf.reduce_mean((model(x) - y) ** 2)\n"
        "tape.gradient(loss, model.trainable_variables)\n",
        ("silent-broadcast", 5, [8, 1], [8]),
    ),
    "one gradient of several that is None, in a loop that works with them": (
        "a, b = tf.Variable(1.0), tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    y, z = a * a, b * 3.0\n"
        "grads = tape.gradient(y, [a, b])\nfor g, v in zip(grads, [a, b]):\n    v.assign_sub(0.1 * g)\n",
        ("unused-input", 5, [], "None"),
    ),
    "numpy between two layers": (
        "import numpy as np\n"
        "first, last = tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)\nwith tf.GradientTape() as tape:\n"
        "    h = np.maximum(first(tf.ones([4, 2])).numpy(), 0)\n    loss = tf.reduce_mean(last(h) ** 2)\n"
        "tape.gradient(loss, first.trainable_variables + last.trainable_variables)\n",
        ("detached", 5, [2, 3], "None"),
    ),
    "a variable that is assigned inside the block": (
        "w, s = tf.Variable(2.0), tf.Variable(0.0)\nwith tf.GradientTape() as tape:\n    s.assign(w * 3.0)\n"
        "    y = s * s\ntape.gradient(y, w)\n",
        ("detached", 4, [], "None"),
    ),
    "one that isn't trainable, assigned inside the block": (
        "w, s = tf.Variable(2.0), tf.Variable(0.0, trainable=False)\nwith tf.GradientTape() as tape:\n"
        "    s.assign_add(w * 3.0)\n    y = s * s\ntape.gradient(y, w)\n",
        ("detached", 4, [], "None"),
    ),
    "a root at zero": (
        "v = tf.Variable([0.0, 1.0])\nwith tf.GradientTape() as tape:\n    y = tf.reduce_sum(tf.sqrt(v))\n"
        "tape.gradient(y, v)\n",
        ("non-finite-gradient", 4, None, None),
    ),
    "a product of shapes that don't fit": (
        "w = tf.Variable(tf.ones([3, 4]))\nwith tf.GradientTape() as tape:\n    y = tf.matmul(tf.ones([5, 4]), w)\n",
        ("forward-shape-error", 4, [4, 4], [3, 4]),
    ),
}


def report_of(script: Path) -> dict[str, Any]:
    assert PYTHON is not None
    command = [sys.executable, "-m", "gradviz", "check", str(script), "--json", "--python", PYTHON]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def loud(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in report["findings"] if each["severity"] in ("error", "warning")]


@needs_tensorflow
@pytest.mark.parametrize("case", NAMED, ids=[each["id"] for each in NAMED])
def test_a_case_is_found_or_quiet(case: dict[str, Any]) -> None:
    found = loud(report_of(CASES / case["file"]))

    if case["healthy"]:
        assert not found
        return
    (finding,) = found
    assert finding["rule"] == case["problem"]
    assert finding["line"] in {case["line"], *case.get("accept_lines", [])}


@needs_tensorflow
@pytest.mark.parametrize("name", SILENT)
def test_faults_of_every_framework_are_found_in_tensorflow_too(name: str, tmp_path: Path) -> None:
    text, (rule, line, expected, received) = SILENT[name]
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + text, encoding="utf-8")

    (finding,) = loud(report_of(tmp_path / "script.py"))

    assert (finding["rule"], finding["line"]) == (rule, line)
    if expected is not None:
        assert (finding["expected_shape"], finding["received_shape"]) == (expected, received)
    assert "torch" not in finding["fix"]


@needs_tensorflow
def test_what_is_written_for_a_norm_at_zero_mends_it(tmp_path: Path) -> None:
    text = "w = tf.Variable(tf.zeros([2, 3]))\nwith tf.GradientTape() as tape:\n    y = tf.norm(w, axis=1)\n"
    text = f"import tensorflow as tf\n{text}tape.gradient(y, w)\n"
    (tmp_path / "script.py").write_text(text, encoding="utf-8")

    (finding,) = loud(report_of(tmp_path / "script.py"))

    assert (finding["rule"], finding["line"]) == ("non-finite-gradient", 4)
    (tmp_path / "mended.py").write_text(text.replace("tf.norm(w, axis=1)", finding["fix"]), encoding="utf-8")
    assert not loud(report_of(tmp_path / "mended.py"))


@needs_tensorflow
def test_the_gallerys_program_is_quiet() -> None:
    report = report_of(ROOT / "resources" / "examples" / "eigenproblem_tensorflow.py")

    assert report["status"] == "ok" and not report["findings"]
    assert [each["completed"] for each in report["backwards"]] == [True]
