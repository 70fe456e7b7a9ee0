"""Where NaN is born: the root of zero, then 0 × inf.

The length of a vector is the root of its sum of squares. For the zero vector the value is
right, 0, but the slope of the root there is infinite, and the square's is 0. Infinity times
zero is NaN, and NaN is what the point gets; a network in front of it would get nothing else.
"""

import torch

points = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
squares = points.pow(2).sum(dim=1)
lengths = torch.sqrt(squares)  # [5, 0]; the slope at 0 is infinite
lengths.sum().backward()
print(points.grad)
