"""A recurrent state kept in an attribute, from step to step, with its graph."""
import torch
from torch import nn
torch.manual_seed(0)
class Trainer:
    def __init__(self):
        self.cell, self.out = nn.LSTMCell(2, 4), nn.Linear(4, 1)
        self.state = None
        self.opt = torch.optim.SGD([*self.cell.parameters(), *self.out.parameters()], lr=0.1)
    def step(self, x, y):
        h, c = self.state or (torch.zeros(3, 4), torch.zeros(3, 4))
        x = x * 1.0
        self.opt.zero_grad()
        self.state = self.cell(x, (h, c))  # finds: hidden-not-detached
        loss = (self.out(self.state[0]) - y).pow(2).mean()
        loss.backward()
        self.opt.step()
t = Trainer()
for i in range(3):
    t.step(torch.randn(3, 2), torch.randn(3, 1))
