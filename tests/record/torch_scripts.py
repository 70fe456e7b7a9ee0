"""Small torch scripts, each with something that recording could show in: warnings, tracebacks, workers, forks."""

from __future__ import annotations

TORCH_SCRIPTS = {
    "seeds that are no tensors": """
import torch
x = torch.ones(3, requires_grad=True)
for seed in (2.0, [1.0], "ab", x):
    try:
        (x * 2).sum().backward(seed)
    except (TypeError, RuntimeError) as error:
        print(type(error), error)
torch.autograd.grad((x * 2).sum(), x, 1.0)
""",
    "classes that are made of tensors": """
import copy, inspect, pickle, torch
from torch.autograd import Variable
class Own(torch.nn.Parameter):
    def __new__(cls, data, scale=1.0):
        return super().__new__(cls, data * scale)
x = torch.ones(3, requires_grad=True)
for made in (Variable(x * 2), Variable(x * 2, requires_grad=True), Variable(data=x), Variable(),
             torch.nn.Parameter(x * 2), torch.nn.Parameter(x * 2, requires_grad=False), torch.nn.Parameter(),
             Own(x, 3.0)):
    print(type(made), made, made.is_leaf, isinstance(made, Variable), isinstance(made, torch.nn.Parameter))
net = torch.nn.Linear(2, 1)
print(copy.deepcopy(net).weight.shape, pickle.loads(pickle.dumps(torch.nn.Parameter(x))).requires_grad)
print(torch._C._autograd._get_sequence_nr())
try:
    Variable([x])
except TypeError as error:
    print(error)
Variable(3.0)
""",
    "warnings of torch's own functions": """
import torch, warnings
import torch.nn.functional as F
x, t = torch.randn(4, 1, requires_grad=True), torch.randn(4)
for _ in range(2):
    F.mse_loss(x, t)
F.l1_loss(x, t)
y = x * 2
y.grad
y.grad
z = y * 1
z.grad
torch.tensor(x)
torch.meshgrid(torch.ones(2), torch.ones(3))
def inner():
    return F.softmax(torch.ones(3))
inner()
inner()
F.tanh(x)
F.sigmoid(x)
torch.range(0, 3)
loss = (x * x).sum()
loss.backward(create_graph=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    F.mse_loss(x, t)
    z.grad
    F.tanh(x)
    print([(each.filename == __file__, each.lineno, each.category.__name__) for each in caught])
scheduler = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x], lr=0.1), 1)
scheduler.step()
""",
    "warnings that are errors": """
import torch, traceback, warnings
import torch.nn.functional as F
x, t = torch.randn(4, 1, requires_grad=True), torch.randn(4)
warnings.simplefilter("error")
for work in (lambda: F.mse_loss(x, t), lambda: (x * 1).grad, lambda: F.tanh(x)):
    try:
        work()
    except Warning:
        traceback.print_exc()
F.mse_loss(x, t)
""",
    "tracebacks that are caught": """
import logging, torch, traceback
import torch.nn.functional as F
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(5, 1)))
def run():
    return model(torch.ones(2, 3))
class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        raise ValueError("in backward")
class Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        raise KeyError("in forward")
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.ones(4, requires_grad=True)
def hook(gradient):
    raise TypeError("in a hook")
def hooked():
    y = x * 3
    y.register_hook(hook)
    y.sum().backward()
for work in (
    run,
    hooked,
    lambda: F.mse_loss(torch.ones(2, 3), torch.ones(4, 5)),
    lambda: (2 - torch.ones(3)) @ torch.ones(4),
    lambda: Backward.apply(x).sum().backward(),
    lambda: Forward.apply(x),
    lambda: torch.nn.LSTM(3, 4, 2)(torch.ones(2, 3, 5)),
    lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 4)]),
    lambda: x.backward(torch.ones(2)),
):
    try:
        work()
    except Exception as error:
        traceback.print_exc()
        logging.exception("logged")
        print([(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)])
torch.nn.MultiheadAttention(4, 2)(torch.ones(2, 1, 4), torch.ones(2, 1, 4), torch.ones(3, 1, 4))
""",
    "workers and threads": """
import gc, os, sys, threading, torch
from torch.utils.data import DataLoader, Dataset
class Table(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        x = torch.ones(2) * index
        if index == 3:
            x @ torch.ones(5)
        return x.exp()
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        try:
            for batch in DataLoader(Table(), batch_size=2, num_workers=1, multiprocessing_context=method):
                print(batch)
        except RuntimeError as error:
            print(error)
    w = torch.ones(3, requires_grad=True)
    def train():
        (w * 2).sum().backward()
        (w * 2).backward()
    thread = threading.Thread(target=train, name="training")
    thread.start()
    thread.join()
    print(w.grad)
    gc.collect()
    child = os.fork()
    if child == 0:
        (w * 3).sum().backward()
        print(w.grad, flush=True)
        w @ torch.ones(4)
    print(os.waitpid(child, 0)[1])
""",
    "views written to without gradients": """
import torch
w = torch.nn.Parameter(torch.ones(3, 2))
with torch.no_grad():
    w[0].fill_(0)
emb = torch.nn.Embedding(8, 4, padding_idx=0)
print(w, emb.weight[0])
""",
    "transforms": """
import torch
from torch.func import grad, jacrev, vmap
x = torch.arange(6.0).reshape(3, 2)
print(vmap(grad(lambda row: (row ** 2).sum()))(x), jacrev(torch.sin)(x[0]))
print(torch.autograd.functional.hessian(lambda row: (row ** 3).sum(), x[1]))
""",
    "standard functions that are rebound": """
import json, os, threading, time, traceback
import torch
x = torch.ones(3, requires_grad=True)
json.dumps = json.loads = None
time.perf_counter_ns = time.monotonic = time.time = None
os.getpid = threading.get_native_id = None
traceback.format_exception = traceback.walk_tb = None
def loss(x, power):
    return torch.nn.functional.softmax(x, dim=0).pow(power).sum()
loss(x, 2.0).backward()
print(x.grad)
try:
    x.new_ones(4) @ x
except RuntimeError as error:
    print(error)
print(torch.autograd.grad(loss(x, 3.0), x))
""",
    "recursion to the limit": """
import sys
import torch
sys.setrecursionlimit(200)
x = torch.ones(3, requires_grad=True)
class Deeper(torch.nn.Module):
    def forward(self, x):
        return self(x * 2)
class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return apply(x * 3)
    @staticmethod
    def backward(ctx, g):
        return g
def apply(x):
    return Tripled.apply(x)
def listed(x):
    return listed(torch.stack([x, x])[0])
def plain(x):
    x * 2
    return plain(x)
def backwards(x):
    (x * x).sum().backward()
    return backwards(x)
def told(error, depth=0):
    return depth if error is None else told(error.__context__, depth + 1)
for function in (Deeper(), apply, listed, plain, backwards):
    try:
        function(x)
    except RecursionError as error:
        print(type(error), error.__context__, error.__cause__)
    try:
        raise KeyError(1)
    except KeyError:
        try:
            function(x)
        except RecursionError as error:
            print(told(error))
x.grad = None  # how many of them ran depends on the room
print((x * 2).sum())
""",
    "a deep graph": """
import torch
x = torch.ones(2, requires_grad=True)
y = x
for _ in range(60000):
    y = y + 1
y.sum().backward()
del y
print(x.grad)
""",
}
