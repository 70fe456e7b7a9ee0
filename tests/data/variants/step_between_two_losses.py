import torch
from torch import nn

torch.manual_seed(0)
gen, disc = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
og = torch.optim.SGD(gen.parameters(), lr=0.1)
od = torch.optim.SGD(disc.parameters(), lr=0.1)
bce = nn.BCEWithLogitsLoss()


def turn(noise, real):
    fake = gen(noise)
    verdict = disc(fake)
    g_loss = bce(verdict, torch.ones(5, 1))
    d_loss = bce(disc(real), torch.ones(5, 1)) + bce(disc(fake.detach()), torch.zeros(5, 1))
    od.zero_grad()
    d_loss.backward()
    od.step()  # finds: inplace-modified
    og.zero_grad()
    g_loss.backward()
    og.step()


turn(torch.randn(5, 3), torch.randn(5, 4))
