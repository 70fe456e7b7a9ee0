"""A Jacobian, row by row: one-hot seeds and retain_graph.

A seed with a single 1 picks one row of the Jacobian. Two outputs, two backward passes over the
same graph, which has to be kept for the second one. At x = [2, 3] the outputs x₀² and x₁³ give
[[4, 0], [0, 27]].
"""

import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = torch.stack([x[0] ** 2, x[1] ** 3])
rows = []
for i in range(len(y)):
    seed = torch.zeros_like(y)
    seed[i] = 1.0
    (row,) = torch.autograd.grad(y, x, grad_outputs=seed, retain_graph=True)
    rows.append(row)
print(torch.stack(rows))
