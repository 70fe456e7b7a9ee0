"""A function that is gone: torch.symeig.

Old tutorials take the eigenvalues of a symmetric matrix with torch.symeig. Today the name is
still there, and does nothing but raise.
"""

import torch

a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
e, v = torch.symeig(a, eigenvectors=True)
e.sum().backward()
print(a.grad)
