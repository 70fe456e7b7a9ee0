"""What torch prints, warns of and raises is the same under the recorder, byte for byte."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from gradviz.document.run_request import Target
from gradviz.trace.reader import Trace
from tests.record.torch_scripts import TORCH_SCRIPTS
from tests.record.torch_scripts_aside import ASIDE
from tests.transparency import assert_same, run_bare, run_recorded


@pytest.mark.parametrize("name", [*TORCH_SCRIPTS, *ASIDE])
def test_a_torch_script_runs_as_if_bare(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text({**TORCH_SCRIPTS, **ASIDE}[name], encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz")

    assert_same(bare, recorded.seen)


@pytest.mark.parametrize("level", ["shapes", "values"])
def test_every_level_changes_nothing(level: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(TORCH_SCRIPTS["tracebacks that are caught"], encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz", level=level)

    assert_same(bare, recorded.seen)


def test_level_values_keeps_the_numbers_of_every_step(tmp_path: Path) -> None:
    script = "import torch\nx = torch.arange(6.0).reshape(2, 3).requires_grad_()\n(x * x).exp().sum().backward()\n"
    (tmp_path / "script.py").write_text(script, encoding="utf-8")

    run_recorded(Target("script", "script.py"), tmp_path, tmp_path / "run.gradviz", level="values")

    with Trace(tmp_path / "run.gradviz") as trace:
        kept = {step: trace.samples(0, step) for step in range(len(trace.steps(0)))}
        assert [len(samples) for samples in kept.values()] == [1] * len(kept)
        (last,) = kept[len(kept) - 1]
        assert last.shape == (2, 3) and last.strides == (1, 1)
        assert struct.unpack("<6f", last.data)[0] == 0.0


def test_what_the_script_rebinds_is_still_at_hand_for_the_recorder(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(TORCH_SCRIPTS["standard functions that are rebound"], encoding="utf-8")

    run_recorded(Target("script", "script.py"), tmp_path, tmp_path / "run.gradviz")

    with Trace(tmp_path / "run.gradviz") as trace:
        assert [each.outcome for each in trace.passes() if each.phase == "run"] == ["completed"] * 2
        assert "recorder-fault" not in [note.kind for note in trace.notes()]
