"""A silent broadcast, mended: both sides have the shape (20, 1).

The target gets the column that the model returns. Twenty differences instead of 400, and the
slope is found.
"""

import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
y = (2 * x.squeeze(1) + 0.5).unsqueeze(1)  # (20, 1)

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(20):
    optimizer.zero_grad()
    error = y - model(x)
    loss = error.pow(2).mean()
    loss.backward()
    optimizer.step()
print(f"slope {model.weight.item():.2f}, loss {loss.item():.2f}")
