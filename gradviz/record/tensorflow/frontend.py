"""Installs the TensorFlow recorder: its patches and callbacks, and what happens when the script is over."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, context, imperative_grad
from tensorflow.python.ops import gen_math_ops
from tensorflow.python.util import nest, traceback_utils

from gradviz.record.frontend import Session
from gradviz.record.guard import guarded
from gradviz.record.ownframes import OWN_FOLDERS
from gradviz.record.passstore import PassStore
from gradviz.record.patches import Patches
from gradviz.record.tensorflow.engine import Engine
from gradviz.record.tensorflow.functions import EagerFunctions
from gradviz.record.tensorflow.layers import LAYER_CALL, LayerCalls
from gradviz.record.tensorflow.leaves import Leaves
from gradviz.record.tensorflow.offer import Offer
from gradviz.record.tensorflow.ops import Ops
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.tapes import Tapes


class TensorFlowFrontend:
    """See frontend.Frontend for what each method is for."""

    name = "tensorflow"

    def __init__(self) -> None:
        self._patches = Patches()
        self._recorder: Recorder | None = None
        self._store: PassStore | None = None
        self._leaves: Leaves | None = None
        self._ops: Ops | None = None
        self._offer: Offer | None = None
        self._layers: LayerCalls | None = None
        self._is_registered = False

    def install(self, session: Session) -> None:
        recorder = self._recorder = Recorder(session)
        leaves = self._leaves = Leaves(recorder)
        store = self._store = PassStore.shared(recorder, leaves)
        recorder.overflow = store.overflow
        tapes = Tapes(recorder)
        ops = self._ops = Ops(recorder, tapes, LAYER_CALL)
        self._offer = Offer(recorder, tapes)
        engine = Engine(recorder, store, leaves, ops)
        tapes.install(self._patches)
        ops.install(self._patches)
        EagerFunctions(recorder).install(self._patches)
        layers = self._layers = LayerCalls(recorder, leaves)
        layers.install(self._patches)
        self._patch_gradient(recorder, tapes, engine)
        # It cuts its own frames out of tracebacks by itself, and what is left depends on whose else there are.
        excluded = (*traceback_utils._EXCLUDED_PATHS, *OWN_FOLDERS)
        self._patches.replace(traceback_utils, "_EXCLUDED_PATHS", excluded)
        self._register(recorder)
        self.thread_began()

    def uninstall(self) -> None:
        if self._recorder is not None and self._ops is not None:
            self._ops.leave(self._recorder.state())
        if self._layers is not None:
            self._layers.uninstall()
        self._unregister()
        self._patches.undo()

    def framework_version(self) -> str:
        return f"tensorflow {tensorflow.__version__}"

    def thread_began(self) -> None:
        if self._recorder is not None and self._ops is not None:
            self._ops.enter(self._recorder.state())

    def thread_ended(self) -> None:
        if self._recorder is not None and self._ops is not None:
            self._ops.leave(self._recorder.state())

    def forked(self) -> None:
        self.uninstall()

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        return function if self._offer is None else self._offer.prepared(function)

    def offer_backward(
        self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        if self._offer is not None:
            self._offer.run(result, seed_expression, namespace, arguments)

    def script_ended(self, error: BaseException | None) -> None:
        recorder, store, leaves = self._recorder, self._store, self._leaves
        if recorder is None or store is None or leaves is None:
            return
        if self._ops is not None:
            self._ops.leave(recorder.state())
        with guarded(recorder.session):
            store.write_rest()
        with guarded(recorder.session):
            leaves.write_end()

    def _patch_gradient(self, recorder: Recorder, tapes: Tapes, engine: Engine) -> None:
        session, owner = recorder.session, backprop.GradientTape
        original, original_run = owner.gradient, imperative_grad.imperative_grad

        @functools.wraps(original)
        def gradient(tape: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
            record = tapes.of(tape)
            if not session.recording or record is None or not context.executing_eagerly():
                return original(tape, target, *args, **kwargs)
            asked = recorder.state().asked
            asked.append(record)
            try:
                return original(tape, target, *args, **kwargs)
            except Exception as error:  # the script's: noted, and it goes on
                with guarded(session):
                    engine.refused(record, nest.flatten(target), error, sys._getframe(1))
                raise
            finally:
                asked.pop()

        @functools.wraps(original_run)
        def run(*args: Any, **kwargs: Any) -> Any:
            asked = recorder.state().asked
            if not session.recording or not asked or not context.executing_eagerly():
                return original_run(*args, **kwargs)
            return engine.run(original_run, asked[-1], args, kwargs)

        self._patches.replace(owner, "gradient", gradient)
        self._patches.replace(imperative_grad, "imperative_grad", run)

    def _register(self, recorder: Recorder) -> None:
        """Stand before the function that TensorFlow's tape calls back for each step, and before the sum of gradients.

        The sum could be registered as well, but TensorFlow frees what was registered before, and accumulators of
        forward mode that are alive go on using it.
        """
        original, add = backprop._gradient_function, gen_math_ops.add_n

        def gradient_function(*given: Any) -> Any:
            run = recorder.state().run
            return original(*given) if run is None else run.step(original, given)

        @functools.wraps(add)
        def add_n(inputs: Any, name: Any = None) -> Any:
            total = add(inputs, name)
            run = recorder.state().run
            if run is not None:
                with guarded(recorder.session):
                    run.summed(inputs, total)
            return total

        self._is_registered = True
        pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient_function)
        self._patches.replace(gen_math_ops, "add_n", add_n)

    def _unregister(self) -> None:
        if self._is_registered:
            self._is_registered = False
            pywrap_tfe.TFE_Py_RegisterGradientFunction(backprop._gradient_function)
