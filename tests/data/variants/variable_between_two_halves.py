"""Variable() takes the numbers over and drops the graph: the encoder is never trained."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
encoder, head = nn.Linear(4, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    hidden = Variable(encoder(torch.randn(8, 4)))  # finds: detached
    head(hidden).pow(2).mean().backward()
    optimizer.step()
