"""A silent broadcast: (20,) minus (20, 1) gives (20, 20).

A line is fitted to 20 points. The model returns a column, the targets are a plain vector; their
difference compares every prediction with every target. Nothing raises. The loss falls a little
and then stays high: the slope goes to 0 instead of 2.
"""

import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
y = 2 * x.squeeze(1) + 0.5  # (20,)

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    optimizer.zero_grad()
    # (20,) minus (20, 1): a square of 400 differences
    error = y - model(x)
    loss = error.pow(2).mean()
    loss.backward()
    optimizer.step()
print(f"slope {model.weight.item():.2f}, loss {loss.item():.2f}")
