import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(critic.parameters(), lr=1e-3)


def penalty(real, fake):
    mix = torch.rand(real.size(0), 1)
    mid = (mix * real + (1 - mix) * fake).requires_grad_(True)
    score = critic(mid)
    slope, = torch.autograd.grad(score.sum(), mid)  # finds: missing-create-graph
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


for _ in range(2):
    real, fake = torch.randn(8, 2), torch.randn(8, 2)
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
    opt.zero_grad()
    loss.backward()
    opt.step()
