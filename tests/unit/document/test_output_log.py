"""What is kept of the script's output: everything when it is little, both ends of a flood."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.document import output_log
from gradviz.document.output_log import OutputLog
from gradviz.trace.writer import TraceWriter


def logged(folder: Path, chunks: list[tuple[str, bytes]]) -> tuple[list[tuple[str, bytes]], int]:
    """The rows that the log makes of these chunks, and the bytes dropped."""
    path = folder / "run.gradviz"
    path.unlink(missing_ok=True)
    writer = TraceWriter(path)
    log = OutputLog(writer)
    for stream, data in chunks:
        log.add(stream, data)
    log.close()
    writer.finish()
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT stream, data FROM output ORDER BY id").fetchall(), log.dropped


def test_neighbours_of_one_stream_become_one_row(tmp_path: Path) -> None:
    chunks = [("stdout", b"a"), ("stdout", b"b"), ("stderr", b"c"), ("stdout", b"d")]

    rows, dropped = logged(tmp_path, chunks)

    assert rows == [("stdout", b"ab"), ("stderr", b"c"), ("stdout", b"d")]
    assert dropped == 0


def test_a_flood_keeps_head_and_tail(tmp_path: Path) -> None:
    chunk = bytes(range(250)) * 400
    rows, dropped = logged(tmp_path, [("stdout", chunk)] * 50)

    kept = b"".join(data for _, data in rows)
    whole = chunk * 50
    assert len(kept) == output_log.HEAD_BYTES + output_log.TAIL_BYTES
    assert dropped == len(whole) - len(kept)
    assert kept == whole[: output_log.HEAD_BYTES] + whole[-output_log.TAIL_BYTES :]


streams = st.sampled_from(["stdout", "stderr"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(chunks=st.lists(st.tuples(streams, st.binary(min_size=1, max_size=300)), max_size=40))
def test_every_byte_is_kept_or_counted(tmp_path: Path, chunks: list[tuple[str, bytes]]) -> None:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(output_log, "HEAD_BYTES", 500)
        small.setattr(output_log, "TAIL_BYTES", 700)
        rows, dropped = logged(tmp_path, chunks)

    written = b"".join(data for _, data in chunks)
    kept = b"".join(data for _, data in rows)
    assert len(kept) + dropped == len(written)
    assert kept[:500] == written[:500]
    if dropped:
        assert kept[500:] == written[-700:]
