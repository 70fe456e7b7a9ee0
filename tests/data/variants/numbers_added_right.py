"""Numbers that are added to losses and are meant: shown, trained elsewhere, of another network, or part of a formula."""
import torch
from torch import nn
torch.manual_seed(0)
gen, crit, body = nn.Linear(3, 2), nn.Linear(2, 1), nn.Linear(2, 1)
og, oc = torch.optim.Adam(gen.parameters()), torch.optim.Adam([*crit.parameters(), *body.parameters()])
real = torch.randn(8, 2)


def stable(z):
    m = z.max().item()
    return m + (z - m).exp().sum().log()


first = (body(real) - 1).pow(2).mean().item()
for _ in range(3):
    fake = gen(torch.randn(8, 3))
    score = crit(fake.detach()).mean() - crit(real).mean() + stable(body(real))
    oc.zero_grad()
    score.backward()
    oc.step()
    shown = crit(real).mean().item() - crit(fake).mean()
    og.zero_grad()
    shown.backward()
    og.step()
    aux = (body(real) - 1).pow(2).mean()
    aux.backward()
    total = crit(real).pow(2).mean() + aux.item()
    total.backward()
    relative = crit(real).pow(2).mean() - first
    oc.zero_grad()
    relative.backward()
    oc.step()
    flooded = (body(real).pow(2).mean() - 0.1 * body(real).mean().item()).abs() + 0.02
    swapped = body(real).pow(2).mean() * 2 ** (body(real).mean().item() + 1.0)
    oc.zero_grad()
    (flooded + swapped).backward()
    oc.step()
