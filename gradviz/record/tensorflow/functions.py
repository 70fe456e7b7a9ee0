"""tf.function runs as ordinary Python while recording, and so do Keras' training steps: op by op, each with its line.

Only the person's own functions and Keras' steps do. What TensorFlow wraps for itself (tf.data, vectorized loops) needs
its graph.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import polymorphic_function

from gradviz.record.patches import Patches
from gradviz.record.tensorflow.state import Recorder

EAGER_NOTE = "tf.function was used: while recording, what it wraps runs as ordinary Python, op by op."
KERAS_STEPS = ("keras.src.backend.tensorflow.trainer", "keras.src.engine.training", "tf_keras.src.engine.training")


class EagerFunctions:
    """Decides which functions run eagerly."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def install(self, patches: Patches) -> None:
        owner = polymorphic_function.Function
        original = owner.__dict__["_run_functions_eagerly"]
        session = self._recorder.session

        def runs_eagerly(function: Any) -> bool:
            if original.fget(function):
                return True
            if not session.recording or not context.executing_eagerly():
                return False
            if not self._is_for_python(function._python_function):
                return False
            session.note("function-eager", EAGER_NOTE)
            return True

        patches.replace(owner, "_run_functions_eagerly", property(runs_eagerly))

    def _is_for_python(self, function: Any) -> bool:
        for _ in range(8):  # partials, bound methods, wrappers
            inner = getattr(function, "__func__", None) or getattr(function, "func", None)
            inner = inner or getattr(function, "__wrapped__", None)
            if inner is None:
                break
            function = inner
        code = getattr(function, "__code__", None)
        if code is None:
            return False
        return self._recorder.frames.is_user(code) or getattr(function, "__module__", "") in KERAS_STEPS
