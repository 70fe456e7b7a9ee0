"""Gradient descent by hand that takes the parameters' names away."""
import torch
torch.manual_seed(0)
x, y = torch.randn(20, 3), torch.randn(20)
w = torch.zeros(3, requires_grad=True)
for epoch in range(5):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    w = w - 0.1 * w.grad  # finds: non-leaf-grad
    w.grad.zero_()
