"""Whole recordings by name, as small scripts would leave them: each function writes a file and returns its path."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.trace.packing import NODE_ROOT, OP_RAISED
from tests.builders import NO_STATS, PassBuilder, Shape, Stats, TraceBuilder

EIGH_SCRIPT = "/home/me/eigh_energy.py"
EIGH_TEXT = """\
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
n = 164
w = torch.rand(n, n)
w = w + w.T
G = torch.rand(79, n)
z = torch.randn(n, requires_grad=True)

# energy of the three largest eigenpairs
lap = torch.diag(2 * z - w.sum(1)) + w
e, v = torch.linalg.eigh(lap)
top = e[-3:] * v[:, -3:]
y = top.pow(2).sum(1)
out = torch.sum(G @ y)

out.backward(z)
print(z.grad.shape)
"""
MLP_SCRIPT = "/home/me/mlp_train.py"
MLP_TEXT = """\
import torch
from torch import nn
from torch.nn import functional as F


def batch(step):
    return torch.randn(32, 20), torch.randint(10, (32,))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# train

for step in range(100):
    x, target = batch(step)
    optimizer.zero_grad()
    logits = model(x)
    loss = F.cross_entropy(logits, target)
    loss.backward()
    optimizer.step()
"""
BROADCAST_SCRIPT = "/home/me/fit_line.py"
BROADCAST_TEXT = """\
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(20, 3)
target = X @ torch.tensor([1.0, -2.0, 0.5])
model = nn.Linear(3, 1)

pred = model(X)
error = pred - target
loss = error.pow(2).mean()
loss.backward()
"""


def figures(values: NDArray[Any]) -> Stats:
    """Statistics as the recorder takes them."""
    nans, infs = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    low, high, mean = float(values.min()), float(values.max()), float(values.mean())
    return (nans, infs, int((values == 0).sum()), low, high, mean, float(np.sqrt((values**2).sum())))


def chain(path: Path, length: int, ended: bool = True) -> Path:
    """`length` MulBackward0 in a row and a leaf below, each made on a line of its own up to line 40."""
    trace = TraceBuilder(path, "/home/me/chain.py", "x = x * 2\n" * 40)
    one = trace.backward(trace.at(40))
    leaf = trace.leaf("x", [3], trace.at(1), stats=(0, 0, 0, 1.0, 1.0, 1.0, 1.7))
    previous = one.node("AccumulateGrad", [3], leaf=leaf)
    for position in range(length):
        op = trace.op("mul", trace.at(1 + position % 40), (), [(trace.value(), [3])])
        previous = one.node("MulBackward0", [3], op=op, to=[previous], seq=position)
    one.root(previous, [3]).seed([3])
    if ended:
        one.steps(range(length, -1, -1))
    return one.end("completed" if ended else "running").save()


def eigh_seed_mismatch(path: Path) -> Path:
    """`out.backward(z)` refused before the first of 13 nodes: z has shape [164], out is a scalar."""
    n = 164
    trace = TraceBuilder(path, EIGH_SCRIPT, EIGH_TEXT, status="raised", exit_code=1)
    z, lap, y, out = (trace.value() for _ in range(4))
    leaf = trace.leaf("z", [n], trace.at(9), value=z, dtype="float64")
    ops = {
        "mul": trace.op("mul", trace.at(12, (17, 22)), [(z, [n], "")], [(trace.value(), [n])]),
        "sub": trace.op("sub", trace.at(12, (17, 33)), (), [(trace.value(), [n])]),
        "diag": trace.op("diag", trace.at(12, (6, 34)), (), [(trace.value(), [n, n])]),
        "add": trace.op("add", trace.at(12, (6, 38)), (), [(lap, [n, n])]),
        "eigh": trace.op("linalg_eigh", trace.at(13, (7, 29)), [(lap, [n, n], "A")], [(-1, [n]), (-1, [n, n])]),
        "values": trace.op("__getitem__", trace.at(14, (6, 12)), (), [(-1, [3])], arguments={"index": "[-3:]"}),
        "vectors": trace.op("__getitem__", trace.at(14, (15, 24)), (), [(-1, [n, 3])]),
        "times": trace.op("mul", trace.at(14, (6, 24)), (), [(-1, [n, 3])]),
        "pow": trace.op("pow", trace.at(15, (4, 14)), (), [(-1, [n, 3])], arguments={"exponent": 2}),
        "rows": trace.op("sum", trace.at(15, (4, 21)), (), [(y, [n])], arguments={"dim": 1}),
        "mv": trace.op("matmul", trace.at(16, (16, 21)), [(-1, [79, n], ""), (y, [n], "")], [(-1, [79])]),
        "sum": trace.op("sum", trace.at(16, (6, 22)), [(-1, [79], "input")], [(out, [])]),
    }
    one = trace.backward(trace.at(18, (0, 15)))
    leaf_node = one.node("AccumulateGrad", [n], leaf=leaf, dtype="float64")
    previous = one.node("MulBackward0", [n], op=ops["mul"], to=[leaf_node], dtype="float64")
    previous = one.node("SubBackward0", [n], op=ops["sub"], to=[previous], dtype="float64")
    previous = one.node("DiagEmbedBackward0", [n, n], op=ops["diag"], to=[previous], dtype="float64")
    previous = one.node("AddBackward0", [n, n], op=ops["add"], to=[previous], dtype="float64")
    eigh = one.node("LinalgEighBackward0", [n], [n, n], op=ops["eigh"], to=[previous], dtype="float64")
    values = one.node("SliceBackward0", [3], op=ops["values"], to=[(eigh, 0)], dtype="float64")
    vectors = one.node("SliceBackward0", [n, 3], op=ops["vectors"], to=[(eigh, 1)], dtype="float64")
    previous = one.node("MulBackward0", [n, 3], op=ops["times"], to=[values, vectors], dtype="float64")
    previous = one.node("PowBackward0", [n, 3], op=ops["pow"], to=[previous], dtype="float64")
    previous = one.node("SumBackward1", [n], op=ops["rows"], to=[previous], dtype="float64")
    previous = one.node("MvBackward0", [79], op=ops["mv"], to=[previous], dtype="float64")
    root = one.node("SumBackward0", [], op=ops["sum"], to=[previous], flags=NODE_ROOT, dtype="float64")
    one.root(root, [], value=out, dtype="float64").seed([n], z, dtype="float64")
    trace.sample(np.random.default_rng(0).standard_normal(n), one.id, -1, role="seed")
    given, expected = "torch.Size([164])", "torch.Size([])"
    message = f"Mismatch in shape: grad_output[0] has a shape of {given} and output[0] has a shape of {expected}."
    raised = trace.exception("RuntimeError", message, trace.at(18, (0, 15)), "backward", **{"pass": one.id})
    return one.end("refused", exception=raised, failed_node=root).save()


def mlp(path: Path, passes: int = 3) -> Path:
    """A healthy two-layer network, 11 nodes and steps, of 100 equal passes the first and the last two stored."""
    trace = TraceBuilder(path, MLP_SCRIPT, MLP_TEXT)
    root = trace.module("", "Sequential", 1994, root="model")
    first = trace.module("0", "Linear", 1344, root)
    last = trace.module("2", "Linear", 650, root)
    relu = trace.module("1", "ReLU", 0, root)
    random = np.random.default_rng(1)
    shapes: dict[str, tuple[int, Shape]] = {
        "0.weight": (first, [64, 20]),
        "0.bias": (first, [64]),
        "2.weight": (last, [10, 64]),
        "2.bias": (last, [10]),
    }
    leaves = {}
    for name, (module, shape) in shapes.items():
        grad = random.normal(0, 0.02, tuple(int(dim) for dim in shape)).astype("float32")
        leaves[name] = trace.leaf(name, shape, trace.at(11), module=module, stats=figures(grad), grad=grad)
    for number in [0, 98, 99][:passes]:
        mlp_pass(trace, number, (root, first, relu, last), leaves, random)
    trace.output("step 0 loss 2.4255\n")
    return trace.save()


def mlp_pass(
    trace: TraceBuilder,
    number: int,
    modules: tuple[int, int, int, int],
    leaves: dict[str, int],
    random: np.random.Generator,
) -> None:
    root, first, relu, last = modules
    line = trace.at(19, (13, 21))
    outer = trace.call(root, line, [32, 20], [32, 10])
    calls = [
        trace.call(first, line, [32, 20], [32, 64], outer),
        trace.call(relu, line, [32, 64], [32, 64], outer),
        trace.call(last, line, [32, 64], [32, 10], outer),
    ]
    x, hidden, active, logits, loss = (trace.value() for _ in range(5))
    inner = trace.op("linear", line, [(x, [32, 20], "input")], [(hidden, [32, 64])], call=calls[0])
    kink = trace.op("relu", line, [(hidden, [32, 64], "input")], [(active, [32, 64])], call=calls[1])
    outer_op = trace.op("linear", line, [(active, [32, 64], "input")], [(logits, [32, 10])], call=calls[2])
    entropy = trace.op("cross_entropy", trace.at(20, (11, 42)), [(logits, [32, 10], "input")], [(loss, [])])
    one = trace.backward(trace.at(21, (4, 19)), id=number, repeats=98 if number == 0 else 1, structure="mlp")
    w0 = one.node("AccumulateGrad", [64, 20], leaf=leaves["0.weight"], call=calls[0])
    t0 = one.node("TBackward0", [20, 64], op=inner, call=calls[0], to=[w0])
    b0 = one.node("AccumulateGrad", [64], leaf=leaves["0.bias"], call=calls[0])
    addmm0 = one.node("AddmmBackward0", [32, 64], op=inner, call=calls[0], to=[b0, t0])
    middle = one.node("ReluBackward0", [32, 64], op=kink, call=calls[1], to=[addmm0])
    w2 = one.node("AccumulateGrad", [10, 64], leaf=leaves["2.weight"], call=calls[2])
    t2 = one.node("TBackward0", [64, 10], op=outer_op, call=calls[2], to=[w2])
    b2 = one.node("AccumulateGrad", [10], leaf=leaves["2.bias"], call=calls[2])
    addmm2 = one.node("AddmmBackward0", [32, 10], op=outer_op, call=calls[2], to=[b2, middle, t2])
    softmax = one.node("LogSoftmaxBackward0", [32, 10], op=entropy, to=[addmm2])
    top = one.node("NllLossBackward0", [], op=entropy, to=[softmax], flags=NODE_ROOT)
    one.root(top, [], value=loss).seed(None)
    for node in (top, softmax, addmm2, b2, t2, w2, middle, addmm0, b0, t0, w0):
        step_with_values(one, node, random)
    one.saved(middle, "result", [32, 64])
    one.end()


def step_with_values(one: PassBuilder, node: int, random: np.random.Generator) -> None:
    """A step with the statistics and a sample of made-up gradients; half of those of a ReLU are zero."""
    shape = one.expected_shape(node)
    values = random.normal(0, 1.4e-3, shape).astype("float32")
    if one.name(node).startswith("Relu"):
        values[random.random(shape) < 0.506] = 0
    number = one.step(node, shape, stats=[figures(values)])
    one.trace.sample(values, one.id, number)


def silent_broadcast(path: Path) -> Path:
    """`pred - target` of [20, 1] and [20]: nothing raises, 7 nodes run, the loss is of 400 differences."""
    trace = TraceBuilder(path, BROADCAST_SCRIPT, BROADCAST_TEXT)
    model = trace.module("", "Linear", 4, root="model")
    weight = trace.leaf("weight", [1, 3], trace.at(7), module=model, stats=(0, 0, 0, -1.0, 2.0, 0.4, 2.3))
    bias = trace.leaf("bias", [1], trace.at(7), module=model, stats=(0, 0, 0, 0.5, 0.5, 0.5, 0.5))
    x, line_, target, pred, error, squares, loss = (trace.value() for _ in range(7))
    trace.op("randn", trace.at(5, (4, 22)), (), [(x, [20, 3])], grads=False)
    matmul = [(x, [20, 3], ""), (line_, [3], "")]
    trace.op("matmul", trace.at(6, (9, 43)), matmul, [(target, [20])], grads=False)
    call = trace.call(model, trace.at(9, (7, 15)), [20, 3], [20, 1])
    linear = trace.op("linear", trace.at(9, (7, 15)), [(x, [20, 3], "input")], [(pred, [20, 1])], call=call)
    operands = [(pred, [20, 1], ""), (target, [20], "")]
    sub = trace.op("sub", trace.at(10, (8, 21)), operands, [(error, [20, 20])])
    power = trace.op("pow", trace.at(11, (7, 19)), [(error, [20, 20], "input")], [(squares, [20, 20])])
    mean = trace.op("mean", trace.at(11, (7, 26)), [(squares, [20, 20], "input")], [(loss, [])])
    one = trace.backward(trace.at(12, (0, 15)))
    w = one.node("AccumulateGrad", [1, 3], leaf=weight, call=call)
    turned = one.node("TBackward0", [3, 1], op=linear, call=call, to=[w])
    b = one.node("AccumulateGrad", [1], leaf=bias, call=call)
    addmm = one.node("AddmmBackward0", [20, 1], op=linear, call=call, to=[b, turned])
    difference = one.node("SubBackward0", [20, 20], op=sub, to=[addmm])
    powered = one.node("PowBackward0", [20, 20], op=power, to=[difference])
    top = one.node("MeanBackward0", [], op=mean, to=[powered], flags=NODE_ROOT)
    one.root(top, [], value=loss).seed(None)
    random = np.random.default_rng(2)
    columns = np.repeat(random.normal(0, 4e-3, (1, 20)), 20, axis=0).astype("float32")
    for node in (top, powered):
        one.step(node)
    number = one.step(difference, [20, 20], stats=[figures(columns)])
    trace.sample(columns, one.id, number)
    return one.steps([addmm, b, turned, w]).end().save()


def non_finite(path: Path) -> Path:
    """sqrt at 0: its gradient is infinite, and the product below makes it NaN; the leaf's .grad is NaN."""
    text = "x = torch.zeros(4, requires_grad=True)\n(x * x).sqrt().sum().backward()\n"
    trace = TraceBuilder(path, "/home/me/root.py", text)
    line = trace.at(2)
    leaf = trace.leaf("x", [4], trace.at(1), stats=(4, 0, 0, float("nan"), float("nan"), float("nan"), float("nan")))
    square = trace.op("mul", line, (), [(trace.value(), [4])])
    root = trace.op("sqrt", line, (), [(trace.value(), [4])])
    total = trace.op("sum", line, (), [(trace.value(), [])])
    one = trace.backward(line)
    accumulate = one.node("AccumulateGrad", [4], leaf=leaf)
    times = one.node("MulBackward0", [4], op=square, to=[accumulate, accumulate])
    sqrt = one.node("SqrtBackward0", [4], op=root, to=[times])
    top = one.node("SumBackward0", [], op=total, to=[sqrt], flags=NODE_ROOT)
    one.root(top, []).seed(None)
    one.step(top)
    one.step(sqrt, [4], stats=[(0, 0, 0, 1.0, 1.0, 1.0, 2.0)])
    infinite = np.full(4, np.inf, "float32")
    trace.sample(infinite, one.id, one.step(times, [4], stats=[(0, 4, 0, np.inf, np.inf, np.inf, np.inf)]))
    missing = np.full(4, np.nan, "float32")
    trace.sample(missing, one.id, one.step(accumulate, [4], stats=[(4, 0, 0, *NO_STATS[3:])]))
    return one.end().save()


def forward_error(path: Path) -> Path:
    """`linear` got [2, 144] where 256 features are wanted: no backward ran, the graph up to the call is kept."""
    text = "model = Net()\nh = x.flatten(1)\nout = F.linear(h, weight)\nout.sum().backward()\n"
    trace = TraceBuilder(path, "/home/me/net.py", text, status="raised", exit_code=1)
    x, h, weight = (trace.value() for _ in range(3))
    leaf = trace.leaf("x", [2, 4, 6, 6], trace.at(1), value=x)
    flat = trace.op("flatten", trace.at(2, (4, 16)), [(x, [2, 4, 6, 6], "self")], [(h, [2, 144])])
    operands = [(h, [2, 144], "input"), (weight, [10, 256], "weight")]
    line = trace.at(3, (6, 25))
    call = trace.op("linear", line, operands, flags=OP_RAISED)
    one = trace.backward(line, entry="engine", phase="forward")
    below = one.node("AccumulateGrad", [2, 4, 6, 6], leaf=leaf)
    view = one.node("ViewBackward0", [2, 144], op=flat, to=[below])
    one.root(view, [2, 144], value=h).root(-1, [10, 256], value=weight)
    message = "mat1 and mat2 shapes cannot be multiplied (2x144 and 256x10)"
    raised = trace.exception("RuntimeError", message, line, "forward", op=call, **{"pass": one.id})
    return one.end("refused", exception=raised).save()


NAMED_TEXT = """\
import torch
batch, hidden = 4, 4
x = torch.randn(batch, 4)
layer = torch.nn.Linear(4, hidden)
y = (layer(x) * torch.ones(hidden)).sum(dim=1)
strange(y).backward(x)
"""


def named_sizes(path: Path) -> Path:
    """A layer, a product and a sum of tensors whose sizes have names; the sizes are equal, so that only names tell."""
    trace = TraceBuilder(path, "/home/me/course/named.py", NAMED_TEXT)
    module = trace.module("", "Linear", 20, root="layer")
    made = trace.at(4, (8, 34))
    weight = trace.leaf("weight", [4, 4], made, module=module)
    x, out, ones, product, total, odd = (trace.value() for _ in range(6))
    trace.op("randn", trace.at(3, (4, 25)), (), [(x, [4, 4])], grads=False)
    layer = trace.op("linear", trace.at(5, (5, 13)), [(x, [4, 4], "input"), (1, [4, 4], "weight")], [(out, [4, 4])])
    trace.op("ones", trace.at(5, (16, 34)), (), [(ones, [4])], grads=False)
    both = [(out, [4, 4], "self"), (ones, [4], "other")]
    times = trace.op("mul", trace.at(5, (5, 34)), both, [(product, [4, 4])])
    argument = {"dim": 1}
    sum_ = trace.op("sum", trace.at(5, (4, 46)), [(product, [4, 4], "self")], [(total, [4])], arguments=argument)
    other = trace.op("strange", trace.at(6, (0, 10)), [(total, [4], "input")], [(odd, [4])])
    one = trace.backward(trace.at(6, (0, 22)))
    leaf = one.node("AccumulateGrad", [4, 4], leaf=weight)
    turned = one.node("TBackward0", [4, 4], op=layer, to=[leaf], seq=0)
    addmm = one.node("AddmmBackward0", [4, 4], op=layer, to=[turned], seq=1)
    mul = one.node("MulBackward0", [4, 4], op=times, to=[addmm], seq=2)
    added = one.node("SumBackward1", [4], op=sum_, to=[mul], seq=3)
    top = one.node("StrangeBackward0", [4], op=other, to=[added], seq=4, flags=NODE_ROOT)
    one.root(top, [4]).seed([4])
    return one.steps([top, added, mul, addmm, turned, leaf]).end().save()


def half_stopped(path: Path) -> Path:
    """A ReLU that receives 8 entries, one of them 0, and hands on 5 zeros."""
    trace = TraceBuilder(path)
    x = trace.leaf("x", [8], trace.at(2))
    one = trace.backward(trace.at(4))
    leaf = one.node("AccumulateGrad", [8], leaf=x)
    exp = one.node("ExpBackward0", [8], to=[leaf])
    relu = one.node("ReluBackward0", [8], to=[exp])
    top = one.node("SumBackward0", [], to=[relu], flags=NODE_ROOT)
    one.root(top, []).seed(None)
    one.step(top)
    for node, zeros in ((relu, 1), (exp, 5), (leaf, 5)):
        one.step(node, [8], stats=[(0, 0, zeros, -1.0, 1.0, 0.1, 1.0)])
    return one.end().save()
