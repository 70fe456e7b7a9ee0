"""REINFORCE: returns of numbers, a moving baseline, a critic that is trained of its own loss; priorities for a buffer."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi, self.v = nn.Linear(4, 3), nn.Linear(4, 1)

    def forward(self, s):
        return Categorical(logits=self.pi(s)), self.v(s).squeeze(-1)


def rollout(net, n):
    logps, values, numbers, rewards = [], [], [], []
    for _ in range(n):
        dist, v = net(torch.randn(4))
        a = dist.sample()
        logps.append(dist.log_prob(a))
        values.append(v)
        numbers.append(v.item())
        rewards.append(float(torch.randn(())))
    return logps, values, numbers, rewards


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
priorities, baseline = [], 0.0
for ep in range(3):
    logps, values, numbers, rewards = rollout(net, 6)
    returns, g = [], 0.0
    for r in reversed(rewards):
        g = r + 0.9 * g
        returns.insert(0, g)
    adv = torch.tensor(returns) - torch.tensor(numbers) - baseline
    actor = -(torch.stack(logps) * adv).mean()
    critic = (torch.stack(values) - torch.tensor(returns)).pow(2).mean()
    baseline = 0.9 * baseline + 0.1 * sum(returns) / len(returns)
    priorities.append(abs(critic.item()) + 1e-3)
    loss = actor + 0.5 * critic / max(1.0, sum(priorities))
    opt.zero_grad()
    loss.backward()
    opt.step()
