"""Weights by hand: what asks for a gradient is the tensor that is scaled, not the one that has the name."""

import torch

torch.manual_seed(0)
W = torch.randn(4, 1, requires_grad=True) * 0.1  # finds: non-leaf-grad
x = torch.randn(16, 4)
for _ in range(2):
    loss = (x @ W).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.1 * W.grad
