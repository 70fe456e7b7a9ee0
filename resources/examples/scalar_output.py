"""A scalar needs no seed: y = x² + 3x at x = 2.

backward() starts with d y / d y = 1. Step through it and watch the two ways into x (2x from the
square, 3 from the product) add up at the leaf: 4 + 3 = 7.
"""

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2 + 3 * x
y.backward()
print(x.grad)
