"""A seed that is too short: [1.0] for an output of shape (2,).

Broadcasting would make sense of it in a sum or a product. A seed is never broadcast: its shape
is the output's, or it is refused.
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.backward(torch.tensor([1.0]))
print(x.grad)
