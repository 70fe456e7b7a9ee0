import copy
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
target = copy.deepcopy(enc)
for p in target.parameters():
    p.requires_grad = False
predictor = nn.Linear(8, 8)
queue = F.normalize(torch.randn(16, 8), dim=1)
opt = torch.optim.SGD([*enc.parameters(), *predictor.parameters()], lr=0.1, momentum=0.9, nesterov=True)


def nt_xent(z1, z2, tau=0.5):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.T / tau
    n = z1.size(0)
    sim.fill_diagonal_(float("-inf"))
    return F.cross_entropy(sim, torch.cat([torch.arange(n) + n, torch.arange(n)]))


def supcon(z, y):
    z = F.normalize(z, dim=-1)
    same = y[:, None] == y[None, :]
    eye = torch.eye(len(y), dtype=torch.bool)
    logits = (z @ z.t()).masked_fill(eye, -1e9)
    logp = logits - logits.logsumexp(1, keepdim=True)
    return -(logp * (same & ~eye)).sum(1).div((same & ~eye).sum(1).clamp(min=1)).mean()


for step in range(3):
    x = torch.randn(8, 10)
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    za, zb = enc(a), enc(b)
    with torch.no_grad():
        k = F.normalize(target(b), dim=1)
    q = F.normalize(predictor(za), dim=1)
    pos = (q * k).sum(1, keepdim=True)
    neg = q @ queue.clone().T
    moco = F.cross_entropy(torch.cat([pos, neg], 1) / 0.2, torch.zeros(8, dtype=torch.long))
    byol = 2 - 2 * F.cosine_similarity(q, k, dim=-1).mean()
    loss = moco + nt_xent(za, zb) + supcon(zb, torch.randint(0, 3, (8,))) + byol
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for po, pt in zip(enc.parameters(), target.parameters()):
            pt.mul_(0.99).add_(po, alpha=0.01)
        queue = torch.cat([k, queue])[:16]
print(loss.item())
