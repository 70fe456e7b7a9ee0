"""Changed in place, mended: the product gets a tensor of its own."""

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
s = torch.sigmoid(x)
doubled = s * 2
doubled.sum().backward()
print(x.grad)
