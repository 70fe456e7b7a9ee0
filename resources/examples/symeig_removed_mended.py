"""A function that is gone, mended: torch.linalg.eigh.

It reads the lower triangle by default (UPLO='L'); symeig read the upper one. For a symmetric
matrix both are the same. The eigenvalues add up to the trace, so the gradient of their sum is
the identity.
"""

import torch

a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
e, v = torch.linalg.eigh(a)
e.sum().backward()
print(a.grad)
