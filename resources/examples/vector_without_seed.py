"""A vector needs a seed: y = 2x with two entries.

For a vector there is no single gradient but a whole Jacobian. backward() computes seedᵀ · J,
and can't guess the seed.
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 2 * x
y.backward()  # which of the two outputs is meant? Both alike?
print(x.grad)
