"""A detached branch, mended: torch standardises the features itself.

What torch computes, it can differentiate. The gradient flows through the mean and the deviation
into the encoder.
"""

import torch

torch.manual_seed(0)
encoder = torch.nn.Linear(4, 8)
head = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)

for _ in range(3):
    optimizer.zero_grad()
    features = torch.tanh(encoder(x))
    scaled = (features - features.mean(0)) / features.std(0)
    loss = (head(scaled) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
print("encoder:", encoder.weight.grad.shape)
