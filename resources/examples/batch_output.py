"""A (3, 2) output: ones_like makes a seed that always fits.

Three samples with two outputs each. The seed needs the same shape, (3, 2); torch.ones_like(y)
can't be wrong about it. Each weight meets all three samples, so its gradient is the sum over
them.
"""

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
w = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
y = x @ w
y.backward(torch.ones_like(y))
print(w.grad)
