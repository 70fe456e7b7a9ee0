"""Errors that TensorFlow raises on purpose: a data set's end is silent, a numerics guard is told in its own words."""

from __future__ import annotations

from pathlib import Path

from gradviz.diagnose.examination import diagnose
from gradviz.document.run_request import Target
from gradviz.trace.reader import Trace
from tests.record.test_tensorflow_graphs import record
from tests.tensorflow_python import PYTHON, needs_tensorflow
from tests.transparency import run_recorded

pytestmark = needs_tensorflow

DATA_SET = """
import tensorflow as tf
w = tf.Variable([1.0, 2.0])
for batch in tf.data.Dataset.range(4).batch(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * tf.cast(batch, tf.float32))
    tape.gradient(loss, w)
"""
GUARDED = """
import tensorflow as tf
tf.debugging.enable_check_numerics()
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.math.log(w - 1.0))
"""


def test_the_end_of_a_data_set_is_silent(tmp_path: Path) -> None:
    trace = record(DATA_SET, tmp_path)

    assert len(trace.passes()) >= 1 and not trace.exceptions()
    assert [each.rule for each in diagnose(trace) if each.rule == "uncaught-exception"] == []


def test_a_numerics_guard_is_told_as_tensorflow_tells_it(tmp_path: Path) -> None:
    assert PYTHON is not None
    (tmp_path / "script.py").write_text(GUARDED, encoding="utf-8")
    run_recorded(Target("script", "script.py"), tmp_path, tmp_path / "run.gradviz", python=PYTHON)

    with Trace(tmp_path / "run.gradviz") as trace:
        (found,) = [each for each in diagnose(trace) if each.severity == "error"]
    assert (found.rule, found.line) == ("uncaught-exception", 6)
    assert 'Detected Infinity or NaN in output 0 of eagerly-executing op "Log"' in found.message
