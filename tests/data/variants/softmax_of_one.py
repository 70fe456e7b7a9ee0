"""A classifier with one output, and a softmax over it: always 1."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(model.parameters())
x = torch.randn(20, 6)
y = (x[:, :1] > 0).float()
for epoch in range(2):
    p = torch.softmax(model(x), dim=1)  # finds: zero-gradient
    loss = nn.functional.binary_cross_entropy(p, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
