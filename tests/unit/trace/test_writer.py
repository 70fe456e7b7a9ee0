"""The writer: ids at once, rows with the next commit, one whole file at the end; a failing disk hurts nobody."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from gradviz.trace.live import LiveMark, live_path, read_live
from gradviz.trace.packing import APPLICATION_ID, FORMAT, new_columns
from gradviz.trace.writer import TraceWriter


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    """What another process sees."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
    finally:
        connection.close()


def test_ids_are_given_out_at_once_and_rows_come_with_the_commit(tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz"
    writer = TraceWriter(path)

    assert [writer.string("a"), writer.string("b"), writer.string("a")] == [0, 1, 0]
    assert [writer.add("note", kind="k", text=text) for text in ("one", "two")] == [0, 1]
    assert rows(path, "string") == [] and rows(path, "note") == []
    writer.commit()

    assert rows(path, "string") == [(0, "a"), (1, "b")]
    assert [row[2] for row in rows(path, "note")] == ["one", "two"]
    writer.close()


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz"
    TraceWriter(path).close()

    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
    connection.close()


def test_a_file_that_is_opened_again_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz"
    first = TraceWriter(path)
    spec = first.spec((2, "j1"), "float32", "cpu", "jagged")
    stack = first.stack([first.frame(first.source("/gone.py"), 1, 1, -1, -1, "f")])
    first.add("note", kind="k", text="one")
    first.close()

    second = TraceWriter(path)
    assert second.spec((2, "j1"), "float32", "cpu", "jagged") == spec
    assert second.stack([0]) == stack
    assert second.add("note", kind="k", text="two") == 1
    assert second.spec((3,), "float32", "cpu", "strided") == spec + 1
    second.close()


def test_two_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "a.gradviz"
    recorder, supervisor = TraceWriter(path), TraceWriter(path)
    for number in range(20):
        recorder.add("note", kind="k", text=str(number))
        supervisor.add("output", stream="stdout", time=0.0, data=b"x")
        recorder.commit()
        supervisor.commit()
    assert recorder.failure is None and supervisor.failure is None
    assert len(rows(path, "note")) == len(rows(path, "output")) == 20
    recorder.close()
    supervisor.finish()
    assert [path.name for path in tmp_path.iterdir()] == ["a.gradviz"]


def test_threads_share_a_writer(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")

    def work(start: int) -> None:
        for number in range(start, start + 200):
            writer.string(str(number % 150))
            writer.add("note", kind="k", text="")
            if number % 50 == 0:
                writer.commit()

    threads = [threading.Thread(target=work, args=(n * 7,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.commit()

    assert writer.failure is None
    assert len(rows(writer.path, "string")) == 150 and len(rows(writer.path, "note")) == 800
    writer.close()


def test_a_failing_disk_is_told_and_hurts_nobody(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    writer.path_connection().execute("PRAGMA max_page_count=40")  # as a full disk answers
    for _ in range(200):
        writer.add("output", stream="stdout", time=0.0, data=bytes(4096))
    writer.commit()

    assert writer.failure is not None and "full" in writer.failure
    writer.add("note", kind="k", text="")
    writer.commit()
    writer.close()


def test_a_segment_is_its_columns_and_nothing_when_empty(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    columns = new_columns("edge")
    writer.segment("edge", 3, 0, columns)
    for number, column in enumerate(columns):
        column.append(number)
    writer.segment("edge", 3, 0, columns)
    writer.commit()

    (row,) = rows(writer.path, "segment")
    assert row[1:5] == ("edge", 3, 0, 1)
    assert row[5] == b"".join(number.to_bytes(4, "little") for number in range(4))
    writer.close()


def test_a_pass_can_be_taken_out_again(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    for number in (0, 1):
        columns = new_columns("expected")
        columns[0].append(0)
        writer.segment("expected", number, 0, columns)
    writer.remove_pass(0)
    writer.commit()
    assert [row[2] for row in rows(writer.path, "segment")] == [1]
    writer.close()


@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"# coding: gbk\nx = 1\n", "gbk"), (b"x = 1\n", "utf-8"), (b"# coding: nonsense\n", "utf-8"), (b"", "utf-8")],
)
def test_a_source_is_kept_as_it_was_with_its_encoding(data: bytes, encoding: str, tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    script = tmp_path / "s.py"
    script.write_bytes(data)
    writer.source(str(script))
    script.write_bytes(b"changed")
    writer.source(str(script))
    writer.commit()
    assert rows(writer.path, "source") == [(0, str(script), data, encoding)]
    writer.close()


def test_a_string_that_utf8_cannot_hold_is_written_escaped(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    writer.string("a\udc80b")
    writer.commit()
    assert rows(writer.path, "string") == [(0, "a\\udc80b")]
    writer.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not on this platform: no fork")
def test_a_forked_child_leaves_the_file_alone(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    writer.add("note", kind="k", text="parent")
    child = os.fork()
    if child == 0:
        writer.abandon()
        writer.add("note", kind="k", text="child")
        writer.commit()
        writer.close()
        os._exit(0)
    os.waitpid(child, 0)
    writer.commit()
    assert [row[2] for row in rows(writer.path, "note")] == ["parent"]
    writer.close()


def test_the_side_file_says_what_runs_until_the_recording_ends(tmp_path: Path) -> None:
    trace = tmp_path / "a.gradviz"
    mark = LiveMark(trace)
    assert read_live(trace) is None
    mark.cells[1], mark.cells[2] = 4, 17

    running = read_live(trace)
    assert running is not None and (running.pass_id, running.node) == (4, 17)

    mark.clear()
    assert read_live(trace) is None
    mark.close()
    assert not live_path(trace).exists()


@pytest.mark.parametrize("data", [b"", b"short", bytes(32)])
def test_a_side_file_that_is_none_says_nothing(data: bytes, tmp_path: Path) -> None:
    live_path(tmp_path / "a").write_bytes(data)
    assert read_live(tmp_path / "a") is None


def test_a_reader_only_delays_the_end(tmp_path: Path) -> None:
    # GIVEN a view that reads the recording at the moment when it ends
    path = tmp_path / "a.gradviz"
    writer = TraceWriter(path)
    writer.add("note", kind="k", text="kept")
    writer.commit()
    reading = sqlite3.connect(path, isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT * FROM note").fetchall()
    # WHEN it is to be made one whole file, that is refused, and can be tried again
    writer.path_connection().execute("PRAGMA busy_timeout=0")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        writer.finish()
    reading.close()
    writer.finish()
    # THEN it is whole by itself
    assert [file.name for file in tmp_path.iterdir()] == ["a.gradviz"]
    assert [row[2] for row in rows(path, "note")] == ["kept"]
