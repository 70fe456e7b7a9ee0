"""Leaves that change their shape and are right: before any use, with gradients let go, as new leaves."""

import torch
from torch import nn

torch.manual_seed(0)
lazy = nn.Parameter(torch.empty(0))
lazy.data = torch.randn(4, 3)
(torch.randn(2, 4) @ lazy).pow(2).sum().backward()

layer, x = nn.Linear(4, 3), torch.randn(5, 4)
layer(x).pow(2).sum().backward()
layer.zero_grad(set_to_none=True)
with torch.no_grad():
    layer.weight = nn.Parameter(torch.cat([layer.weight, torch.zeros(2, 4)]))
    layer.bias = nn.Parameter(torch.cat([layer.bias, torch.zeros(2)]))
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(x).pow(2).sum().backward()
optimizer.step()

turned = torch.randn(3, 4, requires_grad=True)
with torch.no_grad():
    turned.t_()
(torch.ones(2, 4) @ turned).pow(2).sum().backward()
for p in layer.parameters():
    p.data = torch.randn_like(p)
layer(x).pow(2).sum().backward()
