"""Broadcasts by design, a function each: tables of pairs, masks, kernels, positions. None of them is a mistake."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
N, D = 6, 3
x = torch.randn(N, D, requires_grad=True)
w = torch.randn(N, requires_grad=True)


def done(v):
    v.sum().backward()


def outer(): done(w[:, None] * w[None, :])
def outer2(): done(w[:, None] * w)
def selfpair(): done((x.unsqueeze(1) - x).pow(2).sum(-1).add(1e-3).sqrt())
def cdist():
    y = torch.randn(N, D)
    done((x[:, None] - y).norm(dim=-1).add(1e-6).min(1).values)
def sqdist():
    y = torch.randn(N, D)
    a = (x ** 2).sum(1, keepdim=True)
    b = (y ** 2).sum(1)
    done((a + b - 2 * x @ y.T).clamp_min(0).mean())
def kde():
    data = torch.randn(N, 1)
    grid = torch.linspace(-1, 1, N).requires_grad_()
    done(torch.exp(-(data - grid) ** 2).sum(0))
def rbf():
    net = nn.Linear(N, 1)
    data = torch.randn(N, 1)
    centers = torch.randn(N, requires_grad=True)
    done(net(torch.exp(-(data - centers) ** 2)))
def energy():
    a = nn.Linear(2, 1)(torch.randn(N, 2)).squeeze(1)
    b = torch.randn(N)
    d = 2 * (a[:, None] - b[None, :]).abs().mean() - (a[:, None] - a[None, :]).abs().mean()
    done(d)
def energy2():
    a = nn.Linear(2, 1)(torch.randn(N, 2))
    b = torch.randn(N, 1)
    done(2 * (a - b.T).abs().mean() - (a - a.T).abs().mean())
def gat():
    h = nn.Linear(D, 4)(x)
    a1, a2 = nn.Linear(4, 1), nn.Linear(4, 1)
    e = F.leaky_relu(a1(h) + a2(h).T)
    adj = torch.ones(N, N)
    att = torch.softmax(e.masked_fill(adj == 0, -1e9), dim=1)
    done(att @ h)
def alibi():
    T = 4
    q = torch.randn(2, T, T, requires_grad=True)
    pos = torch.arange(T)
    done((q - (pos[:, None] - pos[None, :]).abs()).softmax(-1))
def rope():
    T = 4
    t = torch.arange(T).float()
    inv = 1.0 / (10 ** (torch.arange(0, 8, 2).float() / 8))
    ang = t[:, None] * inv
    q = torch.randn(T, 4, requires_grad=True)
    done(q * ang.cos() + q.flip(-1) * ang.sin())
def bias(): done(nn.Linear(D, 4)(x) + torch.zeros(4))
def layernorm():
    m = x.mean(-1, keepdim=True)
    done((x - m) / (x.var(-1, keepdim=True) + 1e-5).sqrt())
def standard(): done((x - x.mean(0)) / x.std(0))
def infonce():
    a, b = F.normalize(nn.Linear(D, 4)(x), dim=1), F.normalize(nn.Linear(D, 4)(x), dim=1)
    done(F.cross_entropy(a @ b.t() / 0.1, torch.arange(N)))
def supcon():
    f = F.normalize(nn.Linear(D, 4)(x), dim=1)
    y = torch.tensor([0, 1, 0, 1, 0, 1])
    mask = (y[:, None] == y).float()
    logp = F.log_softmax(f @ f.T, dim=1)
    done(-(mask * logp).sum(1) / mask.sum(1))
def triplet():
    f = nn.Linear(D, 4)(x)
    y = torch.tensor([0, 1, 0, 1, 0, 1])
    d = torch.cdist(f, f)
    pos = y[:, None] == y
    hard = (d * pos.float()).max(1).values - (d + pos.float() * 1e3).min(1).values
    done(F.relu(hard + 1.0).mean())
def weights():
    per = F.mse_loss(nn.Linear(D, 1)(x).squeeze(1), torch.randn(N), reduction="none")
    done((per * torch.rand(N)).mean())
def seqmask():
    B, T, H = 4, 4, 5
    h = nn.Linear(D, H)(torch.randn(B, T, D))
    m = torch.arange(T)[None] < torch.tensor([4, 2, 1, 3])[:, None]
    done((h * m[..., None]).sum(1) / m.sum(1, keepdim=True))
def attnmask():
    B, T = 4, 4
    s = torch.randn(B, T, T, requires_grad=True)
    m = torch.arange(T)[None] < torch.tensor([4, 2, 1, 3])[:, None]
    done(s.masked_fill(~m[:, None, :], -1e9).softmax(-1))
def pairmask():
    B, T = 4, 4
    s = torch.randn(B, T, T, requires_grad=True)
    m = (torch.arange(T)[None] < torch.tensor([4, 2, 1, 3])[:, None]).float()
    done(s * (m.unsqueeze(1) * m.unsqueeze(2)))
def gmm():
    mu = torch.randn(N, D, requires_grad=True)
    done(torch.logsumexp(-(x.detach()[:, None] - mu).pow(2).sum(-1), dim=1))
def kernel():
    done(torch.exp(-(x[:, None] - x[None]).pow(2).sum(-1)).mean())
def mmd():
    a, b = nn.Linear(2, 1)(torch.randn(N, 2)), torch.randn(N, 1)
    def k(p, q): return torch.exp(-(p[:, None] - q[None]).pow(2).sum(-1)).mean()
    done(k(a, a) + k(b, b) - 2 * k(a, b))
def iou():
    b1 = torch.rand(N, 4, requires_grad=True)
    b2 = torch.rand(N, 4)
    lt = torch.max(b1[:, None, :2], b2[:, :2])
    rb = torch.min(b1[:, None, 2:], b2[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    a1 = (b1[:, 2:] - b1[:, :2]).prod(1)
    a2 = (b2[:, 2:] - b2[:, :2]).prod(1)
    done(inter / (a1[:, None] + a2 - inter + 1e-6))
def qhuber():
    pred = nn.Linear(D, N)(x)
    target = torch.randn(N, N)
    td = target[:, None, :] - pred[:, :, None]
    tau = (torch.arange(N) + 0.5) / N
    done((tau[None, :, None] - (td.detach() < 0).float()).abs().mul(F.smooth_l1_loss(td, torch.zeros_like(td), reduction="none")).mean())
def listnet():
    s = nn.Linear(D, 1)(x).squeeze(-1)
    y = torch.randn(N)
    diff = s[:, None] - s
    lab = (y[:, None] > y).float()
    done(F.binary_cross_entropy_with_logits(diff, lab))
def grid():
    g = torch.linspace(0, 1, N)
    img = torch.sin(g[:, None] * 3) * torch.cos(g * 2)
    s = torch.tensor(1.0, requires_grad=True)
    done((s * img).sum())
def polynomial():
    t = torch.linspace(0, 1, N)
    c = torch.randn(4, requires_grad=True)
    done((t[:, None] ** torch.arange(4)) @ c)
def vander():
    t = torch.linspace(0, 1, 4)
    c = torch.randn(4, requires_grad=True)
    done(((t[:, None] ** torch.arange(4)) * c).sum(1))
def einsum(): done(torch.einsum("bi,oij,bj->bo", torch.randn(4, 3, requires_grad=True), torch.randn(2, 3, 3, requires_grad=True), torch.randn(4, 3)))
def film():
    h = torch.randn(4, 5, 7, 7, requires_grad=True)
    g, b = nn.Linear(3, 10)(torch.randn(4, 3)).chunk(2, 1)
    done(h * g[:, :, None, None] + b[:, :, None, None])
def pinn():
    t = torch.rand(N, 1, requires_grad=True)
    u = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))(t)
    (du,) = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)
    done((du + u).pow(2).mean())
def timeembed():
    t = torch.randint(0, 10, (4,))
    f = torch.exp(-torch.arange(4) / 4.0)
    e = torch.cat([(t[:, None] * f).sin(), (t[:, None] * f).cos()], 1)
    done(nn.Linear(8, 3)(e))
def lora():
    A, B = torch.randn(3, 2, requires_grad=True), torch.zeros(2, 4, requires_grad=True)
    done(torch.randn(5, 3) @ A @ B)
def ntk():
    f = nn.Linear(D, 1)(x)
    done(f @ f.T)
def crf():
    emit = torch.randn(5, 4, requires_grad=True)
    trans = torch.randn(4, 4, requires_grad=True)
    alpha = emit[0]
    for e in emit[1:]:
        alpha = torch.logsumexp(alpha[:, None] + trans + e[None, :], 0)
    done(alpha.logsumexp(0))


for f in list(globals().values()):
    if callable(f) and getattr(f, "__module__", "") == "__main__" and f is not done:
        f()
