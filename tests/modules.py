"""Recordings of modules: gradients that met every fate there is, and parts of equal structure, one after the other."""

from __future__ import annotations

from pathlib import Path

from tests.builders import NO_STATS, Stats, TraceBuilder

NAMES = ("good", "zero", "nan", "inf", "none", "cut", "frozen", "other", "unkept", "plain")
NAN, INF = float("nan"), float("inf")
# What the parameters of a module received; None: no gradient arrived. Those that are missing here are in no step.
RECEIVED: dict[str, list[Stats | None]] = {
    "good": [(0, 0, 0, -1.0, 1.0, 0.0, 3.0), (0, 0, 1, -1.0, 2.0, 0.0, 4.0)],
    "zero": [(0, 0, 4, 0.0, 0.0, 0.0, 0.0)],
    "nan": [(2, 0, 0, NAN, NAN, NAN, NAN)],
    "inf": [(0, 1, 0, 0.0, INF, INF, INF)],
    "none": [None],
    "unkept": [NO_STATS],
}


def fates(path: Path) -> Path:
    """`model` with ten modules; `other` is part of the second pass only, `cut` of none, `plain` has no parameters."""
    trace = TraceBuilder(path, "/home/me/fates.py", "loss = model(x)\n" * 9)
    root = trace.module("", "Model", 56, root="model")
    modules = {name: trace.module(name, name.title(), _entries(name), root) for name in NAMES}
    outer = trace.call(root, trace.at(2), [2, 4], [2, 5])
    calls = {name: trace.call(modules[name], trace.at(3), [2, 4], [2, 5], outer) for name in NAMES if name != "plain"}
    again = trace.call(modules["good"], trace.at(4), [9, 4], [9, 5], outer)
    one = trace.backward(trace.at(5))
    below, leaves = [], {}
    for name in NAMES:
        for number, received in enumerate(RECEIVED.get(name, [NO_STATS])):
            if name in ("cut", "frozen", "other", "plain"):
                continue
            shape = [2, 5] if name == "good" else [4]
            leaf = trace.leaf(f"{name}.{number}", shape, module=modules[name])
            below.append(one.node("AccumulateGrad", shape, leaf=leaf, call=calls[name]))
            leaves[below[-1]] = received
    trace.leaf("cut.0", [4], module=modules["cut"], in_graph=False)
    trace.leaf("frozen.0", [4], module=modules["frozen"], frozen=True, in_graph=False)
    other = trace.leaf("other.0", [4], module=modules["other"])
    shape_of = {node: [2, 5] if at < 2 else [4] for at, node in enumerate(below)}
    first = one.node("AddmmBackward0", [2, 5], call=calls["good"], to=below[:2], seq=0)
    second = one.node("AddmmBackward0", [9, 5], call=again, to=[first], seq=1)
    top = one.node("SumBackward0", [], to=[second, *below[2:]], seq=2)
    one.root(top, []).seed(None)
    one.steps([top, second, first])
    for node, received in leaves.items():
        one.step(
            node, *([None] if received is None else [shape_of[node]]), stats=[] if received is None else [received]
        )
    one.end()
    two = trace.backward(trace.at(6))
    leaf_node = two.node("AccumulateGrad", [4], leaf=other, call=calls["other"])
    last = two.node("SumBackward0", [], to=[leaf_node])
    return two.root(last, []).seed(None).steps([last, leaf_node]).end().save()


def _entries(name: str) -> int:
    return {"good": 20, "plain": 0}.get(name, 4)


def layered(
    path: Path,
    received: list[list[Stats | None]],
    outcome: str = "completed",
    failed_node: int | None = None,
    frozen: tuple[int, ...] = (),
) -> Path:
    """A root with one module per list, each of two nodes, a weight and a bias; `received` are their gradients."""
    trace = TraceBuilder(path, "/home/me/net.py", "loss = model(x).sum()\n" * 9)
    root = trace.module("", "Net", 30 * len(received), root="model")
    outer = trace.call(root, trace.at(1), [2, 5], [2, 5])
    one = trace.backward(trace.at(5))
    below: list[int] = []
    leaves: dict[int, Stats | None] = {}
    for number, pair in enumerate(received):
        module = trace.module(f"part.{number}", f"Part{number}", 30, root)
        call = trace.call(module, trace.at(1), [2, 5], [2, 5], outer)
        own = []
        for name, stats in zip(("weight", "bias"), pair, strict=True):
            shape, still = [5, 5] if name == "weight" else [5], number in frozen
            leaf = trace.leaf(f"part.{number}.{name}", shape, module=module, frozen=still, in_graph=not still)
            if still:
                continue
            own.append(one.node("AccumulateGrad", [5], leaf=leaf, call=call))
            leaves[own[-1]] = stats
        first = one.node("AddmmBackward0", [2, 5], call=call, to=[*own, *below[-1:]], seq=2 * number)
        below.append(one.node(f"Relu{number}Backward0", [2, 5], call=call, to=[first], seq=2 * number + 1))
        below.insert(0, first)
    top = one.node("SumBackward0", [], to=below[-1:], seq=99)
    one.root(top, []).seed(None)
    one.steps([top, *below[::-1]])
    for node, stats in leaves.items():
        one.step(node, *([None] if stats is None else [[5]]), stats=[] if stats is None else [stats])
    return one.end(outcome, failed_node=failed_node).save()
