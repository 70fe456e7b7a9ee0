"""A warning that a frame of ours would claim is given to the frame that a bare run would name: file, line, registry
and all.

Two roads lead to a warning. `warnings.warn` counts frames: it is wrapped, and counts as if ours weren't there. C code
(PyErr_WarnEx, so all of torch's TORCH_WARN) names the Python frame that called it, which is ours: our modules keep no
registry, so nothing is swallowed there; a filter of their own lets everything pass; and `_showwarnmsg`, the one
function that C calls to show a warning, issues it again where it belongs, under the filters and the registry of that
place.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from gradviz.record.ownframes import is_own, not_in_a_bare_run

OWN_MODULES = ("gradviz.record", "gradviz.trace")


class PatchedWarnings:
    """The patches of the warnings module, undone by `uninstall`."""

    def __init__(self) -> None:
        self._warn: Callable[..., None] = warnings.warn
        self._show: Callable[[Any], None] = warnings._showwarnmsg  # type: ignore[attr-defined]  # what C calls
        self._filters: list[Any] = []

    def install(self) -> None:
        """Take over `warn` and `_showwarnmsg`."""
        original_warn, original_show = self._warn, self._show

        def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **options: Any) -> None:
            level = level_with_own_frames(sys._getframe(1), stacklevel)
            original_warn(message, category, level + 1, source, **options)

        def show(message: Any) -> None:
            frame = _claimed_by_us(message.filename, message.lineno)
            if frame is None:
                original_show(message)
            else:
                issue_at(frame, message)

        warn.__doc__ = original_warn.__doc__
        warnings.warn = warn
        warnings._showwarnmsg = show  # type: ignore[attr-defined]  # private

    def let_pass(self) -> None:
        """Let every warning of our modules reach `_showwarnmsg`; again after more of them were loaded."""
        filters = _filters()
        for name, module in list(sys.modules.items()):
            if not name.startswith(OWN_MODULES):
                continue
            module.__dict__["__warningregistry__"] = None
            entry = ("always", None, Warning, name, 0)  # a plain string matches a module's whole name
            if entry not in self._filters:
                self._filters.append(entry)
                filters.insert(0, entry)
        _filters_changed()

    def uninstall(self) -> None:
        """As it was, whatever the script has added meanwhile."""
        warnings.warn = self._warn
        warnings._showwarnmsg = self._show  # type: ignore[attr-defined]  # private
        filters = _filters()
        for entry in self._filters:
            if entry in filters:
                filters.remove(entry)
        self._filters.clear()
        _filters_changed()


def level_with_own_frames(caller: FrameType, level: int) -> int:
    """The stacklevel that reaches, from `caller`, the frame which `level` reaches in a bare run."""
    if level <= 1 and not is_own(caller.f_code):
        return level
    frames = [frame for frame in _outwards(caller) if frame is caller or not _is_internal(frame)]
    if _is_internal(caller):  # then Python skips nothing
        frames = list(_outwards(caller))
    extra = not_in_a_bare_run([frame.f_code for frame in reversed(frames)])[::-1]
    left = max(level, 1)
    for index, is_extra in enumerate(extra):
        left -= not is_extra
        if left == 0:
            return index + 1
    return len(frames) + level  # beyond the outermost, as in the bare run


def issue_at(frame: FrameType, message: Any) -> None:
    """Issue the warning again, as of this frame."""
    warnings.warn_explicit(
        message.message,
        message.category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__") or "<string>",
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
        source=message.source,
    )


def _claimed_by_us(filename: str, line: int) -> FrameType | None:
    """The frame that the warning belongs to when it names one of ours, else None."""
    frames = list(_outwards(sys._getframe(2)))
    claimed = next(
        (
            n
            for n, f in enumerate(frames)
            if is_own(f.f_code) and f.f_code.co_filename == filename and f.f_lineno == line
        ),
        None,
    )
    if claimed is None:
        return None
    extra = not_in_a_bare_run([frame.f_code for frame in reversed(frames)])[::-1]
    return next((frame for frame, is_extra in list(zip(frames, extra))[claimed:] if not is_extra), None)


def _outwards(frame: FrameType | None) -> list[FrameType]:
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames


def _is_internal(frame: FrameType) -> bool:
    """What Python itself leaves out when it counts frames for a warning."""
    name = frame.f_code.co_filename
    return "importlib" in name and "_bootstrap" in name


def _filters() -> list[Any]:
    """The list itself, which C reads."""
    return warnings.filters  # type: ignore[return-value]  # typed as a sequence


def _filters_changed() -> None:
    mutated = getattr(warnings, "_filters_mutated", None) or getattr(warnings, "_filters_mutated_lock_held", None)
    if mutated is not None:
        mutated()
