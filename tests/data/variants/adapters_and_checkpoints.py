import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class LoRALinear(nn.Module):
    def __init__(self, base, r=2, alpha=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(r, base.in_features) * 0.02)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scale


class RMSNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).type_as(x) * self.g


torch.manual_seed(0)
blocks = nn.ModuleList(nn.Sequential(RMSNorm(8), LoRALinear(nn.Linear(8, 8)), nn.SiLU()) for _ in range(3))
head = nn.Linear(8, 3)
params = [p for m in (blocks, head) for p in m.parameters() if p.requires_grad]
opt = torch.optim.AdamW(params, lr=1e-2)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for step in range(3):
    x, y = torch.randn(5, 8), torch.randint(0, 3, (5,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = x
        for block in blocks:
            h = h + checkpoint(block, h, use_reentrant=False)
        loss = nn.functional.cross_entropy(head(h).float(), y)
    opt.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    scaler.step(opt)
    scaler.update()
seq = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(4)])
z = torch.randn(2, 8, requires_grad=True)
checkpoint_sequential(seq, 2, z, use_reentrant=False).sum().backward()
print(loss.item(), z.grad.shape)
