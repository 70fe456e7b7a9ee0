"""Two outputs of different make: y = [x₀², x₁³] at [1, 2].

Each output depends on one input only, so a seed of ones returns both derivatives at once: 2 · 1
and 3 · 2².
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x[0] ** 2, x[1] ** 3])
y.backward(torch.ones(2))
print(x.grad)
