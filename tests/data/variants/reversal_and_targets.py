"""Healthy: double DQN, LBFGS, weight tying, gradient reversal, hooks that clip, hypernetwork, deep equilibrium, SWA."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


feat, cls, dom = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 2)
opt = torch.optim.SGD([*feat.parameters(), *cls.parameters(), *dom.parameters()], 0.1)
for p in feat.parameters():
    p.register_hook(lambda g: g.clamp(-1, 1))
for i in range(2):
    h = torch.relu(feat(torch.randn(6, 4)))
    loss = F.cross_entropy(cls(h), torch.randint(0, 3, (6,))) + F.cross_entropy(dom(Reverse.apply(h, 0.5)), torch.randint(0, 2, (6,)))
    opt.zero_grad(); loss.backward(); opt.step()

online, target = nn.Linear(4, 2), nn.Linear(4, 2)
target.load_state_dict(online.state_dict())
s, a, r, s2, d = torch.randn(5, 4), torch.randint(0, 2, (5, 1)), torch.rand(5, 1), torch.randn(5, 4), torch.zeros(5, 1)
q = online(s).gather(1, a)
best = online(s2).argmax(1, keepdim=True)
y = r + 0.9 * (1 - d) * target(s2).gather(1, best).detach()
F.smooth_l1_loss(q, y).backward()
with torch.no_grad():
    for pt, p in zip(target.parameters(), online.parameters()):
        pt.data.mul_(0.9).add_(0.1 * p.data)

hyper = nn.Linear(3, 4 * 2 + 2)
params = hyper(torch.randn(3))
w, b = params[:8].view(2, 4), params[8:]
F.linear(torch.randn(7, 4), w, b).square().mean().backward()


class DEQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.U, self.W = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)

    def forward(self, x):
        with torch.no_grad():
            z = torch.zeros_like(x)
            for _ in range(10):
                z = torch.tanh(0.3 * self.W(z) + self.U(x))
        return torch.tanh(0.3 * self.W(z) + self.U(x))


deq = DEQ()
deq(torch.randn(2, 4)).sum().backward()
swa = torch.optim.swa_utils.AveragedModel(deq)
o2 = torch.optim.Adam(deq.parameters())
for _ in range(3):
    o2.zero_grad(); deq(torch.randn(2, 4)).pow(2).mean().backward(); o2.step()
    swa.update_parameters(deq)

total = 0.0
accuracy = []
clf = nn.Linear(4, 3)
weights = torch.tensor([1.0, 2.0, 0.5])
adaptive = 1.0
o3 = torch.optim.Adam(clf.parameters())
for _ in range(3):
    x, t = torch.randn(8, 4), torch.randint(0, 3, (8,))
    out = clf(x)
    base = F.cross_entropy(out, t, weight=weights)
    focal = ((1 - out.softmax(1).gather(1, t[:, None]).squeeze(1)).pow(2) * F.cross_entropy(out, t, reduction="none")).mean()
    loss = base + adaptive * focal
    o3.zero_grad(); loss.backward(); o3.step()
    adaptive = float(base.item() / (focal.item() + 1e-8))
    total += loss.item()
    accuracy.append((out.argmax(1) == t).float().mean().item())
print(total, sum(accuracy))
