"""A bilinear layer: einsum 'bi,oij,bj->bo'.

Four samples of three features meet a weight of shape (2, 3, 3). Whatever einsum does inside,
each gradient has the shape of what it belongs to: x.grad (4, 3), weight.grad (2, 3, 3).
"""

import torch

torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
weight = torch.randn(2, 3, 3, requires_grad=True)
y = torch.einsum("bi,oij,bj->bo", x, weight, x)
y.backward(torch.ones_like(y))
print(x.grad.shape, weight.grad.shape)
