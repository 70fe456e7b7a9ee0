"""Programs that are right, a function each: training loops and tricks that look like mistakes and are none."""
import copy, math
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
N = 6


def gan():
    G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
    for _ in range(3):
        z = torch.randn(N, 2)
        fake = G(z)
        d = F.softplus(-D(torch.randn(N, 3))).mean() + F.softplus(D(fake.detach())).mean()
        od.zero_grad(); d.backward(); od.step()
        g = F.softplus(-D(fake)).mean()
        og.zero_grad(); g.backward(); og.step()
    print(d.item(), g.item())
def dqn():
    q, target = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), None
    target = copy.deepcopy(q)
    opt = torch.optim.Adam(q.parameters())
    for _ in range(3):
        s, a, r, s2 = torch.randn(N, 4), torch.randint(0, 2, (N, 1)), torch.randn(N), torch.randn(N, 4)
        qv = q(s).gather(1, a).squeeze(1)
        y = r + 0.9 * target(s2).max(1)[0].detach()
        loss = F.smooth_l1_loss(qv, y)
        opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(q.parameters(), 1.0); opt.step()
def dqn_numpy():
    q, target = nn.Linear(4, 2), nn.Linear(4, 2)
    s, r, s2 = torch.randn(N, 4), torch.randn(N), torch.randn(N, 4)
    best = target(s2).detach().numpy().max(1)
    y = r + 0.9 * torch.from_numpy(best)
    F.mse_loss(q(s)[:, 0], y).backward()
def policy_gradient():
    pi, v = nn.Linear(4, 2), nn.Linear(4, 1)
    logps, vals, rews = [], [], []
    for t in range(4):
        s = torch.randn(4)
        p = F.softmax(pi(s), dim=-1)
        a = np.random.default_rng(t).choice(2, p=p.detach().numpy() / p.detach().numpy().sum())
        logps.append(p[a].log()); vals.append(v(s)); rews.append(float(t))
    R = torch.tensor(rews).flip(0).cumsum(0).flip(0)
    vals = torch.cat(vals)
    adv = R - vals.detach()
    loss = -(torch.stack(logps) * adv).mean() + F.mse_loss(vals, R)
    loss.backward()
def reinforce_item():
    pi, base = nn.Linear(4, 2), nn.Linear(4, 1)
    s = torch.randn(4)
    dist = torch.distributions.Categorical(logits=pi(s))
    a = dist.sample()
    b = base(s)
    loss = -dist.log_prob(a) * (1.0 - b.item()) + (b - 1.0).pow(2).mean()
    loss.backward()
def vae():
    enc, dec = nn.Linear(5, 4), nn.Linear(2, 5)
    x = torch.rand(N, 5)
    mu, lv = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
    rec = F.binary_cross_entropy_with_logits(dec(z), x, reduction="sum")
    kl = -0.5 * (1 + lv - mu.pow(2) - lv.exp()).sum()
    (rec + kl).backward()
def fgsm():
    net = nn.Linear(4, 3)
    x, y = torch.randn(N, 4, requires_grad=True), torch.randint(0, 3, (N,))
    (g,) = torch.autograd.grad(F.cross_entropy(net(x), y), x)
    adv = (x + 0.1 * g.sign()).detach()
    F.cross_entropy(net(adv), y).backward()
def fgsm2():
    net = nn.Linear(4, 3)
    x, y = torch.randn(N, 4, requires_grad=True), torch.randint(0, 3, (N,))
    (g,) = torch.autograd.grad(F.cross_entropy(net(x), y), x)
    F.cross_entropy(net(x + 0.1 * g / g.norm()), y).backward()
def fomaml():
    w = torch.randn(3, requires_grad=True)
    (g,) = torch.autograd.grad((torch.randn(5, 3) @ w).pow(2).mean(), w)
    fast = w - 0.1 * g
    (torch.randn(5, 3) @ fast).pow(2).mean().backward()
def vqgan_weight():
    last = nn.Linear(3, 3)
    h = last(torch.randn(N, 3))
    a, b = h.pow(2).mean(), h.abs().mean()
    ga = torch.autograd.grad(a, last.weight, retain_graph=True)[0]
    gb = torch.autograd.grad(b, last.weight, retain_graph=True)[0]
    d = (ga.norm() / (gb.norm() + 1e-4)).clamp(0, 1e4)
    (a + d * b).backward()
def dynamic_weight():
    net = nn.Linear(3, 2)
    h = net(torch.randn(N, 3))
    a, b = h[:, 0].pow(2).mean(), h[:, 1].abs().mean()
    loss = a + (a.item() / (b.item() + 1e-6)) * b
    loss.backward()
def early_stop():
    net = nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    best, total, hist = float("inf"), 0.0, []
    for _ in range(3):
        loss = net(torch.randn(N, 3)).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item(); hist.append(loss.item())
        if loss.item() < best:
            best = loss.item()
    print(total / 3, np.mean(hist))
def accumulate():
    net = nn.Linear(3, 1)
    for i in range(4):
        (net(torch.randn(N, 3)).pow(2).mean() / 4).backward()
def ema_teacher():
    s, t = nn.Linear(3, 2), nn.Linear(3, 2)
    for p in t.parameters(): p.requires_grad_(False)
    x = torch.randn(N, 3)
    F.mse_loss(s(x), t(x)).backward()
    with torch.no_grad():
        for a, b in zip(t.parameters(), s.parameters()): a.mul_(0.9).add_(b, alpha=0.1)
def distill():
    s, t = nn.Linear(3, 4), nn.Linear(3, 4)
    x = torch.randn(N, 3)
    with torch.no_grad():
        soft = F.softmax(t(x) / 2, dim=1)
    F.kl_div(F.log_softmax(s(x) / 2, dim=1), soft, reduction="batchmean").backward()
class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.round()
    @staticmethod
    def backward(ctx, g): return g
def ste():
    net = nn.Linear(3, 2)
    h = net(torch.randn(N, 3))
    q = h + (h.round() - h).detach()
    (STE.apply(h) + q).pow(2).mean().backward()
def gumbel():
    net = nn.Linear(3, 4)
    F.gumbel_softmax(net(torch.randn(N, 3)), hard=True).matmul(torch.randn(4, 2)).sum().backward()
def vq():
    enc, code = nn.Linear(3, 4), nn.Embedding(5, 4)
    z = enc(torch.randn(N, 3))
    idx = torch.cdist(z, code.weight).argmin(1)
    e = code(idx)
    zq = z + (e - z).detach()
    (zq.pow(2).mean() + F.mse_loss(e, z.detach()) + 0.25 * F.mse_loss(z, e.detach())).backward()
def simsiam():
    enc, pred = nn.Linear(3, 4), nn.Linear(4, 4)
    a, b = enc(torch.randn(N, 3)), enc(torch.randn(N, 3))
    (-F.cosine_similarity(pred(a), b.detach()).mean() - F.cosine_similarity(pred(b), a.detach()).mean()).backward()
def moco():
    q, k = nn.Linear(3, 4), nn.Linear(3, 4)
    queue = F.normalize(torch.randn(4, 10), dim=0)
    x = torch.randn(N, 3)
    a = F.normalize(q(x), dim=1)
    with torch.no_grad():
        b = F.normalize(k(x), dim=1)
    logits = torch.cat([(a * b).sum(1, keepdim=True), a @ queue], 1) / 0.07
    F.cross_entropy(logits, torch.zeros(N, dtype=torch.long)).backward()
def lora():
    base, A, B = nn.Linear(4, 4), nn.Linear(4, 2, bias=False), nn.Linear(2, 4, bias=False)
    for p in base.parameters(): p.requires_grad = False
    nn.init.zeros_(B.weight)
    x = torch.randn(N, 4)
    (base(x) + B(A(x))).pow(2).mean().backward()
def minimum():
    w = torch.zeros(3, requires_grad=True)
    w.pow(2).sum().backward()
def clamp():
    w = torch.full((3,), 5.0, requires_grad=True)
    w.clamp(max=1.0).sum().backward()
def dead():
    w = torch.full((3,), -5.0, requires_grad=True)
    w.relu().sum().backward()
def safe_sqrt():
    z = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    torch.where(z > 0, torch.where(z > 0, z, 1.0).sqrt(), torch.zeros_like(z)).sum().backward()
def hook_fix():
    z = torch.tensor([0.0, 2.0], requires_grad=True)
    z.register_hook(lambda g: torch.nan_to_num(g, posinf=0.0))
    z.sqrt().sum().backward()
def detach_state():
    cell, head = nn.LSTMCell(3, 4), nn.Linear(4, 1)
    h = c = torch.zeros(N, 4)
    for _ in range(3):
        h, c = cell(torch.randn(N, 3), (h.detach(), c.detach()))
        head(h).pow(2).mean().backward()
def retain():
    h = nn.Linear(3, 2)(torch.randn(N, 3))
    h.pow(2).mean().backward(retain_graph=True)
    h.exp().mean().backward()
def hvp():
    x = torch.randn(3, requires_grad=True)
    (g,) = torch.autograd.grad((x ** 4).sum(), x, create_graph=True)
    (g @ torch.randn(3)).backward()
def functional():
    f = lambda x: (x ** 2).sum()
    torch.autograd.functional.jacobian(f, torch.randn(3)); torch.autograd.functional.hessian(f, torch.randn(3))
    torch.func.grad(f)(torch.randn(3)); torch.func.jacrev(lambda x: x ** 2)(torch.randn(3)); torch.func.vmap(torch.func.grad(f))(torch.randn(4, 3))
def lbfgs():
    w = torch.randn(3, requires_grad=True)
    opt = torch.optim.LBFGS([w], max_iter=5)
    def closure():
        opt.zero_grad(); loss = (w - 1).pow(2).sum(); loss.backward(); return loss
    opt.step(closure)
def maml():
    w = torch.randn(3, requires_grad=True)
    (g,) = torch.autograd.grad((torch.randn(5, 3) @ w).pow(2).mean(), w, create_graph=True)
    (torch.randn(5, 3) @ (w - 0.1 * g)).pow(2).mean().backward()
def ckpt():
    a = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    checkpoint(a, torch.randn(N, 3, requires_grad=True), use_reentrant=True).sum().backward()
def amp():
    net = nn.Linear(3, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(net(torch.randn(N, 3)), torch.randn(N, 2))
    loss.backward()
def sparse():
    e = nn.Embedding(5, 3, sparse=True)
    opt = torch.optim.SGD(e.parameters(), lr=0.1)
    e(torch.tensor([1, 2])).sum().backward(); opt.step()
def allow_unused():
    a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
    torch.autograd.grad((a * 2).sum(), [a, b], allow_unused=True)
def transformer():
    m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
    m(torch.randn(2, 5, 8)).mean().backward()
def rnn_time_first():
    r = nn.LSTM(3, 4)
    out, (h, c) = r(torch.randn(7, N, 3))
    out[-1].sum().backward()
def rnn_batch_first():
    r = nn.GRU(3, 4, batch_first=True)
    out, h = r(torch.randn(N, 7, 3))
    out[:, -1].sum().backward()
def mha_view():
    x = torch.randn(2, 5, 6, requires_grad=True)
    h = x.view(2, 5, 3, 2).transpose(1, 2)
    h.transpose(1, 2).reshape(2, 5, 6).sum().backward()
def shuffle():
    x = torch.randn(2, 6, 4, 4, requires_grad=True)
    x.view(2, 2, 3, 4, 4).transpose(1, 2).reshape(2, 6, 4, 4).sum().backward()
def attn_over_time():
    s = nn.Linear(4, 1)
    h = torch.randn(7, N, 4)
    a = F.softmax(s(h), dim=0)
    (a * h).sum(0).sum().backward()
def softmax0_2d():
    q = torch.randn(7, 3, requires_grad=True)
    (torch.softmax(q, dim=0) * torch.randn(7, 3)).sum().backward()
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, eps):
        ctx.save_for_backward(x, w); ctx.eps = eps
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = g * w if ctx.needs_input_grad[0] else None
        gw = (g * x).sum(0) if ctx.needs_input_grad[1] else None
        return gx, gw, None
def custom():
    w = torch.ones(3, requires_grad=True)
    Norm.apply(torch.randn(N, 3), w, 1e-5).sum().backward()
class GradRev(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view_as(x)
    @staticmethod
    def backward(ctx, g): return g.neg()
def dann():
    f, d = nn.Linear(3, 4), nn.Linear(4, 1)
    F.binary_cross_entropy_with_logits(d(GradRev.apply(f(torch.randn(N, 3)))), torch.ones(N, 1)).backward()
def inplace_ok():
    x = torch.randn(3, requires_grad=True)
    y = x * 2
    y += 1
    y.relu_()
    y.sum().backward()
    with torch.no_grad():
        x -= 0.1 * x.grad
    x.data.clamp_(-1, 1)
def weight_clip():
    D = nn.Linear(3, 1)
    for _ in range(2):
        D(torch.randn(N, 3)).mean().backward()
        for p in D.parameters(): p.data.clamp_(-0.01, 0.01)
def focal():
    logit, y = nn.Linear(3, 1)(torch.randn(N, 3)).squeeze(1), torch.randint(0, 2, (N,)).float()
    p = torch.sigmoid(logit)
    pt = torch.where(y == 1, p, 1 - p)
    (-(1 - pt) ** 2 * pt.clamp_min(1e-6).log()).mean().backward()
def quantile():
    pred, y = nn.Linear(3, 3)(torch.randn(N, 3)), torch.randn(N, 1)
    q = torch.tensor([0.1, 0.5, 0.9])
    e = y - pred
    torch.max(q * e, (q - 1) * e).mean().backward()
def ddpm():
    net = nn.Linear(4, 3)
    x0, t = torch.randn(N, 3), torch.randint(0, 10, (N,))
    ab = torch.linspace(0.9, 0.1, 10)[t][:, None]
    eps = torch.randn_like(x0)
    F.mse_loss(net(torch.cat([ab.sqrt() * x0 + (1 - ab).sqrt() * eps, t[:, None] / 10], 1)), eps).backward()
def ode():
    f = nn.Linear(2, 2)
    y = torch.randn(N, 2)
    for _ in range(40): y = y + 0.05 * torch.tanh(f(y))
    y.pow(2).mean().backward()
def deeprnn():
    c = nn.RNNCell(2, 4)
    h = torch.zeros(1, 4)
    for x in torch.randn(60, 1, 2): h = c(x, h)
    h.sum().backward()
def spectral():
    m = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
    m(torch.randn(N, 3)).sum().backward()
def swa():
    m = nn.Linear(3, 1)
    avg = torch.optim.swa_utils.AveragedModel(m)
    m(torch.randn(N, 3)).mean().backward(); avg.update_parameters(m)
def saliency():
    net = nn.Linear(4, 3)
    x = torch.randn(1, 4, requires_grad=True)
    s = net(x)
    s[0, s.argmax()].backward()
    print(x.grad.abs().numpy())
def gradcam():
    conv, fc = nn.Conv2d(1, 3, 3), nn.Linear(3, 2)
    a = conv(torch.randn(1, 1, 6, 6))
    a.retain_grad()
    out = fc(a.mean((2, 3)))
    out[0, 1].backward()
    cam = (a.grad.mean((2, 3), keepdim=True) * a).sum(1).relu().detach().numpy()
def metrics():
    net = nn.Linear(3, 2)
    x, y = torch.randn(N, 3), torch.randint(0, 2, (N,))
    out = net(x)
    F.cross_entropy(out, y).backward()
    acc = (out.argmax(1) == y).float().mean().item()
    print(acc, out.detach().numpy().mean())


def main():
    for name, f in list(globals().items()):
        if callable(f) and getattr(f, "__module__", "") == "__main__" and name not in ("main", "STE", "Norm", "GradRev"):
            f()


main()
