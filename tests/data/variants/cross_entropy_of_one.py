"""The cross entropy of one class is 0, whatever the model says."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
x, y = torch.randn(20, 6), torch.zeros(20, dtype=torch.long)
loss = nn.CrossEntropyLoss()(model(x), y)  # finds: zero-gradient
loss.backward()
