"""Installs the recorder of HIPS autograd: its patches, and what happens when the script is over."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import autograd
from autograd import core, differential_operators, tracer

from gradviz.record.frontend import Session
from gradviz.record.guard import guarded
from gradviz.record.hips.engine import Engine
from gradviz.record.hips.functions import Functions
from gradviz.record.hips.leaves import Leaves
from gradviz.record.hips.nodes import Keys, make_init
from gradviz.record.hips.offer import Offer
from gradviz.record.hips.state import Recorder
from gradviz.record.hips.tracing import Tracing
from gradviz.record.hips.walk import Walker
from gradviz.record.passstore import PassStore
from gradviz.record.patches import Patches

SCALAR_ONLY = ("grad", "value_and_grad")  # these make the seed, a 1, themselves
OPERATORS = (*SCALAR_ONLY, "elementwise_grad")


class HipsFrontend:
    """See frontend.Frontend for what each method is for."""

    name = "autograd"

    def __init__(self) -> None:
        self._patches = Patches()
        self._recorder: Recorder | None = None
        self._store: PassStore | None = None
        self._leaves: Leaves | None = None
        self._offer: Offer | None = None
        self._depth = tracer.trace_stack.top  # of traces, before the script made any

    def install(self, session: Session) -> None:
        recorder = self._recorder = Recorder(session)
        leaves = self._leaves = Leaves(recorder)
        store = self._store = PassStore.shared(recorder, leaves)
        recorder.overflow = store.overflow
        functions = Functions(session.writer, session.frames)
        keys = Keys()
        tracing = Tracing(recorder, functions, keys)
        trace = tracing.make_trace(core.trace)
        engine = tracing.engine = Engine(recorder, store, leaves, Walker(keys), trace.__code__)
        init = make_init(recorder, functions, keys, core.VJPNode.__init__, trace.__code__)
        self._patches.replace(core, "trace", trace)
        self._patches.replace(core.VJPNode, "__init__", init)
        self._patch_backward(session, engine)
        self._offer = Offer(recorder, keys, engine)
        for name in OPERATORS:
            self._patch_operator(getattr(differential_operators, name), tracing, engine, name in SCALAR_ONLY)

    def uninstall(self) -> None:
        self._patches.undo()
        tracer.trace_stack.top = self._depth

    def framework_version(self) -> str:
        return f"autograd {installed_version()}"

    def thread_began(self) -> None:
        if self._recorder is not None:
            self._recorder.thread_began()

    def thread_ended(self) -> None:
        self.thread_began()

    def forked(self) -> None:
        self._patches.undo()

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        return function if self._offer is None else self._offer.prepared(function, arguments)

    def offer_backward(
        self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        if self._offer is not None:
            self._offer.run(result, seed_expression, namespace)

    def script_ended(self, error: BaseException | None) -> None:
        recorder, store, leaves = self._recorder, self._store, self._leaves
        if recorder is None or store is None or leaves is None:
            return
        with guarded(recorder.session):
            store.write_rest()
        with guarded(recorder.session):
            leaves.write_end()

    def _patch_backward(self, session: Session, engine: Engine) -> None:
        original = core.backward_pass

        @functools.wraps(original)
        def backward_pass(g: Any, end_node: Any) -> Any:
            if not session.recording:
                return original(g, end_node)
            return engine.run(original, g, end_node, sys._getframe(1))

        self._patches.replace(core, "backward_pass", backward_pass)

    def _patch_operator(self, public: Any, tracing: Tracing, engine: Engine, is_implicit: bool) -> None:
        """Scripts hold the public functions by name, so what those call in the end is replaced in their closure."""
        names = public.__code__.co_freevars
        if "unary_operator" not in names:
            return
        cell = public.__closure__[names.index("unary_operator")]
        raw = cell.cell_contents
        if is_implicit:
            engine.implicit.add(raw.__code__)
        self._patches.replace(cell, "cell_contents", tracing.make_operator(raw))


def installed_version() -> str:
    """autograd's version, which its module doesn't tell: by the name of the folder that the installer left beside it.

    importlib.metadata would load a dozen modules, and a script's own `csv` or `email` in their place.
    """
    package = Path(autograd.__file__).parent
    found = sorted(package.parent.glob("autograd-*.dist-info"))
    return found[-1].name.split("-")[1].replace(".dist", "") if found else "(unknown version)"
