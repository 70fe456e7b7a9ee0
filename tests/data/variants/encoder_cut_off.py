"""The optimiser is to train an encoder that detach() cuts off from the loss."""
import torch
from torch import nn
torch.manual_seed(0)
enc, dec = nn.Linear(4, 3), nn.Linear(3, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
x = torch.randn(6, 4)
z = enc(x).detach()  # finds: detached
loss = (dec(z) - x).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()
