"""The seam between what runs the script (session, boot) and what records a framework (pytorch/, hips, tf).

A frontend is installed by the post-import hook right after the script's first `import torch`, in the thread that
imported it, with the script's frames below it. Frames of modules in gradviz/record and gradviz/trace are cut out of
every traceback and never claim a warning (ownframes.py), so wrap with Python functions of this package and nothing
else needs hiding: `handle_torch_function` with the first half of the function it interrupts is known and collapsed
too. Wrap `torch.nn.Module.__call__` rather than installing global module hooks: with those, torch takes another road
through `_call_impl`, and its own frames then differ from the bare run's. Never call `warnings.warn` in here. All that
a module needs is imported at its top: the script may shadow a standard module later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from gradviz.record.passes import ChosenPasses
from gradviz.record.requests import RequestQueue
from gradviz.record.seedreplacement import SeedReplacement
from gradviz.record.userframes import UserFrames
from gradviz.trace.live import LiveMark
from gradviz.trace.writer import TraceWriter


class Session(Protocol):
    """One recording of one process, as the frontends see it (session.py is the real one)."""

    writer: TraceWriter
    frames: UserFrames
    live: LiveMark  # mapped cells: the pass and node that are running
    requests: RequestQueue  # look at `.waiting` before each node; `.take()`, `.answer({"ready": id})`
    level: str  # shapes | summaries | values
    passes_wanted: ChosenPasses  # `.may_store(number)` at a pass's end; with `.only_last` only the newest stays
    seed_replacement: SeedReplacement | None  # a fix to be tried in this run; None in every ordinary one
    pid: int  # of the recorded process: code that finds itself in another one does nothing
    recording: bool  # False in a forked child and after the end: wrappers then only call through
    in_function: bool  # a function target has been called: what runs now is its own doing, or that of the offer
    phase: str  # load | run | offered | tried: goes into `backward.phase`
    op_numbers: Iterator[int]  # of forward calls and of passes, over all frameworks and threads
    pass_numbers: Iterator[int]
    store: Any  # the passstore.PassStore that the frameworks share, None until one makes it
    stack_bytes: int  # soft limit of the main thread's C stack, 0 = unknown

    def note(self, kind: str, text: str, stack: int | None = None, **detail: Any) -> None:
        """One plain sentence about what recording changed or left out; the same kind and text is told once."""
        ...

    def thread_number(self) -> int:
        """The trace's number of the present thread (0 = main)."""
        ...

    def namespace(self) -> Mapping[str, Any]:
        """The script's global names (`__main__`, or the function target's module), to name leaves by."""
        ...

    def seen_exception(
        self,
        error: BaseException,
        phase: str,
        *,
        pass_id: int | None = None,
        op: int | None = None,
        stack: int | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> int:
        """The exception's id in the trace: a row is made the first time this object is seen, `caught` until it ends
        the script or its thread. Call it innermost first (forward op, then pass); a later call fills in what was
        missing.
        """
        ...


class Frontend(Protocol):
    """Records one framework. Every patch and hook that `install` makes is undone by `uninstall`."""

    name: str  # "torch"

    def install(self, session: Session) -> None:
        """Patch the framework, which has just been imported whole. Also enters the present thread."""
        ...

    def uninstall(self) -> None:
        """Undo everything. Called once, also after a failed `install`."""
        ...

    def framework_version(self) -> str:
        """For `run.framework`, e.g. "torch 2.13.0"."""
        ...

    def thread_began(self) -> None:
        """A Python thread of the script starts (called in it): enter its mode."""
        ...

    def thread_ended(self) -> None:
        """The same thread has run its course: leave the mode."""
        ...

    def forked(self) -> None:
        """In a forked child, which isn't recorded: leave the modes, write nothing, close nothing."""
        ...

    def prepared(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
        """Of a function target: what is called in its place with these arguments, by name, so that backward can be
        offered from its result. The function itself, where a result brings its graph along.
        """
        ...

    def offer_backward(
        self, result: Any, seed_expression: str | None, namespace: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> None:
        """Of a function target, after it returned: when no backward ran from the tensor (or the first tensor in a
        tuple, list or dict) that it returned, run backward from it. The seed is `seed_expression`, evaluated in
        `namespace` with the result as `output`; None = ones of its shape. Errors of the backward are raised as the
        script's own, those of the expression as BadOption. `arguments`: what the function was called with.
        """
        ...

    def script_ended(self, error: BaseException | None) -> None:
        """The last moment, all of the script's threads and atexit functions over: write leaves with their gradients,
        unreached tensors, kept passes; leave everything in the writer's queue (the session commits)."""
        ...
