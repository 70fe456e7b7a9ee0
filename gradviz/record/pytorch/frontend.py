"""Installs the torch recorder: its patches, its modes, and what happens when the script is over."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from gradviz.record.frontend import Session
from gradviz.record.passstore import PassStore
from gradviz.record.patches import Patches
from gradviz.record.pytorch.applies import Applies
from gradviz.record.pytorch.aside import install_standing_aside
from gradviz.record.pytorch.backwards import CustomBackwards
from gradviz.record.pytorch.constructors import Constructors
from gradviz.record.pytorch.engine import Engine, caller_of_ours
from gradviz.record.pytorch.failures import Failures
from gradviz.record.pytorch.forward import RecordingMode
from gradviz.record.pytorch.guard import guarded
from gradviz.record.pytorch.hooks import watch_hook
from gradviz.record.pytorch.leaves import Leaves
from gradviz.record.pytorch.modes import leave_mode
from gradviz.record.pytorch.modules import ModuleCalls
from gradviz.record.pytorch.offer import run_offered
from gradviz.record.pytorch.optimizers import OptimizerSteps
from gradviz.record.pytorch.seedkinds import install_seed_kinds
from gradviz.record.pytorch.seedtrial import SeedTrial
from gradviz.record.pytorch.state import Recorder
from gradviz.record.pytorch.steps import install_registration
from gradviz.record.pytorch.unreached import write_unreached
from gradviz.record.pytorch.zeroing import install_zeroing

COMPILE_NOTE = "torch.compile was asked for: while recording, what it wraps runs as ordinary Python, node by node."


class TorchFrontend:
    """See frontend.Frontend for what each method is for."""

    name = "torch"

    def __init__(self) -> None:
        self._patches = Patches()
        self._recorder: Recorder | None = None
        self._stance_set = False  # whether torch.compile was told to run eagerly
        self._failures: Failures | None = None
        self._store: PassStore | None = None
        self._leaves: Leaves | None = None

    def install(self, session: Session) -> None:
        recorder = self._recorder = Recorder(session)
        failures = self._failures = Failures(recorder)
        modules = ModuleCalls(recorder, failures.module_failed)
        leaves = self._leaves = Leaves(recorder, modules)
        store = self._store = PassStore.shared(recorder, leaves)
        engine = Engine(recorder, store, leaves)
        failures.partial = engine.partial
        watcher: Engine | SeedTrial = engine
        if session.seed_replacement is not None:
            watcher = SeedTrial(recorder, engine, session.seed_replacement, self._patches)
        recorder.overflow = store.overflow
        install_seed_kinds(recorder, self._patches, engine.seeds_refused, caller_of_ours)
        self._patch(recorder, modules, Applies(recorder, failures.op_failed), watcher, CustomBackwards(recorder))
        self.thread_began()

    def uninstall(self) -> None:
        if self._recorder is not None:
            for state in self._recorder.threads.values():
                if state is self._recorder.state():
                    leave_mode(state)
        self._patches.undo()
        if self._stance_set:
            torch.compiler.set_stance("default")
            self._stance_set = False

    def framework_version(self) -> str:
        return f"torch {torch.__version__.partition('+')[0]}"

    def thread_began(self) -> None:
        recorder, failures = self._recorder, self._failures
        if recorder is None or failures is None:
            return
        state = recorder.state()
        if state.mode is None:
            hooked = functools.partial(watch_hook, recorder)
            state.mode = RecordingMode(recorder, state, failures.op_failed, hooked)
            state.mode.__enter__()

    def thread_ended(self) -> None:
        if self._recorder is not None:
            leave_mode(self._recorder.state())

    def forked(self) -> None:
        if self._recorder is not None:
            leave_mode(self._recorder.state())
        self._patches.undo()

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        return function

    def offer_backward(
        self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        if self._recorder is not None:
            run_offered(self._recorder, result, seed_expression, namespace, arguments)

    def script_ended(self, error: BaseException | None) -> None:
        recorder, store, leaves = self._recorder, self._store, self._leaves
        if recorder is None or store is None or leaves is None:
            return
        leave_mode(recorder.state())
        with torch.no_grad():
            with guarded(recorder):
                write_unreached(recorder)
            with guarded(recorder):
                store.write_rest()
            with guarded(recorder):
                leaves.write_end()

    def _patch(
        self,
        recorder: Recorder,
        modules: ModuleCalls,
        applies: Applies,
        engine: Engine | SeedTrial,
        backwards: CustomBackwards,
    ) -> None:
        session, patch = recorder.session, self._patches.replace
        autograd, graph = torch.autograd, torch.autograd.graph

        def around(original: Callable[..., Any], call: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def patched(*args: Any, **kwargs: Any) -> Any:
                return call(original, args, kwargs) if session.recording else original(*args, **kwargs)

            return patched

        def run(original: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
            return engine.run(original, args[0], args[1:], kwargs)

        def make_grads(original: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
            return engine.make_grads(original, args, kwargs)

        original_run = graph._engine_run_backward
        patched_run = around(original_run, run)
        patch(autograd, "_engine_run_backward", patched_run)
        patch(graph, "_engine_run_backward", patched_run)
        patch(autograd, "_make_grads", around(autograd._make_grads, make_grads))

        call_module = torch.nn.Module.__call__

        def __call__(module: Any, /, *args: Any, **kwargs: Any) -> Any:
            if not session.recording:
                return call_module(module, *args, **kwargs)
            return modules.call(call_module, module, args, kwargs)

        patch(torch.nn.Module, "__call__", __call__)
        apply = torch.autograd.Function.__dict__["apply"].__func__

        def apply_patched(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
            return applies.call(apply, cls, args, kwargs) if session.recording else apply(cls, *args, **kwargs)

        patch(torch.autograd.Function, "apply", classmethod(functools.wraps(apply)(apply_patched)))
        backwards.install(self._patches)
        Constructors(recorder).install(self._patches)
        install_registration(recorder, self._patches)
        OptimizerSteps(recorder).install(self._patches)
        install_zeroing(recorder, self._patches)
        self._patch_compile(recorder)
        self._patch_swap(recorder)
        install_standing_aside(recorder, self._patches)

    def _patch_compile(self, recorder: Recorder) -> None:
        original = getattr(torch, "compile", None)
        if original is None:
            return

        @functools.wraps(original)
        def compile_eagerly(*args: Any, **kwargs: Any) -> Any:
            if recorder.session.recording:
                recorder.session.note("compile-eager", COMPILE_NOTE)
                torch.compiler.set_stance("force_eager")
                self._stance_set = True
            return original(*args, **kwargs)

        self._patches.replace(torch, "compile", compile_eagerly)

    def _patch_swap(self, recorder: Recorder) -> None:
        """`swap_tensors` refuses tensors that anyone refers to weakly."""
        original = getattr(torch.utils, "swap_tensors", None)
        if original is None:
            return

        @functools.wraps(original)
        def swap_tensors(t1: Any, t2: Any) -> Any:  # may be called by name
            recorder.values.forget(t1)
            recorder.values.forget(t2)
            return original(t1, t2)

        self._patches.replace(torch.utils, "swap_tensors", swap_tensors)
