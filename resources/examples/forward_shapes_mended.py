"""Shapes that fit: padding=1 keeps the 8 × 8, so the linear layer meets its 256 numbers."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, kernel_size=3, padding=1),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(256, 10),
)
images = torch.randn(2, 3, 8, 8)
model(images).sum().backward()
print(model[0].weight.grad.shape)
