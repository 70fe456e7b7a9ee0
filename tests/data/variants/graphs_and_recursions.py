"""Healthy: GNN message passing, CRF forward algorithm, distances, kernels, soft-DTW, normalising flow, triplet mining."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin, self.att = nn.Linear(i, o), nn.Parameter(torch.randn(2 * o))

    def forward(self, x, edges):
        h = self.lin(x)
        src, dst = edges
        score = F.leaky_relu(torch.cat([h[src], h[dst]], -1) @ self.att)
        weight = torch.exp(score - score.max())
        norm = torch.zeros(x.size(0)).index_add(0, dst, weight)
        return torch.zeros(x.size(0), h.size(1)).index_add(0, dst, h[src] * (weight / norm[dst]).unsqueeze(-1))


edges = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
g = GCN(3, 4)
F.cross_entropy(g(torch.randn(4, 3), edges), torch.tensor([0, 1, 2, 3])).backward()

trans = nn.Parameter(torch.randn(5, 5))
emit = torch.randn(7, 2, 5, requires_grad=True)
alpha = emit[0]
for t in range(1, 7):
    alpha = torch.logsumexp(alpha.unsqueeze(2) + trans.unsqueeze(0), 1) + emit[t]
alpha.logsumexp(1).mean().backward()

X = torch.randn(6, 2)
raw = torch.zeros(3, requires_grad=True)
ls, var, noise = F.softplus(raw)
sq = (X[:, None] - X[None]).pow(2).sum(-1)
K = var * torch.exp(-0.5 * sq / ls ** 2) + (noise + 1e-4) * torch.eye(6)
L = torch.linalg.cholesky(K)
yv = torch.randn(6, 1)
nll = 0.5 * (yv * torch.cholesky_solve(yv, L)).sum() + L.diagonal().log().sum()
nll.backward()

emb = nn.Linear(4, 3)
z = emb(torch.randn(9, 4))
lab = torch.arange(9) % 3
d = torch.cdist(z, z) + 1e-9
same = lab.unsqueeze(0) == lab.unsqueeze(1)
hardest_pos = (d * same).max(1).values
hardest_neg = d.masked_fill(same, 1e9).min(1).values
F.relu(hardest_pos - hardest_neg + 0.3).mean().backward()


class Coupling(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, x):
        a, b = x.split(1, dim=1)
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        return torch.cat([b * s.exp() + t, a], 1), s.sum(1)


flow = nn.ModuleList(Coupling() for _ in range(3))
u, logdet = torch.randn(5, 2), torch.zeros(5)
for layer in flow:
    u, ld = layer(u)
    logdet = logdet + ld
(-(torch.distributions.Normal(0.0, 1.0).log_prob(u).sum(1) + logdet).mean()).backward()
r = torch.full((4, 5), float("inf"))
r[0, 0] = 0
cost = torch.cdist(torch.randn(3, 2, requires_grad=True), torch.randn(4, 2))
rows = [list(r[0])]
table = {(0, 0): torch.zeros(())}
for i in range(1, 4):
    for j in range(1, 5):
        prev = [table[k] for k in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if k in table]
        if prev:
            table[i, j] = cost[i - 1, j - 1] - 0.1 * torch.logsumexp(-torch.stack(prev) / 0.1, 0)
table[3, 4].backward()
