"""Gradients by an input, without a graph of their own, where none is wanted; and those that have one."""

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.rand(20, 2), torch.rand(20, 1)


def loss_of(given, params=None):
    out = net(given) if params is None else functional_call(net, params, (given,))
    return (out - y).pow(2).mean()


def step(loss):
    opt.zero_grad()
    loss.backward()
    opt.step()


def adversarial():
    given = x.clone().requires_grad_(True)
    (slope,) = torch.autograd.grad(loss_of(given), given)
    return loss_of(x) + loss_of(given + 0.1 * slope / slope.norm()) + loss_of((x + 0.1 * slope.sign()).detach())


def langevin():
    given = x.clone().requires_grad_(True)
    for _ in range(2):
        (slope,) = torch.autograd.grad(net(given).sum(), given)
        given = given - 0.01 * slope
    return net(x).mean() - net(given).mean()


def first_order():
    params = dict(net.named_parameters())
    for _ in range(3):
        slopes = torch.autograd.grad(loss_of(x, params), list(params.values()))
        params = {name: each - 0.1 * slope for (name, each), slope in zip(params.items(), slopes)}
    return loss_of(x, params)


def equation():
    points = x.clone().requires_grad_(True)
    u = net(points)
    slopes = torch.autograd.grad(u, points, torch.ones_like(u), create_graph=True)[0]
    return (slopes[:, :1] + u).pow(2).mean()


def weighted():
    given = x.clone().requires_grad_(True)
    out = net(given)
    (slope,) = torch.autograd.grad(out.sum(), given, retain_graph=True)
    return out.pow(2).mean() * slope.norm()


for part in (adversarial, langevin, first_order, equation, weighted):
    for _ in range(2):
        step(part())
