import torch
from torch import nn

torch.manual_seed(0)
trunk, policy_head, value_head = nn.Linear(5, 8), nn.Linear(8, 3), nn.Linear(8, 1)
obs = torch.randn(6, 5)


def update():
    features = torch.tanh(trunk(obs))
    actor_loss = -torch.log_softmax(policy_head(features), 1)[:, 0].mean()
    critic_loss = value_head(features).pow(2).mean()
    actor_loss.backward()  # finds: freed-graph
    critic_loss.backward()


update()
