"""Scripts that let torch or Python look at itself: the recorder must not be what they find."""

SYMBOLIC = """\
import torch, torch.fx

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.inner(x)).sum()

torch.manual_seed(0)
traced = torch.fx.symbolic_trace(Net())
print(traced.code)
traced(torch.ones(2, 3)).backward()
print(traced.inner.weight.grad)
"""
TRACED = """\
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU())
traced = torch.jit.trace(net, torch.ones(2, 3))
print(traced.code, traced.graph)
traced(torch.ones(2, 3)).sum().backward()
print(net[0].bias.grad)
(net(torch.ones(2, 3)) ** 2).sum().backward()
print(net[0].bias.grad)
"""
EXPORTED = """\
import torch

net = torch.nn.Linear(3, 2)
program = torch.export.export(net, (torch.ones(4, 3),))
print(program.graph)
net(torch.ones(4, 3)).sum().backward()
"""
WITHOUT_HASH = """\
import dataclasses
import torch
from torch.overrides import handle_torch_function, has_torch_function

@dataclasses.dataclass
class Scale:
    factor: float

    def __call__(self, x):
        if has_torch_function((x,)):
            return handle_torch_function(self, (x,), x)
        return x * self.factor

x = torch.ones(3, requires_grad=True)
Scale(3.0)(x).sum().backward()
print(x.grad)
"""
OTHER_BUILTINS = """\
import builtins
import torch

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
builtins.sum, builtins.max, builtins.min = torch.sum, torch.max, torch.min
torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
for _ in range(3):
    (net(x) ** 2).mean().backward()
print(x.grad)
"""
ANOMALY = """\
import torch
import torch.nn.functional as F

def loss_of(x):
    return F.layer_norm(x, (3,)).sqrt().sum()

with torch.autograd.set_detect_anomaly(True):
    loss_of(torch.zeros(2, 3, requires_grad=True)).backward()
"""
OWN_STACK = """\
import traceback
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        traceback.print_stack()
        print(len(traceback.extract_stack()), traceback.format_stack()[-1])
        return x * 2

Net()(torch.ones(3, requires_grad=True)).sum().backward()
"""

ASIDE = {
    "symbolic": SYMBOLIC,
    "traced": TRACED,
    "exported": EXPORTED,
    "without_hash": WITHOUT_HASH,
    "other_builtins": OTHER_BUILTINS,
    "anomaly": ANOMALY,
    "own_stack": OWN_STACK,
}
