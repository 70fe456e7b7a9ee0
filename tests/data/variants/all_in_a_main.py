"""A critic that is never trained; with the function it lives in, its parameters are gone before the script ends."""

import torch
from torch import nn


def main():
    torch.manual_seed(0)
    actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
    opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
    for _ in range(2):
        states = torch.randn(6, 4)
        chosen = torch.log_softmax(actor(states), dim=1).max(dim=1).values
        returns = torch.randn(6)
        values = torch.tensor([critic(state).item() for state in states])  # finds: detached
        loss = -(chosen * (returns - values)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
