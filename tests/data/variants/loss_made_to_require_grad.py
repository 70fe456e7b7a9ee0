import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(3):
    optimizer.zero_grad()
    prediction = model(x)
    loss = nn.functional.mse_loss(prediction.detach(), y).requires_grad_()  # finds: detached
    loss.backward()
    optimizer.step()
