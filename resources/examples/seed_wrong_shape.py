"""A seed of the wrong shape: what the argument of backward() means.

The energy of a small vibrating network is read off the three largest eigenpairs of its matrix,
and we want to know how it changes with the stiffness z of each node. The last but one line
passes z to backward(), as if it named the variable to differentiate by. It doesn't.
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

# out is one number, shape []; the argument of backward() has that shape too
out.backward(z)
print(z.grad.shape)
