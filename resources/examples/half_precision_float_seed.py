"""A float16 output with a float32 seed: torch casts it, and says nothing.

Older tutorials say that the types must match. Today the seed is cast to the output's type
before the first step. The result is the same here; with small seeds (under 6e-8) float16 makes
zero of them.
"""

import torch

x = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
y = x * 2
y.backward(torch.ones(2, dtype=torch.float32))
print(x.grad)
