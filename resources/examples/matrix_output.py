"""A matrix as output: B = A Aᵀ, and the seed is a matrix too.

With G as seed the gradient is (G + Gᵀ) A. For a seed of ones that is twice the column sums, in
every row.
"""

import torch

A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
B = A @ A.T
B.backward(torch.ones_like(B))
print(A.grad)
