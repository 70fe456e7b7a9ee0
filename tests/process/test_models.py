"""Models as people train them are recorded without a fault of ours, their one mistake is found, and they open readable.

GPT-2 (a gigabyte) and the LSTM (22,000 nodes) are left to `scripts/model_pictures.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.scene.build import build
from gradviz.scene.groups import READABLE
from gradviz.scene.sizes import monospaced
from gradviz.trace.reader import Trace
from tests.gradviz_command import run_gradviz

MODELS = Path(__file__).parents[1] / "data" / "models"
MISTAKES = {
    "resnet50": ("detached", "turn_loss.item()"),
    "transformer": ("inplace-modified", "weights *= kept"),
    "unet": ("silent-broadcast", "error = answer - truth"),
    "vae": ("non-finite-gradient", "torch.log(1 - p)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_model_is_recorded_its_mistake_found_and_its_graph_readable(name: str, tmp_path: Path) -> None:
    script, file = MODELS / f"{name}.py", tmp_path / "run.gradviz"

    done = run_gradviz("record", str(script), "-o", str(file), cwd=tmp_path)

    rule, line = MISTAKES[name]
    assert file.exists(), done.stderr
    with Trace(file) as trace:
        findings = diagnose(trace)
        loud = [finding for finding in findings if finding.severity != "note"]
        assert [finding.rule for finding in loud] == [rule]
        assert any(mark.node >= 0 for mark in loud[0].marks)  # "Show in graph" leads somewhere
        assert line in script.read_text(encoding="utf-8").splitlines()[loud[0].line - 1]
        made = build(trace, trace.passes()[0].id, (), monospaced)
        assert len(made.draft) <= READABLE
