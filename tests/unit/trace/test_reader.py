"""What a builder writes is what the reader says, finished or while it grows."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import TraceError
from gradviz.trace import packing
from gradviz.trace.model import Frame, Spec
from gradviz.trace.reader import Trace
from tests import large_recordings, recordings
from tests.builders import TraceBuilder
from tests.unit.trace.reading import outcome

ALL = [
    recordings.eigh_seed_mismatch,
    recordings.mlp,
    recordings.silent_broadcast,
    recordings.non_finite,
    large_recordings.transformer,
]


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_recording_reads_whole(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # a builder's function
    assert outcome(make(tmp_path / "run.gradviz")) == ""


def test_the_run_and_its_source(tmp_path: Path) -> None:
    # GIVEN the recording of a refused backward
    with Trace(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz")) as trace:
        # THEN the run, its source and its exception are as written
        assert (trace.run().status, trace.run().exit_code, trace.run().arguments) == ("raised", 1, ())
        source = trace.source(recordings.EIGH_SCRIPT)
        assert source is not None and source.text == recordings.EIGH_TEXT
        (raised,) = trace.exceptions()
        assert raised.type == "RuntimeError" and raised.pass_id == 0
        assert raised.stack == (Frame(recordings.EIGH_SCRIPT, 18, 18, 0, 15, "<module>"),)


def test_the_pass_names_what_was_passed(tmp_path: Path) -> None:
    with Trace(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz")) as trace:
        (one,) = trace.passes()
        (root,), (seed,) = one.roots, one.seeds
        assert seed is not None
        assert root.spec == Spec((), "float64", "cpu", "strided")
        assert seed.spec.shape == (164,)
        assert trace.leaves()[0].value == seed.value, "the seed is the leaf itself"
        assert one.failed_node == root.node
        (sample,) = trace.samples(0, -1)
        assert sample.role == "seed" and len(sample.data) == 164 * 8


def test_nodes_edges_and_steps(tmp_path: Path) -> None:
    with Trace(recordings.mlp(tmp_path / "run.gradviz")) as trace:
        assert [one.id for one in trace.passes()] == [0, 98, 99], "passes that were only counted leave gaps"
        graph, steps = trace.graph(0), trace.steps(0)
        assert (len(graph), len(graph.tail), len(steps)) == (11, 10, 11)
        relu = trace.node(0, int(steps.node[6]))
        assert relu.name == "ReluBackward0" and relu.expected[0].shape == (32, 64)
        step = trace.step(0, 6)
        assert step.received[0].spec == relu.expected[0]
        assert step.received[0].stats.zeros > 0
        call = trace.call(relu.call)
        assert call is not None and trace.modules()[call.module].class_name == "ReLU"
        (saved,) = trace.saved(0, relu.index)
        assert saved.name == "result"


def test_who_made_and_used_a_value(tmp_path: Path) -> None:
    with Trace(recordings.silent_broadcast(tmp_path / "run.gradviz")) as trace:
        sub = next(op for op in trace.ops() if op.name == "sub")
        pred, target = sub.operands
        linear, matmul = trace.producer(pred.number), trace.producer(target.number)
        assert linear is not None and linear.name == "linear"
        assert matmul is not None and matmul.name == "matmul"
        assert trace.producer(pred.number, before=linear.number) is None
        assert trace.users(target.number) == (sub,)
        assert trace.op(sub.number) is sub and trace.op(10_000) is None
        assert trace.op_numbers() == [op.number for op in trace.ops()]


def test_operands_of_ops_in_several_segments(tmp_path: Path) -> None:
    # GIVEN ops written in two batches, with a gap in their numbers
    trace = TraceBuilder(tmp_path / "run.gradviz")
    trace.op("first", trace.at(1), [(1, [2], "a"), (2, [3], "b")], [(3, [2])])
    trace.commit()
    spec, text = trace.spec([5]), trace.writer.string
    operand = [array("i", [item]) for item in (3, spec, 0, 0, -1)]
    trace.writer.segment("operand", None, 2, operand)
    row = (7, text("second"), -1, -1, 0, -1, -1, 0, -1, 3, 1)
    codes = [code for _, code in packing.KINDS["op"]]
    trace.writer.segment("op", None, 1, [array(code, [item]) for code, item in zip(codes, row)])
    # WHEN they are read
    with Trace(trace.save()) as read:
        # THEN each op has its own operands
        assert read.op_numbers() == [0, 7]
        first, second = read.ops()
        assert [value.number for value in first.operands] == [1, 2]
        assert [value.number for value in second.operands] == [3]
        assert second.results == () and second.operands[0].name == ""


def test_a_growing_file_is_seen_by_refresh(tmp_path: Path) -> None:
    # GIVEN a recorder that has begun a pass
    writing = TraceBuilder(tmp_path / "run.gradviz", status="recording", seconds=None, exit_code=None)
    one = writing.backward(writing.at(1))
    node = one.node("MulBackward0", [3])
    one.end("running")
    writing.commit()
    with Trace(writing.path) as trace:
        assert trace.passes()[0].outcome == "running" and len(trace.steps(0)) == 0
        assert not trace.refresh(), "nothing was added"
        # WHEN a step is written
        one._packed = {kind: packing.new_columns(kind) for kind in ("step", "received")}
        one.step(node)
        for kind, columns in one._packed.items():
            writing.writer.segment(kind, 0, 0, columns)
        writing.writer.update("backward", 0, outcome="completed", steps=1)
        writing.writer.commit()
        # THEN it is there after refresh, and not before
        assert len(trace.steps(0)) == 0
        assert trace.refresh()
        assert len(trace.steps(0)) == 1 and trace.passes()[0].outcome == "completed"
        # AND whoever writes can make the file whole although it is open here
        writing.writer.finish()
        assert not Path(f"{writing.path}-wal").exists()
        writing.path.rename(tmp_path / "kept.gradviz")
        trace.moved(tmp_path / "kept.gradviz")
        assert not trace.refresh()
        assert trace.step(0, 0).node == node


def test_a_recording_left_with_its_wal_file_opens(tmp_path: Path) -> None:
    # GIVEN a recorder that was killed: its file is not folded in
    writing = TraceBuilder(tmp_path / "run.gradviz", status="recording")
    writing.commit()
    with Trace(writing.path) as trace:
        assert trace.run().status == "recording"
    writing.writer.close()


def test_sources_are_decoded_as_python_does(tmp_path: Path) -> None:
    writing = TraceBuilder(tmp_path / "run.gradviz")
    writing.writer.source("/a.py", "# coding: gbk\n# 梯度\r\nx = 1\r\n".encode("gbk"))
    writing.writer.source("/b.py", b"\xef\xbb\xbfx = 1")
    writing.writer.source("/c.py", b"# coding: no-such\n\xff")
    with Trace(writing.save()) as trace:
        texts = {source.path: source.text for source in trace.sources()}
    assert texts["/a.py"] == "# coding: gbk\n# 梯度\nx = 1\n"
    assert texts["/b.py"] == "x = 1"
    assert texts["/c.py"] == "# coding: no-such\n�"


def test_samples_keep_their_strides(tmp_path: Path) -> None:
    writing = TraceBuilder(tmp_path / "run.gradviz")
    leaf = writing.leaf("w", [100, 50])
    writing.sample(np.zeros((10, 50), "float32"), None, None, leaf, "leaf-grad", [100, 50], [10, 1])
    with Trace(writing.save()) as trace:
        sample = trace.leaf_sample(leaf)
    assert sample is not None
    assert (sample.spec.shape, sample.shape, sample.strides) == ((100, 50), (10, 50), (10, 1))


def test_a_missing_pass_is_a_sentence(tmp_path: Path) -> None:
    with (
        Trace(recordings.mlp(tmp_path / "run.gradviz")) as trace,
        pytest.raises(TraceError, match="holds no backward pass 5"),
    ):
        trace.graph(5)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = recordings.mlp(tmp_path / "run.gradviz")
    before = path.read_bytes()
    assert outcome(path) == ""
    assert path.read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["run.gradviz"]
    with Trace(path) as trace, trace._file.reading() as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("DELETE FROM run")


def test_opening_brings_no_numpy(tmp_path: Path) -> None:
    path = recordings.mlp(tmp_path / "run.gradviz")
    code = "import sys; from gradviz.trace.reader import Trace; status = Trace(sys.argv[1]).run().status"
    code += "; print(status, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout.split() == ["ok", "False"], done.stderr


def test_several_threads_read_at_once(tmp_path: Path) -> None:
    path = large_recordings.transformer(tmp_path / "run.gradviz", 3)
    with Trace(path) as trace, ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda number: trace.node(0, number).name, range(len(trace.graph(0)))))
        ops = list(pool.map(trace.op, trace.op_numbers()))
    assert len(texts) > 100 and None not in ops
