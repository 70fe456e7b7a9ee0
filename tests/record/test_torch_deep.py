"""Deep graphs: walked without recursion, and only as far as the C stack could free them again."""

from __future__ import annotations

import threading
from pathlib import Path

import torch

from tests.record.recorded import recorded


def chain(length: int) -> torch.Tensor:
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(length):
        y = y + 1
    return y


def test_a_chain_of_ten_thousand_is_whole(tmp_path: Path) -> None:
    trace = recorded(tmp_path, lambda: chain(10_000).sum().backward(), level="shapes")

    (record,) = trace.passes()
    assert (record.nodes, record.steps, record.truncated) == (10_002, 10_002, None)
    graph = trace.graph(record.id)
    assert bool((graph.tail < graph.head).all()) and bool((graph.op[:-1] >= 0).all())


def test_where_the_stack_is_small_the_walk_stops_and_the_pass_goes_on(tmp_path: Path) -> None:
    gradients: list[float] = []

    def work() -> None:
        chain(3000).sum().backward()
        gradients.append(1.0)

    def program() -> None:
        before = threading.stack_size(512 << 10)
        try:
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(before)

    trace = recorded(tmp_path, program)

    (record,) = trace.passes()
    assert gradients == [1.0] and record.outcome == "completed"
    assert record.truncated is not None and record.nodes < 3000
    assert record.steps == record.nodes
