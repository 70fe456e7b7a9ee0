"""A layer is pruned by .data between two steps: the optimiser's state still has the old sizes."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
x = torch.randn(5, 4)
for epoch in range(3):
    optimizer.zero_grad()
    net(x).pow(2).mean().backward()
    optimizer.step()
    if epoch == 1:
        net[2].bias.data = net[2].bias.data[:1]
        net[2].weight.data = net[2].weight.data[:1]  # finds: inplace-via-data
