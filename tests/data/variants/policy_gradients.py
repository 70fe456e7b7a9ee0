import torch
from torch import nn
from torch.distributions import Categorical, Normal

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, s):
        h = self.body(s)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


net = ActorCritic()
opt = torch.optim.Adam(net.parameters(), lr=3e-4)
obs = torch.randn(12, 4)
with torch.no_grad():
    dist, values = net(obs)
    actions = dist.sample()
    old = dist.log_prob(actions)
rewards = torch.rand(12)
adv = torch.zeros(12)
last = 0.0
for t in reversed(range(12)):
    nxt = values[t + 1] if t < 11 else 0.0
    delta = rewards[t] + 0.99 * nxt - values[t]
    adv[t] = last = delta + 0.99 * 0.95 * last
returns = adv + values
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
for epoch in range(2):
    for idx in torch.randperm(12).split(4):
        dist, v = net(obs[idx])
        ratio = (dist.log_prob(actions[idx]) - old[idx]).exp()
        clipped = torch.clamp(ratio, 0.8, 1.2) * adv[idx]
        policy = -torch.min(ratio * adv[idx], clipped).mean()
        value = 0.5 * (returns[idx] - v).pow(2).mean()
        loss = policy + 0.5 * value - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        opt.step()

actor = nn.Linear(4, 2)
q = nn.Linear(5, 1)
q_target = nn.Linear(5, 1).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
opts = [torch.optim.Adam(actor.parameters()), torch.optim.Adam(q.parameters()), torch.optim.Adam([log_alpha])]


def act(s):
    mean, log_std = actor(s).chunk(2, dim=-1)
    d = Normal(mean, log_std.clamp(-5, 2).exp())
    u = d.rsample()
    a = torch.tanh(u)
    logp = d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)
    return a, logp.sum(-1, keepdim=True)


for _ in range(2):
    s, a, r, s2, done = torch.randn(8, 4), torch.rand(8, 1), torch.rand(8, 1), torch.randn(8, 4), torch.zeros(8, 1)
    with torch.no_grad():
        a2, lp2 = act(s2)
        y = r + 0.99 * (1 - done) * (q_target(torch.cat([s2, a2], -1)) - log_alpha.exp() * lp2)
    q_loss = nn.functional.mse_loss(q(torch.cat([s, a], -1)), y)
    opts[1].zero_grad(); q_loss.backward(); opts[1].step()
    pa, lp = act(s)
    for p in q.parameters(): p.requires_grad = False
    pi_loss = (log_alpha.exp().detach() * lp - q(torch.cat([s, pa], -1))).mean()
    opts[0].zero_grad(); pi_loss.backward(); opts[0].step()
    for p in q.parameters(): p.requires_grad = True
    alpha_loss = -(log_alpha * (lp + -1.0).detach()).mean()
    opts[2].zero_grad(); alpha_loss.backward(); opts[2].step()
print(loss.item(), alpha_loss.item())
