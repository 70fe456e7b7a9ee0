import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    @torch.no_grad()  # finds: detached
    def act(self, state):
        dist = torch.distributions.Categorical(logits=self.net(state))
        action = dist.sample()
        return action, dist.log_prob(action)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
log_probs, rewards = [], []
for t in range(5):
    _, lp = policy.act(torch.randn(4))
    log_probs.append(lp)
    rewards.append(float(t % 2))
returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
loss = -(torch.stack(log_probs) * returns).sum()
optimizer.zero_grad()
loss.backward()
optimizer.step()
