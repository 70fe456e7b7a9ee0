"""A second backward pass, mended: retain_graph=True in the first.

Gradients add up in x.grad, so it is set to None between the two: [2, 0] for the first output,
[0, 4] for the second.
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
y.backward(torch.tensor([1.0, 0.0]), retain_graph=True)
print(x.grad)
x.grad = None
y.backward(torch.tensor([0.0, 1.0]))
print(x.grad)
