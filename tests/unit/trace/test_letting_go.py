"""A recording can be ended while somebody reads it: readers let go of the file."""

from __future__ import annotations

import threading
from pathlib import Path

from gradviz.trace.reader import Trace
from gradviz.trace.syntax import parse_module
from gradviz.trace.writer import TraceWriter
from tests.recordings import chain


def test_a_reading_that_meets_the_end_lets_go(tmp_path: Path) -> None:
    # GIVEN a recording that grows, and a reading amid which the writer has already removed its log
    path = chain(tmp_path / "run.gradviz", 3, ended=False)
    writer = TraceWriter(path)
    trace = Trace(path)
    log = path.with_name(path.name + "-wal")
    with trace._file.reading():
        log.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").rename(log)
    # WHEN / THEN nothing holds the writer up
    writer.finish()
    trace.close()
    assert not log.exists()


def test_threads_may_parse_at_once() -> None:
    text = "\n".join(f"value_{n} = f({n})[{n}] + (lambda x: x * {n})" for n in range(300))
    failures: list[BaseException] = []

    def parse() -> None:
        try:
            for _ in range(5):
                parse_module(text)
        except SystemError as error:
            failures.append(error)

    threads = [threading.Thread(target=parse) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
