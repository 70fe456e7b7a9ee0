"""A penalty of the weights is added to the loss as a number: it changes no gradient."""
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(20, 5)
y = x[:, :1] * 2
for epoch in range(3):
    penalty = sum(p.abs().sum() for p in model.parameters())
    loss = nn.functional.mse_loss(model(x), y) + 1e-3 * penalty.item()  # finds: detached
    opt.zero_grad()
    loss.backward()
    opt.step()
