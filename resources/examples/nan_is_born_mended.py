"""Where NaN is born, mended: the root never sees a zero.

A small number under the root keeps its slope finite. The length of the zero vector is then
0.00001 instead of 0, and its gradient is 0. (torch.linalg.vector_norm has this case built in.)
"""

import torch

points = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
squares = points.pow(2).sum(dim=1)
lengths = torch.sqrt(squares + 1e-10)
lengths.sum().backward()
print(points.grad)
