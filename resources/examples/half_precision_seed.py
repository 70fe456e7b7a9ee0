"""A float16 output with a float16 seed: the types agree all the way down."""

import torch

x = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
y = x * 2
y.backward(torch.ones(2, dtype=torch.float16))
print(x.grad)
