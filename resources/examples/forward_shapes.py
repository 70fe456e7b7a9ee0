"""Shapes that don't fit, in forward: the line that raises is not the line that is wrong.

Images of 3 × 8 × 8 pass a convolution without padding, which leaves 4 channels of 6 × 6: 144
numbers. The linear layer was made for 4 · 8 · 8 = 256, and it is the one that raises.
"""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, kernel_size=3),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(256, 10),
)
images = torch.randn(2, 3, 8, 8)
model(images).sum().backward()
print(model[0].weight.grad.shape)
