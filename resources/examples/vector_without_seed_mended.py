"""A vector needs a seed, mended: [1, 1] weighs both outputs alike.

The seed has the output's shape, one weight for each row of the Jacobian. Ones give the gradient
of y.sum().
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 2 * x
y.backward(torch.tensor([1.0, 1.0]))
print(x.grad)
