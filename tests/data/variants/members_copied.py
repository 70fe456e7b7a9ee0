"""What the members of an ensemble give is copied as if it were numbers."""
import torch
from torch import nn
torch.manual_seed(0)
members, gate = nn.ModuleList(nn.Linear(3, 1) for _ in range(4)), nn.Linear(3, 4)
opt = torch.optim.SGD([*members.parameters(), *gate.parameters()], lr=0.1)
for _ in range(3):
    x, y = torch.randn(10, 3), torch.randn(10)
    outs = torch.tensor([[m(row).sum() for m in members] for row in x])  # finds: detached
    loss = ((gate(x).softmax(1) * outs).sum(1) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
