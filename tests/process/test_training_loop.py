"""A training loop of a thousand passes: its recording is no larger than that of ten, and what goes wrong in pass 500,
when all passes before it were alike and only counted, is found with node and line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.trace.model import Backward
from gradviz.trace.reader import Trace
from tests.gradviz_command import check, run_gradviz

SCRIPT = """
import sys, torch
from torch import nn

class Scale(torch.autograd.Function):
    calls = 0
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, grad_output):
        Scale.calls += 1
        gradient = grad_output * ctx.factor
        if fault == "error" and Scale.calls == 501:
            gradient = gradient.sum(dim=1)
        return gradient, None

passes, fault = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
for number in range(passes):
    batch, target = torch.randn(8, 16), torch.randn(8, 4)
    predicted = Scale.apply(model(batch), 0.5)
    if fault == "nan" and number == 500:
        target = predicted.detach().clone()
    squared = (predicted - target) ** 2
    loss = squared.sum(dim=1).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PASSES = 1000
MOST_KEPT = 8


def line_with(text: str) -> int:
    """The line of the script that holds `text`."""
    (line,) = [number for number, each in enumerate(SCRIPT.splitlines(), 1) if text in each]
    return line


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def recorded(script: Path, passes: int) -> tuple[int, list[Backward]]:
    """Size of the recording in bytes, and the passes that it keeps."""
    file = script.with_name(f"after_{passes}.gradviz")
    done = run_gradviz("record", str(script), "-o", str(file), "--", str(passes), "nothing", cwd=script.parent)
    assert done.exit_code == 0, done.stderr
    with Trace(file) as trace:
        return file.stat().st_size, list(trace.passes())


def test_the_recording_of_a_thousand_passes_is_no_larger_than_that_of_ten(script: Path) -> None:
    few, kept_of_few = recorded(script, 10)
    many, kept = recorded(script, PASSES)

    assert many <= few
    assert [record.id for record in kept] == [0, PASSES - 2, PASSES - 1]
    assert sum(record.repeats for record in kept) == PASSES
    assert len({record.structure for record in (*kept, *kept_of_few)}) == 1


@pytest.mark.parametrize(
    ("fault", "rule", "node", "cause", "passes"),
    [
        ("nan", "non-finite-gradient", "SqrtBackward0", ".sqrt()", PASSES),
        ("error", "custom-backward-wrong-shape", "ScaleBackward", "gradient = gradient.sum(dim=1)", 501),
    ],
)
def test_what_goes_wrong_in_pass_500_is_found(
    fault: str, rule: str, node: str, cause: str, passes: int, script: Path
) -> None:
    done = check(script, argv=(str(PASSES), fault))

    [finding] = done.loud
    assert (finding["rule"], finding["pass"], finding["node"]) == (rule, 500, node)
    assert (finding["file"], finding["line"]) == (str(script), line_with(cause))
    assert sum(row["count"] for row in done.report["backwards"]) == passes
    assert len(done.report["backwards"]) <= MOST_KEPT  # every pass after the first NaN has one, too
