"""A script in PyTorch and in TensorFlow, each as it is usually written: the same gradient, shapes and leaf.

Recorded as the app does it, by a recorder process; test_frontend_contract.py compares the rest.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gradviz.document.run_request import Target
from gradviz.trace.reader import Trace
from tests.tensorflow_python import PYTHON, needs_tensorflow
from tests.transparency import run_recorded

PYTORCH = """
import json, torch
x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3) / 7
w = torch.linspace(-1.0, 1.0, 3, dtype=torch.float64).requires_grad_()
"""
TENSORFLOW = """
import json
import tensorflow as tf
x = tf.reshape(tf.range(6, dtype=tf.float64), [2, 3]) / 7
w = tf.Variable(tf.linspace(tf.constant(-1.0, tf.float64), 1.0, 3))
"""
PYTORCH_END = "\ny.backward()\nopen('gradient.json', 'w').write(json.dumps(w.grad.tolist()))\n"
TENSORFLOW_END = "\nopen('gradient.json', 'w').write(json.dumps(tape.gradient(y, w).numpy().tolist()))\n"
PROGRAMS = {
    "functions in a row": ("y = (x * w).tanh().square().mean()", "y = tf.reduce_mean(tf.square(tf.tanh(x * w)))"),
}


@dataclass(frozen=True)
class Run:
    """What is compared: gradient, shapes given to the nodes that compute, in any order, and the leaf's name."""

    gradient: list[float]
    shapes: list[str]
    leaf: str


def run(text: str, folder: Path, python: str | None) -> Run:
    folder.mkdir()
    (folder / "script.py").write_text(text, encoding="utf-8")
    target, trace_file = Target("script", "script.py"), folder / "run.gradviz"
    seen = run_recorded(target, folder, trace_file, python=python or sys.executable).seen
    assert seen.exit_code == 0, seen.stderr.decode()
    with Trace(trace_file) as trace:
        (backward,) = trace.passes()
        (leaf,) = trace.leaves()
        nodes = [trace.node(backward.id, trace.step(backward.id, at).node) for at in range(backward.steps)]
        computing = [node for node in nodes if node.op >= 0 and node.name != "ReadVariableOp"]  # torch has no reads
        shapes = sorted(str(spec.shape) for node in computing for spec in node.expected)
    return Run(json.loads((folder / "gradient.json").read_text(encoding="utf-8")), shapes, leaf.name)


@needs_tensorflow
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_and_shapes_are_the_same(name: str, tmp_path: Path) -> None:
    in_torch, in_tensorflow = PROGRAMS[name]

    one = run(PYTORCH + in_torch + PYTORCH_END, tmp_path / "torch", None)
    other = run(
        f"{TENSORFLOW}with tf.GradientTape() as tape:\n    {in_tensorflow}{TENSORFLOW_END}", tmp_path / "tf", PYTHON
    )

    assert other.gradient == pytest.approx(one.gradient, rel=1e-8)
    assert other.shapes == one.shapes
    assert other.leaf == one.leaf == "w"
