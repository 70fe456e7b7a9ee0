"""The contract's programs in TensorFlow, each recorded into a file of its own: `python -m THIS FOLDER`.

A program of its own since TensorFlow has an interpreter of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import gradviz
from tests.record.contract_programs import PROGRAMS, SCRIPTS, Body, Inputs


class TensorFlowArrays:
    """See contract_programs.Arrays for what each method is for."""

    def constant(self, array: np.ndarray) -> Any:
        return tf.constant(array)

    def matmul(self, a: Any, b: Any) -> Any:
        return tf.matmul(a, b)

    def exp(self, a: Any) -> Any:
        return tf.exp(a)

    def tanh(self, a: Any) -> Any:
        return tf.tanh(a)

    def sqrt(self, a: Any) -> Any:
        return tf.sqrt(a)

    def log(self, a: Any) -> Any:
        return tf.math.log(a)

    def total(self, a: Any) -> Any:
        return tf.reduce_sum(a)

    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any:
        return tf.reshape(a, shape)

    def misshapen(self, a: Any) -> Any:
        return tf_misshapen(a)

    def differentiate(self, body: Body, inputs: Inputs) -> Inputs:
        leaves = [tf.Variable(each) for each in inputs]
        with tf.GradientTape() as tape:
            loss = body(self, leaves)
        return tuple(each.numpy() for each in tape.gradient(loss, leaves))

    def descend(self, bodies: Sequence[Body], start: np.ndarray) -> None:
        x = tf.Variable(start)
        for body in bodies:
            with tf.GradientTape() as tape:
                loss = body(self, [x])
            x.assign_sub(0.1 * tape.gradient(loss, x))


def misshapen(a: Any) -> Any:
    """See contract_programs.Arrays.misshapen."""

    def grad(upstream: Any) -> Any:
        return upstream[0, :-1] * 2.0

    return a * 2.0, grad


tf_misshapen: Any = tf.custom_gradient(misshapen)


def main(folder: Path) -> None:
    """A recording NAME.gradviz and the gradients NAME.npz of each program; none of the latter where it raised."""
    arrays = TensorFlowArrays()
    for name, program in PROGRAMS.items():
        try:
            with gradviz.recording(folder / f"{name}.gradviz"):
                gradients = arrays.differentiate(program.body, program.inputs)
        except Exception:  # noqa: BLE001  # the program's own: what was recorded of it is what is tested
            continue
        np.savez(folder / f"{name}.npz", *gradients)
    for name, (script, _) in SCRIPTS.items():
        with gradviz.recording(folder / f"{name}.gradviz"):
            script(arrays)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
