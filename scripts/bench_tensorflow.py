"""What recording costs a TensorFlow script: a training step of an 8-layer MLP, recorded and bare, in its interpreter.

TensorFlow lives in a venv of its own: this module starts itself there. Every timed step is a structure that the
recording hasn't seen, as in bench_recorder.py. Processor time of the process: other programs don't count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAME = "recorder.tensorflow.mlp"
LEVELS = ("shapes", "summaries")
STEPS = 24  # enough that closing the file is shared by several
NUMBER_BITS = 6
WIDTH, LAYERS, BATCH = 512, 8, 128


def rows(rounds: int, wanted: Callable[[str], bool]) -> list[Any]:
    """The rows; none where TensorFlow isn't installed, which the table then shows as missing."""
    from bench_measure import Measured, ratio_of

    python = os.environ.get("GRADVIZ_TENSORFLOW_PYTHON") or str(ROOT / ".venv-tensorflow" / "bin" / "python")
    if not Path(python).exists() or not any(wanted(f"{NAME}.{level}") for level in LEVELS):
        return []
    done = subprocess.run([python, __file__, str(rounds)], capture_output=True, text=True, cwd=ROOT, check=True)
    times = json.loads(done.stdout.splitlines()[-1])
    measured: list[Measured] = [ratio_of(f"{NAME}.{level}", times[level], times["bare"]) for level in LEVELS]
    return measured


class Workload:
    """An MLP and the number of the step, spelled into the graph."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        tf.keras.utils.set_random_seed(0)
        dense = tf.keras.layers.Dense
        layers = [dense(WIDTH, activation="tanh") for _ in range(LAYERS - 1)]
        self.model = tf.keras.Sequential([*layers, dense(1)])
        self.batch = tf.random.normal([BATCH, WIDTH])
        self.target = tf.random.normal([BATCH, 1])
        self.number = 0

    def step(self) -> None:
        tf = self._tf
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(self.batch) - self.target) ** 2)
            for bit in range(NUMBER_BITS):
                loss = loss * 1.0 if self.number >> bit & 1 else loss + 0.0
        self.number += 1
        for variable, gradient in zip(self.model.trainable_variables, tape.gradient(loss, self.model.variables)):
            variable.assign_sub(1e-4 * gradient)

    def timed(self, surrounding: Any) -> float:
        """Seconds of processor time for the steps, with the closing of the file."""
        start = time.process_time()
        with surrounding:
            for _ in range(STEPS):
                self.step()
        return time.process_time() - start


def measure(rounds: int) -> dict[str, list[float]]:
    """In TensorFlow's interpreter: the times of each variant, taken in turn."""
    from contextlib import nullcontext

    import tensorflow as tf

    import gradviz

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    workload = Workload(tf)
    times: dict[str, list[float]] = {name: [] for name in ("bare", *LEVELS)}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            for name, taken in times.items():
                file = Path(folder, f"{name}-{number}.gradviz")
                surrounding = nullcontext() if name == "bare" else gradviz.recording(file, level=name)
                seconds = workload.timed(surrounding)
                if number:  # the first round warms up
                    taken.append(seconds)
    return times


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    print(json.dumps(measure(int(sys.argv[1]))))
