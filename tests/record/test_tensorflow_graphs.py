"""What is recorded of TensorFlow: graphs, steps and shapes; its gradients are PyTorch's on the same numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import torch

from gradviz.diagnose.examination import diagnose
from gradviz.document.run_request import Target
from gradviz.trace.model import Backward
from gradviz.trace.reader import Trace
from tests.tensorflow_python import PYTHON, needs_tensorflow
from tests.transparency import run_recorded

pytestmark = needs_tensorflow

EIGEN = """
import numpy as np
import tensorflow as tf
given = np.load("given.npz")
w, G, z = tf.constant(given["w"]), tf.constant(given["G"]), tf.Variable(given["z"])
with tf.GradientTape() as tape:
    e, v = tf.linalg.eigh(tf.linalg.diag(2 * z - tf.reduce_sum(w, 1)) + w)
    s = tf.reduce_sum(tf.square(e[-3:] * v[:, -3:]), 1)
    out = tf.reduce_sum(tf.matmul(G, tf.expand_dims(s, 1)))
np.save("gradient.npy", tape.gradient(out, z).numpy())
"""
LAYERS = """
import tensorflow as tf
tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = tf.random.normal([10, 6])
model.fit(x, x[:, :1], epochs=2, batch_size=10, verbose=0)
"""
NESTED = """
import tensorflow as tf
v = tf.Variable([1.0, 2.0])
@tf.function
def loss(a):
    return tf.reduce_sum(a**3)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        z = loss(v)
    d = inner.gradient(z, v)
    s = tf.reduce_sum(d)
outer.gradient(s, v)
with tf.GradientTape() as tape:
    parts = tf.split(v * 2.0, 2)
    o = parts[0] * 3.0
tape.gradient(o, v)
"""

# A model of one's own that a tf.function builds: Keras makes its variables when all of it is built.
BUILT_INSIDE = """
import tensorflow as tf
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = tf.keras.layers.Dense(4, name="hidden"), tf.keras.layers.Dense(1, name="out")
    def call(self, x):
        return self.out(self.hidden(x))
model, x = Net(), tf.ones([8, 3])
@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    return tape.gradient(loss, model.trainable_variables)
step()
"""

LEFT = """
import numpy as np
import tensorflow as tf
x, w = tf.constant([1.0, 2.0]), tf.Variable([0.5, 0.5])
with tf.GradientTape(persistent=True) as tape:
    h = tf.tanh(x * w)
    t = tf.constant(np.sum(h.numpy()))
s = tf.reduce_sum(h)
tape.gradient(t, w)
tape.gradient(s, w)
"""


def record(script: str, folder: Path) -> Trace:
    """The trace of a script under TensorFlow's interpreter."""
    assert PYTHON is not None
    (folder / "script.py").write_text(script, encoding="utf-8")
    recorded = run_recorded(Target("script", "script.py"), folder, folder / "run.gradviz", python=PYTHON)
    assert recorded.seen.exit_code == 0, recorded.seen.stderr.decode()
    trace = Trace(folder / "run.gradviz")
    assert not [note.text for note in trace.notes() if note.kind == "recorder-fault"]
    return trace


def names(trace: Trace, backward: Backward) -> list[str]:
    return [trace.node(backward.id, index).name for index in range(backward.nodes)]


def assert_every_node_ran_with_its_shape(trace: Trace, backward: Backward) -> None:
    """Each node once, given gradients of the very shapes of its outputs: a step taken for another node shows here."""
    steps = [trace.step(backward.id, number) for number in range(backward.steps)]
    assert sorted(step.node for step in steps) == list(range(backward.nodes))
    for step in steps:
        expected = trace.node(backward.id, step.node).expected
        given = [each.spec.shape for each in step.received if each.spec is not None]
        assert given == [spec.shape for spec in expected][: len(given)]


def test_the_eigenproblem_has_pytorchs_gradient(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    w = random.random((164, 164))
    given = {"w": (w + w.T) / 2, "G": random.random((79, 164)), "z": -random.random(164)}
    np.savez(tmp_path / "given.npz", **given)
    tensors = {name: torch.from_numpy(values) for name, values in given.items()}
    z = tensors["z"].clone().requires_grad_()

    with record(EIGEN, tmp_path) as trace:
        (backward,) = trace.passes()
        assert_every_node_ran_with_its_shape(trace, backward)
        (leaf,) = trace.leaves()
        assert leaf.name == "z" and leaf.grad_spec is not None and leaf.grad_spec.shape == (164,)
    lap = torch.diag(2 * z - tensors["w"].sum(1)) + tensors["w"]
    e, v = torch.linalg.eigh(lap)
    (tensors["G"] @ (e[-3:] * v[:, -3:]).square().sum(1)).sum().backward()

    assert z.grad is not None
    np.testing.assert_allclose(np.load(tmp_path / "gradient.npy"), z.grad.numpy(), rtol=1e-8)


def test_a_model_that_a_function_builds_has_its_names(tmp_path: Path) -> None:
    with record(BUILT_INSIDE, tmp_path) as trace:
        assert sorted(leaf.name for leaf in trace.leaves()) == [
            "hidden.bias",
            "hidden.kernel",
            "out.bias",
            "out.kernel",
        ]


def test_layers_are_modules_and_every_op_has_its_line(tmp_path: Path) -> None:
    with record(LAYERS, tmp_path) as trace:
        backward = trace.passes()[0]
        assert_every_node_ran_with_its_shape(trace, backward)
        assert [(m.path, m.class_name, m.parameters) for m in trace.modules()] == [
            ("", "Sequential", 33),
            ("dense", "Dense", 28),
            ("dense_1", "Dense", 5),
        ]
        assert sorted(leaf.name for leaf in trace.leaves()) == [
            "dense.bias", "dense.kernel", "dense_1.bias", "dense_1.kernel",
        ]  # fmt: skip
        ops = {op.number: op for op in trace.ops()}
        nodes = [trace.node(backward.id, index) for index in range(backward.nodes)]
        assert {ops[node.op].stack[0].line for node in nodes if node.op >= 0} == {7}
        assert any(note.kind == "function-eager" for note in trace.notes())


def test_a_layer_that_is_given_an_array_is_a_module_with_lines_all_the_same(tmp_path: Path) -> None:
    text = (
        "import numpy as np\nimport tensorflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])\n"
        "with tf.GradientTape() as tape:\n    loss = tf.reduce_sum(model(np.ones([5, 3], np.float32)))\n"
        "tape.gradient(loss, model.trainable_variables)\n"
    )
    with record(text, tmp_path) as trace:
        products = [op for op in trace.ops() if op.name == "tf.matmul"]
        calls = [trace.call(op.call) for op in products]
        modules = trace.modules()

        assert [[frame.line for frame in op.stack] for op in products] == [[5], [5]]
        assert [(m.root_name, m.path) for m in modules] == [("model", ""), (None, "dense"), (None, "dense_1")]
        assert [call is not None and modules[call.module].path for call in calls] == ["dense", "dense_1"]


def test_nested_tapes_and_ops_with_several_results(tmp_path: Path) -> None:
    with record(NESTED, tmp_path) as trace:
        inner, outer, split = trace.passes()
        assert names(trace, inner) == ["Sum", "Pow", "ReadVariableOp", "variable"]
        assert inner.create_graph and not outer.create_graph
        assert names(trace, outer)[:3] == ["Sum", "Mul", "Pow"]
        for backward in (inner, outer, split):
            assert_every_node_ran_with_its_shape(trace, backward)
        assert [len(trace.node(split.id, index).expected) for index in range(2)] == [1, 2]


def test_what_gradviz_patches_it_puts_back(tmp_path: Path) -> None:
    script = """
import json, sys
import tensorflow as tf
from tensorflow.python.eager import backprop, context, imperative_grad, record, tape
from tensorflow.python.framework import ops
from tensorflow.python.util import traceback_utils
def seen():
    owner = backprop.GradientTape
    return [owner.gradient, owner._push_tape, owner._pop_tape, owner.watch, imperative_grad.imperative_grad,
            record.record_operation, tape.variable_accessed, ops._EagerTensorBase.__array__,
            traceback_utils._EXCLUDED_PATHS, list(context.context().op_callbacks), len(sys.meta_path)]
before = seen()
sys.path.insert(0, sys.argv[1])
import gradviz
v = tf.Variable([1.0])
with gradviz.recording("inside.gradviz"):
    during = seen()
    with tf.GradientTape() as t:
        y = v * v
    t.gradient(y, v)
print(json.dumps([before == seen(), before == during]))
"""
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    root = str(Path(__file__).resolve().parents[2])
    assert PYTHON is not None

    done = subprocess.run([PYTHON, "script.py", root], cwd=tmp_path, capture_output=True, text=True)

    assert json.loads(done.stdout.splitlines()[-1]) == [True, False], done.stderr


def test_a_target_that_isnt_on_the_tape_shows_what_is(tmp_path: Path) -> None:
    trace = record(LEFT, tmp_path)
    for backward in trace.passes():
        assert names(trace, backward) == ["Tanh", "Mul", "ReadVariableOp", "variable"]
        assert (backward.steps, backward.roots[0].node) == (0, -1)
    assert [(leaf.name, leaf.stack[0].line) for leaf in trace.leaves()] == [("w", 4)]

    found = [each for each in diagnose(trace) if each.severity == "error"]

    assert [(each.rule, each.node) for each in found] == [("detached", "Tanh"), ("tape-unwatched", "Tanh")]
    assert [each.marks[0].node for each in found] == [0, 0]
