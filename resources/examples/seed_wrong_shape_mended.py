"""A seed of the wrong shape, mended: a scalar needs no seed, and the answer lies in z.grad.

backward() walks from out to every leaf that asked for a gradient. Which leaves those are was
decided when they were made (requires_grad=True), not in the call.
"""

import torch

torch.manual_seed(3)
n, rows, keep = 164, 79, 3
w = torch.rand(n, n, dtype=torch.float64)
w = (w + w.T) / 2
G = torch.randn(rows, n, dtype=torch.float64)
z = torch.randn(n, dtype=torch.float64, requires_grad=True)

lap = torch.diag(2 * z - w.sum(1)) + w
e, v = torch.linalg.eigh(lap)
top = e[-keep:] * v[:, -keep:]
y = top.pow(2).sum(1)
out = torch.sum(G @ y)

out.backward()  # the same as out.backward(torch.tensor(1.0)): d out / d out is 1
print(z.grad.shape)
