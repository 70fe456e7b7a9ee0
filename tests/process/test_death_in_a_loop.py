"""A process that dies in a pass which was only counted: the stored pass of the same graph says at which node."""

from __future__ import annotations

import sys
from pathlib import Path

from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Supervisor
from gradviz.trace.reader import Trace

GUARD_SECONDS = 300
SCRIPT = """
import os, signal, torch
class Fragile(torch.autograd.Function):
    times = 0
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        Fragile.times += 1
        if Fragile.times == 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return g * 2
x = torch.ones(3, requires_grad=True)
for _ in range(40):
    Fragile.apply(x.exp()).sum().backward()
"""


def test_the_node_is_named_though_the_pass_was_not_stored(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    supervisor = Supervisor(
        RunRequest(Target("script", "script.py"), sys.executable, tmp_path, tmp_path / "run.gradviz")
    )
    supervisor.start()
    outcome = supervisor.wait(GUARD_SECONDS)

    assert outcome is not None and outcome.status == "killed"
    with Trace(outcome.trace) as trace:
        [stored] = trace.passes()
        assert stored.outcome == "interrupted" and stored.running_node is not None
        assert trace.node(stored.id, stored.running_node).name == "FragileBackward"
