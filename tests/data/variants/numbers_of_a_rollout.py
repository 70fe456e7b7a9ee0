"""The critic's values are collected as numbers in a function, and its loss is made of them."""
import torch
from torch import nn
torch.manual_seed(0)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()])


def rollout(length):
    logps, values = [], []
    for _ in range(length):
        s = torch.randn(4)
        d = torch.distributions.Categorical(logits=actor(s))
        logps.append(d.log_prob(d.sample()))
        values.append(critic(s).squeeze().item())  # finds: detached
    return logps, values


for _ in range(3):
    logps, values = rollout(6)
    returns = torch.arange(6.0).flip(0)
    values = torch.tensor(values)
    adv = returns - values
    loss = -(torch.stack(logps) * adv.detach()).mean() + 0.5 * adv.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
