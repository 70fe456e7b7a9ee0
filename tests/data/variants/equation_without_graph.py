"""A net that is to solve equations: the derivatives in them have no graph, the solutions beside them do."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
energy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam([*net.parameters(), *energy.parameters()], lr=1e-3)
points = torch.rand(20, 2, requires_grad=True)
places = torch.randn(6, 3, requires_grad=True)


def burgers(p):
    u = net(p)
    slopes = torch.autograd.grad(u.sum(), p, retain_graph=True)[0]  # finds: missing-create-graph
    return slopes[:, 1:] + u * slopes[:, :1]


def forces():
    total = energy(places)
    pull = -torch.autograd.grad(total.sum(), places, retain_graph=True)[0]  # finds: missing-create-graph
    return ((pull - total) ** 2).mean()


for _ in range(2):
    loss = burgers(points).pow(2).mean() + forces()
    opt.zero_grad()
    loss.backward()
    opt.step()
