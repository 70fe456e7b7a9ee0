"""A damaged or hostile file gives a sentence, never anything else."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.trace import packing
from gradviz.trace.opening import TABLES
from gradviz.trace.reader import Trace
from tests import recordings
from tests.unit.trace.reading import outcome

ONCE = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return recordings.silent_broadcast(tmp_path / "run.gradviz")


def edited(path: Path, *statements: str, parameters: tuple[object, ...] = ()) -> str:
    """What reading says after these SQL statements."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement, parameters)
    connection.commit()
    connection.close()
    return outcome(path)


def test_not_there(tmp_path: Path) -> None:
    assert outcome(tmp_path / "none.gradviz").startswith("There is no file")


def test_a_folder(tmp_path: Path) -> None:
    assert outcome(tmp_path).endswith("is a folder, not a gradviz recording.")


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.gradviz"
    path.touch()
    assert outcome(path).endswith("is empty.")


@pytest.mark.skipif(sys.platform == "win32", reason="not on this platform: Windows has no named pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert outcome(tmp_path / "pipe").endswith("is not an ordinary file.")


def test_something_else(tmp_path: Path) -> None:
    path = tmp_path / "text.gradviz"
    path.write_text("import torch\n" * 100)
    assert outcome(path).endswith("is not a gradviz recording.")


def test_another_database(tmp_path: Path) -> None:
    assert edited(tmp_path / "other.db", "CREATE TABLE a (b)").endswith("is a database, but not a gradviz recording.")


def test_cut_short(whole: Path) -> None:
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) // 2])
    assert f"is cut short: {len(data) // 2:,} of {len(data):,} bytes are there." in outcome(whole)


def test_newer(whole: Path) -> None:
    sentence = edited(whole, "PRAGMA user_version=999")
    assert "was written by a newer gradviz (format 999, this one reads up to 1)" in sentence


SPOILT: dict[str, tuple[str, str]] = {
    "view": ("ALTER TABLE note RENAME TO x; CREATE VIEW note AS SELECT * FROM x", "note is a view, not a table"),
    "virtual": ("DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(id)", "note is a virtual table, not a table"),
    "computed": (
        "ALTER TABLE note RENAME TO x; CREATE TABLE note (id, kind, text, stack, detail AS (zeroblob(9)))",
        "note.detail is computed, not stored",
    ),
    "no table": ("DROP TABLE stack", "its table stack is missing"),
    "no column": ("ALTER TABLE thread RENAME COLUMN name TO x", "its table thread has no column name"),
    "no run": ("DELETE FROM run", "describes no run, not one"),
    "status": ("UPDATE run SET status = 'fine'", "run.status is 'fine', not one of"),
    "text as blob": ("UPDATE segment SET data = 'abc'", "segment.data isn't binary data"),
    "blob as text": ("UPDATE string SET text = x'00'", "string.text isn't text"),
    "number as text": ("UPDATE backward SET nodes = 'many'", "backward.nodes isn't a whole number"),
    "negative": ("UPDATE backward SET nodes = -5", "backward.nodes is -5, outside 0"),
    "short blob": ("UPDATE segment SET count = count + 1 WHERE kind = 'node'", "a segment of 8 rows of node has"),
    "huge count": ("UPDATE segment SET count = 9000000000000 WHERE kind = 'node'", "segment.count is 9000000000000"),
    "gap": ("UPDATE segment SET first = 5 WHERE kind = 'edge'", "goes on at row 5 after row 0"),
    "missing spec": ("DELETE FROM spec WHERE id > 2", "spec"),
    "bad frame": ("UPDATE stack SET frames = '[0, 10000]'", "refers to frame 10000, which isn't there"),
    "frame text": ("UPDATE stack SET frames = '[\"a\"]'", "stack.frames isn't a list of whole numbers"),
    "deep JSON": ("UPDATE backward SET roots = '{deep}'", "backward.roots isn't valid JSON"),
    "long JSON": ("UPDATE backward SET roots = '{long}'", "backward.roots has 2,000,002 characters, more than"),
    "no JSON": ("UPDATE backward SET seeds = '['", "backward.seeds isn't valid JSON"),
    "no list": ("UPDATE backward SET seeds = '3'", "backward.seeds isn't a JSON list"),
    "root": ("UPDATE backward SET roots = '[{\"node\": 99}]'", "backward.roots has no valid 'node'"),
    "shape": ("UPDATE spec SET shape = '[-1]'", "spec.shape isn't a shape"),
    "dims": ("UPDATE spec SET shape = '[{ones}]'", "spec.shape has 70 dimensions, more than 64"),
    "module loop": ("UPDATE module SET parent = id", "modules contain each other in a circle"),
    "leaf gap": ("UPDATE leaf SET id = id + 7", "leaf.id is 7, outside 0 to 0"),
    "stats": ("UPDATE leaf SET grad_stats = x'0102'", "leaf.grad_stats has 2 bytes, not 56"),
    "sample": ("UPDATE sample SET shape = '[19, 20]'", "which [19, 20] of float32 doesn't fill"),
    "sample dtype": ("UPDATE sample SET dtype = 'object'", "sample.dtype is 'object', not one of"),
    "sample dims": ("UPDATE sample SET strides = '[1]'", "has another number of dimensions than its tensor"),
    "parent": ("UPDATE backward SET parent = 3", "backward.parent is 3 for pass 0"),
    "failed": ("UPDATE backward SET failed_node = 7", "backward.failed_node is 7, outside 0 to 6"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_each_kind_of_damage_has_its_sentence(name: str, whole: Path) -> None:
    sql, sentence = SPOILT[name]
    sql = sql.replace("{deep}", "[" * 200_000).replace("{long}", "[" + " " * 2_000_000 + "]")
    sql = sql.replace("{ones}", ", ".join("1" * 70))
    assert sentence in edited(whole, *sql.split("; "))


def set_column(path: Path, kind: str, column: str, row: int, item: int) -> str:
    """What reading says after one packed item is replaced."""
    connection = sqlite3.connect(path)
    number, count, data = connection.execute("SELECT id, count, data FROM segment WHERE kind = ?", (kind,)).fetchone()
    at = 0
    for name, code in packing.KINDS[kind]:
        size = packing.ITEM_SIZES[code]
        if name == column:
            place = at + row * size
            data = data[:place] + item.to_bytes(size, "little", signed=True) + data[place + size :]
        at += size * count
    connection.execute("UPDATE segment SET data = ? WHERE id = ?", (data, number))
    connection.commit()
    connection.close()
    return outcome(path)


@pytest.mark.parametrize(
    ("kind", "column", "row", "item", "sentence"),
    [
        ("edge", "head", 2, 7, "head holds 7, outside 0 to 6"),
        ("edge", "tail", 0, -1, "tail holds -1, outside 0 to 6"),
        ("edge", "slot", 0, -4, "slot holds -4"),
        ("node", "name", 0, 900, "name holds 900"),
        ("node", "expected_end", 6, 6, "expected_end doesn't end with the last of 7"),
        ("node", "expected_end", 2, 9, "expected_end doesn't rise"),
        ("expected", "spec", 1, 500, "spec holds 500"),
        ("step", "node", 3, 7, "node holds 7, outside 0 to 6"),
        ("received", "spec", 0, -2, "spec holds -2"),
        ("op", "number", 3, 0, "number doesn't rise"),
        ("op", "operand_end", 0, -1, "operand_end"),
        ("operand", "spec", 0, -1, "spec holds -1"),
        ("call", "parent", 0, 0, "says that a call ran inside a later one"),
        ("call", "module", 0, 3, "module holds 3"),
    ],
)
def test_packed_items_are_checked(kind: str, column: str, row: int, item: int, sentence: str, whole: Path) -> None:
    assert sentence in set_column(whole, kind, column, row, item)


def test_a_circle_of_edges(whole: Path) -> None:
    # GIVEN the edge from the first node to the second, which is made to lead back to the first
    assert "leads in a circle" in set_column(whole, "edge", "head", 0, 0)


@ONCE
@given(data=st.binary(max_size=3000))
def test_random_bytes(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "random.gradviz"
    path.write_bytes(data)
    assert outcome(path)
    path.write_bytes(b"SQLite format 3\0" + data)
    assert outcome(path)


@ONCE
@given(share=st.floats(0, 0.999))
def test_truncations(share: float, whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    path = tmp_path / "cut.gradviz"
    path.write_bytes(data[: int(len(data) * share)])
    assert outcome(path)


@ONCE
@given(places=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(1, 255)), min_size=1, max_size=8))
def test_flipped_bits(places: list[tuple[float, int]], whole: Path, tmp_path: Path) -> None:
    data = bytearray(whole.read_bytes())
    for share, mask in places:
        data[int(share * len(data))] ^= mask
    path = tmp_path / "flipped.gradviz"
    path.write_bytes(data)
    outcome(path)  # a flipped bit in a number may be valid: only TraceError may come out, which `outcome` lets pass


COLUMNS = [(table, column) for table, columns in TABLES.items() for column in columns]
ODD: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([-1, 0, 1, 2**31, 2**40]),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=80),
    st.sampled_from(["[]", "{}", "[[]]", '[{"node":0}]', "[null]", "[1e999]", '["x"]', "NaN", '{"a":' * 3000]),
)


@settings(ONCE, max_examples=150)
@given(place=st.sampled_from(COLUMNS), odd=ODD)
def test_edited_columns(place: tuple[str, str], odd: object, whole: Path, tmp_path: Path) -> None:
    table, column = place
    path = tmp_path / "edited.gradviz"
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    try:
        connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (odd,))
        connection.commit()
    except sqlite3.IntegrityError:  # NOT NULL, UNIQUE: the database itself refuses
        return
    finally:
        connection.close()
    outcome(path)


def test_the_helper_lets_other_errors_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the tests above would prove nothing."""

    def broken(trace: Trace) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Trace, "run", broken)
    with pytest.raises(ZeroDivisionError):
        outcome(recordings.mlp(tmp_path / "run.gradviz"))
