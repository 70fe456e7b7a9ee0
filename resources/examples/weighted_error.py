"""A weighted squared error: weights belong into the loss, or into the seed.

Output [2, 3], target [1, 1], weights [1, 0.5]: the gradient is 2 · weight · (output − target) =
[2, 2].
"""

import torch

output = torch.tensor([2.0, 3.0], requires_grad=True)
target = torch.tensor([1.0, 1.0])
weights = torch.tensor([1.0, 0.5])
loss = (weights * (output - target) ** 2).sum()
loss.backward()
print(output.grad)
