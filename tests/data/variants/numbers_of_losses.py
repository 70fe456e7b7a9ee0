"""Numbers of losses that are logged, averaged, and steer the training."""
import math
import torch
from torch import nn

torch.manual_seed(0)


def parts(out, x, mu, lv):
    rec = nn.functional.mse_loss(out, x)
    kl = -0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum(1).mean()
    return rec, kl, rec.item(), float(kl)


def weight(a, b):
    return a.item() / (b.item() + 1e-8)


def accuracy(out, x):
    return float(((out > 0) == (x > 0)).float().mean())


enc, mu, lv, dec = nn.Linear(6, 8), nn.Linear(8, 2), nn.Linear(8, 2), nn.Linear(2, 6)
net = nn.ModuleList([enc, mu, lv, dec])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
history, running, best, beta, acc = [], 0.0, math.inf, 0.1, 0.0
for step in range(4):
    x = torch.randn(10, 6)
    h = torch.relu(enc(x))
    m, v = mu(h), lv(h)
    out = dec(m + torch.randn_like(m) * torch.exp(0.5 * v))
    rec, kl, rec_now, kl_now = parts(out, x, m, v)
    w = weight(rec, kl)
    beta = min(1.0, beta + 0.01 * kl_now)
    loss = rec + min(w, 1.0) * beta * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    running = 0.9 * running + 0.1 * loss.item()
    acc += accuracy(out, x)
    history.append((rec_now, kl_now, running))
    plateau.step(running)
    if running > best + 1:
        break
    best = min(best, running)
print(history[-1], acc)
