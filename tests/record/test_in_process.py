"""`gradviz.recording`: a part of one's own process, recorded and left as it was."""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import gradviz
from gradviz.errors import GradvizError, NotStartedError
from gradviz.record.showing import run_backward_for_a_look
from gradviz.trace.reader import Trace


def backward(tensor: Any) -> None:
    """`tensor.backward()`, which has no types."""
    tensor.backward()


def test_a_block_is_recorded_into_one_file(tmp_path: Path) -> None:
    weight = torch.ones(3, requires_grad=True)

    with gradviz.recording(tmp_path / "run.gradviz") as recording:
        backward((weight * 2).sum())
    backward((weight * 3).sum())

    assert recording.path == tmp_path / "run.gradviz"
    assert [path.name for path in tmp_path.iterdir()] == ["run.gradviz"]
    with Trace(recording.path) as trace:
        assert trace.run().status == "ok"
        assert trace.run().framework.startswith("torch ")
        [only] = trace.passes()
        assert (only.outcome, only.nodes) == ("completed", 3)
        assert only.stack[1].file == __file__
        assert [leaf.name for leaf in trace.leaves()] == ["weight"]


def test_an_error_is_recorded_and_goes_on(tmp_path: Path) -> None:
    weight = torch.ones(3, requires_grad=True)

    with pytest.raises(RuntimeError, match="scalar"), gradviz.recording(tmp_path / "run.gradviz"):
        backward(weight * 2)

    with Trace(tmp_path / "run.gradviz") as trace:
        assert trace.run().status == "raised"
        [error] = trace.exceptions()
        assert (error.type, error.caught) == ("RuntimeError", False)


def test_everything_patched_is_as_it_was(tmp_path: Path) -> None:
    def patched() -> list[object]:
        return [
            warnings.warn,
            vars(warnings)["_showwarnmsg"],
            list(warnings.filters),
            traceback.TracebackException.__init__,
            traceback.extract_tb,
            vars(threading.Thread)["_bootstrap_inner"],
            list(sys.meta_path),
            torch.autograd._engine_run_backward,  # type: ignore[attr-defined]  # private
            torch.nn.Module.__call__,
            torch._C._len_torch_function_stack(),
        ]

    before = patched()
    with pytest.raises(ZeroDivisionError), gradviz.recording(tmp_path / "run.gradviz"):
        assert patched() != before
        1 / 0  # noqa: B018  # it is the error that is wanted

    assert patched() == before


def test_one_at_a_time(tmp_path: Path) -> None:
    first, second = gradviz.recording(tmp_path / "run.gradviz"), gradviz.recording(tmp_path / "other.gradviz")
    with first, pytest.raises(GradvizError, match="recorded already"), second:
        pass
    with gradviz.recording(tmp_path / "run.gradviz"):
        pass


def test_a_place_that_cannot_be_written_is_told() -> None:
    with pytest.raises(NotStartedError, match=r"/nowhere/run\.gradviz"), gradviz.recording("/nowhere/run.gradviz"):
        pass


def test_a_look_leaves_gradients_and_graph(tmp_path: Path) -> None:
    weight = torch.ones(3, requires_grad=True)
    loss = (weight * 2).exp().sum()

    with gradviz.recording(tmp_path / "run.gradviz"):
        run_backward_for_a_look(loss)

    assert weight.grad is None
    backward(loss)
    with Trace(tmp_path / "run.gradviz") as trace:
        assert [each.nodes for each in trace.passes()] == [4]


@pytest.mark.parametrize("wrong", [3, torch.ones(2)])
def test_a_look_wants_a_graph(wrong: object) -> None:
    with pytest.raises(GradvizError, match="grad_fn"):
        run_backward_for_a_look(wrong)


def test_the_package_itself_imports_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import gradviz; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.split()
    assert [name for name in loaded if name.split(".")[0] in ("gradviz", "torch", "numpy", "PySide6")] == ["gradviz"]
