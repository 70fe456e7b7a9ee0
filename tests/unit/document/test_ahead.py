"""A recording read ahead in a thread: handed over once, to the newest wish only, and closed where nobody takes it."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.document.ahead import Ahead
from gradviz.trace.reader import Trace
from tests.recordings import mlp


class Mail:
    """What a window's event loop would do, one call at a time."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def __call__(self, call: Callable[[], object]) -> None:
        self._calls.put(call)

    def deliver(self) -> None:
        self._calls.get(timeout=30)()


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[Trace]:
    """The recordings that were closed."""
    gone: list[Trace] = []
    close = Trace.close

    def noted(trace: Trace) -> None:
        gone.append(trace)
        close(trace)

    monkeypatch.setattr(Trace, "close", noted)
    return gone


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return mlp(tmp_path / "mlp.gradviz")


def test_it_is_handed_over_read(recording: Path, closed: list[Trace]) -> None:
    post, got = Mail(), list[Trace | None]()
    ahead = Ahead(post)
    # WHEN
    ahead.start(recording, got.append)
    post.deliver()
    # THEN it is open, and what a window shows first is in memory: the file isn't asked again
    (trace,) = got
    assert trace is not None and trace not in closed
    recording.unlink()
    assert len(trace.steps(trace.passes()[0].id)) == 11
    # AND closing doesn't take it away
    ahead.close()
    assert trace not in closed
    trace.close()


def test_a_newer_wish_closes_what_an_older_one_read(recording: Path, closed: list[Trace]) -> None:
    post, first, second = Mail(), list[Trace | None](), list[Trace | None]()
    ahead = Ahead(post)
    ahead.start(recording, first.append)
    ahead.start(recording, second.append)
    # WHEN both have been read
    post.deliver()
    post.deliver()
    # THEN
    assert not first
    (trace,) = second
    assert trace is not None and len(closed) == 1 and trace not in closed
    trace.close()
    ahead.close()


def test_what_nobody_took_is_closed_with_the_window(recording: Path, closed: list[Trace]) -> None:
    got: list[Trace | None] = []
    ahead = Ahead(Mail())
    ahead.start(recording, got.append)
    # WHEN the window closes before it has been told
    ahead.close()
    # THEN
    assert len(closed) == 1 and not got


def test_a_file_that_is_no_recording_gives_none(tmp_path: Path) -> None:
    post, got = Mail(), list[Trace | None]()
    damaged = tmp_path / "text.gradviz"
    damaged.write_bytes(b"hello")
    ahead = Ahead(post)
    ahead.start(damaged, got.append)
    post.deliver()
    assert got == [None]
    ahead.close()
