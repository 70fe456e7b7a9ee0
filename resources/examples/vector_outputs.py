"""Vector outputs: the seed weighs the rows of the Jacobian.

y = x² has the Jacobian diag(2, 4) at x = [1, 2]. The seed [0.1, 0.9] weighs its rows: 0.1 · 2
and 0.9 · 4.
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
y.backward(gradient=torch.tensor([0.1, 0.9]))
print(x.grad)
