"""Tries a fix: backward with another seed than the script gave, at the call that `seed_replacement` names.

Stands in front of the engine's watcher, and only in a run that was started for this. The script itself stays as it is,
so `is_grads_batched` is changed behind it: `grad` hands its seeds on to the engine in one of two ways, and with the
flag changed they take the other.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import torch

from gradviz.record.patches import Patches
from gradviz.record.pytorch.engine import Engine, bound, caller_of_ours
from gradviz.record.pytorch.state import Recorder
from gradviz.record.seedreplacement import TRIED, Numbers, SeedReplacement
from gradviz.record.userframes import position

Original = Callable[..., Any]


class SeedTrial:
    """Has the same two functions as Engine."""

    def __init__(self, recorder: Recorder, engine: Engine, wish: SeedReplacement, patches: Patches) -> None:
        self._recorder, self._engine, self._wish = recorder, engine, wish
        numbers = recorder.pass_numbers
        assert isinstance(numbers, Numbers)  # launch.py sees to it
        self._numbers = numbers
        self._local = threading.local()  # `kind`: what is to be done with the call that is on its way to the engine
        if wish.kind == "unbatched":
            patches.replace(torch._vmap_internals, "_vmap", self._unbatched(torch._vmap_internals._vmap))

    def make_grads(self, original: Original, args: Sequence[Any], kwargs: Any) -> Any:
        """`_make_grads`, where every call passes through before the engine."""
        self._local.kind = ""
        if not self._is_meant(caller_of_ours()):
            return self._engine.make_grads(original, args, kwargs)
        outputs, seeds, batched = bound(original, args, kwargs)
        kind, given = self._wish.kind, tuple(seeds)
        if kind == "rows":
            if not (len(given) == 1 and _rows_fit(outputs[0], given[0])):
                return self._engine.make_grads(original, args, kwargs)
            given = (given[0][0],)
        elif kind in ("batched", "unbatched"):
            batched = kind == "batched"
        else:
            given = replaced(kind, outputs, given, self._wish.output)
        with self._marked():
            checked = self._engine.make_grads(original, (outputs, given, batched), {})
        self._local.kind = kind
        return tuple(seeds) if kind == "rows" else checked

    def run(self, original: Original, outputs: Sequence[Any], args: Sequence[Any], kwargs: Any) -> Any:
        """`_engine_run_backward`."""
        kind, self._local.kind = getattr(self._local, "kind", ""), ""
        if not kind:
            return self._engine.run(original, outputs, args, kwargs)
        seeds, more = args[0], tuple(args[1:])

        def with_seeds(given: Any) -> Any:
            return self._engine.run(original, outputs, (given, *more), kwargs)

        with self._marked():
            if kind == "rows":
                for row in seeds[0]:
                    self._engine.run(original, outputs, ((row,), True, *more[1:]), kwargs)
                return ()
            if kind == "batched":  # as grad does it
                return torch._vmap_internals._vmap(with_seeds, 0, 0, allow_none_pass_through=True)(seeds)
            return with_seeds(seeds)

    def _is_meant(self, frame: FrameType | None) -> bool:
        if self._numbers.upcoming < self._wish.number:
            return False
        frames = self._recorder.frames
        while frame is not None and not frames.is_user(frame.f_code):
            frame = frame.f_back
        if frame is None:
            return not self._wish.file
        line, _, column, _ = position(frame.f_code, frame.f_lasti)
        return self._wish.is_at(frame.f_code.co_filename, line, column)

    @contextlib.contextmanager
    def _marked(self) -> Iterator[None]:
        """The pass is stored for itself, and can be told from others."""
        session = self._recorder.session
        before, session.phase = session.phase, TRIED
        try:
            yield
        finally:
            session.phase = before

    def _unbatched(self, original: Original) -> Original:
        """`_vmap`, which lets the call that is meant through as it is."""

        def vmap(function: Original, *args: Any, **kwargs: Any) -> Any:
            if getattr(self._local, "kind", "") == "unbatched":
                return function
            return original(function, *args, **kwargs)

        return vmap


def replaced(kind: str, outputs: Sequence[Any], given: Sequence[Any], meant: int) -> tuple[Any, ...]:
    """The seeds by the rewrite `kind`; what it can't be done with stays as it was given."""
    if kind == "first":
        return tuple(given[: len(outputs)])
    padded = [*given, *[None] * (len(outputs) - len(given))][: len(outputs)]
    return tuple(
        _one(kind, output, seed) if meant in (-1, index) else seed
        for index, (output, seed) in enumerate(zip(outputs, padded))
    )


def _one(kind: str, output: Any, seed: Any) -> Any:
    if kind == "none":
        return None
    if kind in ("ones", "mean"):
        ones = _ones(output)
        return ones / ones.numel() if kind == "mean" and ones.numel() else ones
    if isinstance(seed, torch.Tensor) and isinstance(output, torch.Tensor):
        if kind == "reshape" and seed.numel() == output.numel():
            return seed.reshape(output.shape)
        if kind == "expand" and _expands(tuple(seed.shape), tuple(output.shape)):
            return seed.expand(output.shape)
        if kind == "cast":
            return (seed if output.is_complex() else seed.real).to(output.dtype)
    return seed


def _ones(output: Any) -> Any:
    if isinstance(output, torch.Tensor):
        return torch.ones_like(output)
    wanted = output.node._input_metadata[output.output_nr]  # a GradientEdge
    return torch.ones(tuple(wanted.shape), dtype=wanted.dtype, device=wanted.device)


def _expands(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    if len(given) > len(wanted):
        return False
    return all(size in (1, target) for size, target in zip(given[::-1], wanted[::-1]))


def _rows_fit(output: Any, seed: Any) -> bool:
    if not (isinstance(seed, torch.Tensor) and isinstance(output, torch.Tensor)):
        return False
    return seed.dim() > 0 and len(seed) > 0 and seed.shape[1:] == output.shape
