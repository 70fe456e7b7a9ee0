import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)

    def forward(self, x):
        g = torch.sigmoid(self.fc(x))
        y = g * x
        g *= 0.5  # finds: inplace-modified
        return y + g


torch.manual_seed(0)
stack = nn.Sequential(Gate(4), Gate(4))
stack(torch.randn(3, 4)).sum().backward()
