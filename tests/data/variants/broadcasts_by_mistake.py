"""Broadcasts by mistake, a function each. The line that a finding has to name ends in its rule."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
N = 8
X = torch.randn(N, 3)
t = torch.randn(N)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))


def a():
    loss = ((net(X) - t) ** 2).mean()  # finds: silent-broadcast
    loss.backward()
def b():
    loss = F.l1_loss(net(X), t)  # finds: silent-broadcast
    loss.backward()
def c():
    p = net(X)
    e = t - p  # finds: silent-broadcast
    loss = torch.mean(e.abs())
    loss.backward()
def d():
    loss = F.binary_cross_entropy_with_logits(net(X).squeeze(), (t > 0).float()[:, None]) if False else F.mse_loss(net(X).squeeze(), t[:, None])  # finds: silent-broadcast
    loss.backward()
def e():
    pred = net(X).squeeze(-1)
    loss = (pred - t.reshape(-1, 1)).pow(2).sum()  # finds: silent-broadcast
    loss.backward()
def f():
    w = torch.rand(N)
    per = F.mse_loss(net(X), t[:, None], reduction="none")
    loss = (per * w).mean()  # finds: silent-broadcast
    loss.backward()
def g():
    v = net(X)
    ret = torch.randn(N)
    adv = ret - v  # finds: silent-broadcast
    logp = torch.randn(N, requires_grad=True)
    loss = -(logp * adv.detach()).mean() + adv.pow(2).mean()
    loss.backward()
def h():
    q = net(X)
    r = torch.rand(N)
    done = torch.zeros(N)
    target = r + 0.9 * (1 - done) * net(X).detach()  # finds: silent-broadcast
    loss = (q - target).pow(2).mean()
    loss.backward()
def i():
    m = net(X).mean(1, keepdim=True)
    loss = (m - t).pow(2).mean()  # finds: silent-broadcast
    loss.backward()
def j():
    p = torch.sigmoid(net(X))
    y = (t > 0).float()
    loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()  # finds: silent-broadcast
    loss.backward()
def k():
    loss = (net(X) - t.reshape(1, -1)).pow(2).mean()  # finds: silent-broadcast
    loss.backward()
def l():
    mask = (t > 0)
    out = torch.randn(N, 1, requires_grad=True) * 2
    loss = torch.where(mask, out, torch.zeros(())).sum()  # finds: silent-broadcast
    loss.backward()
def m():
    loss = torch.abs(net(X) - t).mean()  # finds: silent-broadcast
    loss.backward()
def n():
    loss = F.huber_loss(t, net(X))  # finds: silent-broadcast
    loss.backward()
def o():
    r = net(X).sub(t)  # finds: silent-broadcast
    (r * r).sum().div(N).backward()
def p():
    z = net(X)
    gauss = -0.5 * ((t - z) / 0.5) ** 2  # finds: silent-broadcast
    (-gauss.mean()).backward()
def q():
    dist = torch.distributions.Normal(net(X), 1.0)
    loss = -dist.log_prob(t).mean()  # finds: silent-broadcast
    loss.backward()


for name in "abcdefghijklmnopq":
    globals()[name]()
