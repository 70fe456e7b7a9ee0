"""A recorder that is killed at any moment leaves a recording that opens, and that names what was running."""

from __future__ import annotations

import os
import random
import sys
import threading
from pathlib import Path

import pytest

from gradviz.document.run_request import RunRequest, Target
from gradviz.document.supervisor import Outcome, Supervisor
from gradviz.trace.reader import Trace

GUARD_SECONDS = 120.0
KILLS = 50
pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on this platform: POSIX signals")

TRAINING = """
import torch
print("begun", flush=True)
torch.set_num_threads(1)
x = torch.randn(8, 4)
for size in range(2, 100000):
    layers = [torch.nn.Linear(4 if n == 0 else size % 50 + 2, size % 50 + 2) for n in range(size % 7 + 1)]
    out = torch.nn.Sequential(*layers)(x).tanh().sum()
    out.backward()
    print(size, flush=True)
"""

DEADLY = """
import os, signal, torch
class Deadly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad_output):
        {death}
x = torch.ones(3, requires_grad=True)
Deadly.apply(x.sin()).sum().backward()
"""


def killed_after(folder: Path, delay: float) -> Outcome:
    """Run the training and kill it with the system's strongest signal, `delay` seconds after it began."""
    (folder / "script.py").write_text(TRAINING, encoding="utf-8")
    begun = threading.Event()
    request = RunRequest(Target("script", "script.py"), sys.executable, folder, folder / "run.gradviz")
    supervisor = Supervisor(request, on_output=lambda stream, chunk: begun.set())
    supervisor.start()
    assert begun.wait(GUARD_SECONDS)
    threading.Event().wait(delay)
    supervisor._tree.kill()
    outcome = supervisor.wait(GUARD_SECONDS)
    assert outcome is not None
    return outcome


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_any_moment(number: int, tmp_path: Path) -> None:
    outcome = killed_after(tmp_path, random.Random(number).uniform(0.0, 0.6))

    assert (outcome.status, outcome.signal, outcome.trouble) == ("killed", 9, "")
    with Trace(outcome.trace) as trace:
        assert trace.run().status == "killed"
        for each in trace.passes():
            assert each.outcome != "running"
            graph, steps = trace.graph(each.id), trace.steps(each.id)
            assert len(graph) == each.nodes
            assert len(steps) <= each.nodes
            if each.outcome == "completed":
                assert len(steps) == each.steps
        assert {path.name for path in tmp_path.iterdir()} == {"script.py", "run.gradviz"}


@pytest.mark.parametrize(
    "death",
    ["os._exit(139)", "os.kill(os.getpid(), signal.SIGKILL)", "os.kill(os.getpid(), signal.SIGSEGV)", "os.abort()"],
)
def test_the_node_that_was_running_is_named(death: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(DEADLY.format(death=death), encoding="utf-8")
    request = RunRequest(Target("script", "script.py"), sys.executable, tmp_path, tmp_path / "run.gradviz")
    supervisor = Supervisor(request)
    supervisor.start()
    outcome = supervisor.wait(GUARD_SECONDS)

    assert outcome is not None
    assert outcome.status == "killed"
    with Trace(outcome.trace) as trace:
        [one] = trace.passes()
        assert one.outcome == "interrupted"
        assert one.running_node is not None
        assert trace.node(one.id, one.running_node).name == "DeadlyBackward"
