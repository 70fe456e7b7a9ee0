"""What shares memory, how long tensors live and which stack a graph is freed on are the same under the recorder."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.run_request import Target
from gradviz.trace.reader import Trace
from tests.transparency import assert_same, run_bare, run_recorded

ALIASES = """
import torch

kept = []
def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)
def keep(gradient):
    kept.append(gradient.detach())
def double(leaf):
    leaf.grad.mul_(2)
def check(*leaves):
    for each in leaves:
        print([each.grad.data_ptr() == one.data_ptr() for one in kept], each.grad.stride())
        each.grad.mul_(3)
    print(kept, [each.grad for each in leaves])
    kept.clear()

a, b = leaf(3), leaf(3)
both = a + b
both.register_hook(keep)
both.square().sum().backward()
check(a, b)

a = leaf(1, 3)
wide = a.expand(2, 3)
wide.register_hook(keep)
wide.exp().sum().backward()
check(a)

for change in (lambda t: t.view(6), lambda t: t.t(), lambda t: t.clone(), lambda t: t[None], lambda t: t - 1.0):
    a = leaf(2, 3)
    changed = change(a)
    changed.register_hook(keep)
    a.register_hook(keep)
    changed.exp().sum().backward()
    check(a)

a = leaf(3)
inner = a + 0.0
inner.retain_grad()
inner.exp().sum().backward()
kept.append(inner.grad)
check(a)

a = leaf(3)
a.register_post_accumulate_grad_hook(double)
shifted = a + 1.0
shifted.register_hook(keep)
shifted.exp().sum().backward()
check(a)

class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, gradient):
        keep(gradient)
        return gradient
a = leaf(3)
Same.apply(a).exp().sum().backward()
check(a)

a = leaf(3)
shifted = a + 1.0
shifted.register_hook(keep)
(shifted * float("nan")).sum().backward()
check(a)

a = leaf(100, 100)
shifted = a + 1.0
shifted.register_hook(lambda gradient: kept.append(gradient.detach()))
(shifted * float("inf")).sum().backward()
print(a.grad.data_ptr() == kept[0].data_ptr())
"""
ORDER = """
import torch, weakref

def told(name):
    return lambda gradient: weakref.finalize(gradient, print, name, "is gone") and None
x = torch.ones(3, requires_grad=True)
y = x * 2
x.register_hook(told("x"))
y.register_hook(told("y"))
y.exp().sum().backward()
print("done")
"""
FREED = """
import threading
import torch

x = torch.ones(3, requires_grad=True)
def chain(nodes):
    y = x
    for _ in range(nodes):
        y = y + 1
    return y
def ladder(nodes):
    y = z = x
    for _ in range(nodes // 3):
        y, z = y + z, z * 0.5
        y = y * 0.5
    return y + z
def freed(box):
    box.pop()
    print("freed")
for make in (chain, ladder):
    box = [make(60_000).sum()]
    box[0].backward(retain_graph=True)
    box[0].backward()
    threading.stack_size(512 << 10)
    thread = threading.Thread(target=freed, args=(box,))
    thread.start()
    thread.join()
print(x.grad)
"""


@pytest.mark.parametrize("level", ["shapes", "summaries", "values"])
def test_what_a_hook_kept_shares_the_memory_that_it_shares_in_a_bare_run(level: str, tmp_path: Path) -> None:
    same_as_bare(ALIASES, tmp_path, level)


def test_gradients_go_in_the_order_of_a_bare_run(tmp_path: Path) -> None:
    same_as_bare(ORDER, tmp_path, "summaries")


def test_a_deep_graph_may_be_freed_by_a_thread_with_a_small_stack(tmp_path: Path) -> None:
    same_as_bare(FREED, tmp_path, "shapes")

    with Trace(tmp_path / "run.gradviz") as trace:
        record = next(each for each in trace.passes() if each.phase == "run")
        assert (record.outcome, record.truncated) == ("completed", None)


def same_as_bare(script: str, folder: Path, level: str) -> None:
    """Run it both ways and compare."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, folder)
    recorded = run_recorded(target, folder, folder / "run.gradviz", level=level)

    assert bare.exit_code == 0
    assert_same(bare, recorded.seen)
