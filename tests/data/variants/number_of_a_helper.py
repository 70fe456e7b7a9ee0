"""A helper gives out the divergence as a number: what it depends on alone is never trained."""
import torch
from torch import nn
torch.manual_seed(0)
enc, lv, dec = nn.Linear(6, 2), nn.Linear(6, 2), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *lv.parameters(), *dec.parameters()])


def divergence(mu, log_var):
    return float(-0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).sum(1).mean())  # finds: detached


for _ in range(3):
    x = torch.randn(10, 6)
    mu = enc(x)
    loss = (dec(mu) - x).pow(2).mean() + 0.1 * divergence(mu, lv(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(divergence(mu, lv(x)), loss.item())
