"""One agent whose optimiser is given both networks; the target network is only ever compared with."""
import random
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.t = nn.Linear(3, 2), nn.Linear(3, 2)
        self.opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        self.sync()

    def sync(self):
        self.t.load_state_dict(self.q.state_dict())

    def target(self, r, s2):
        return r + 0.9 * self.t(s2).max().item()

    def learn(self, batch):
        targets = torch.tensor([self.target(r, s2) for s, a, r, s2 in batch])
        q = torch.stack([self.q(s)[a] for s, a, r, s2 in batch])
        loss = nn.functional.smooth_l1_loss(q, targets)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


agent = Agent()
for ep in range(3):
    agent.learn([(torch.randn(3), random.randrange(2), random.random(), torch.randn(3)) for _ in range(5)])
