"""A target network and a scale that are handed to the optimiser with the rest, and kept by a moving average."""
import copy
import torch
from torch import nn

torch.manual_seed(0)


class Byol(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Linear(6, 4)
        self.target = copy.deepcopy(self.online)
        self.head = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, a, b):
        p = nn.functional.normalize(self.head(self.online(a)), dim=-1)
        z = nn.functional.normalize(self.target(b), dim=-1).detach()
        return (2 - 2 * (p * z).sum(-1)).mean() / self.scale.data

    def update(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data.mul_(0.9).add_(o.data, alpha=0.1)
        self.scale.data = 0.9 * self.scale.data + 0.1


model = Byol()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(8, 6)
    loss = model(x, x + 0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.update()
