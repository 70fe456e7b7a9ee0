"""Healthy: manual SGD done right, clamps, straight-through rounding, frozen backbone, unused head, masked mean."""
import torch
from torch import nn

torch.manual_seed(0)
w = torch.randn(4, requires_grad=True)
x, y = torch.randn(16, 4), torch.randn(16)
for _ in range(3):
    ((x @ w - y) ** 2).mean().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()


class Quant(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Parameter(torch.tensor(0.1))

    def forward(self, v):
        q = torch.round(v / self.step).clamp(-8, 7)
        return v + (q * self.step - v).detach() + 0 * self.step


backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU()).requires_grad_(False)
heads = nn.ModuleDict({"a": nn.Linear(8, 3), "b": nn.Linear(8, 2)})
quant = Quant()
opt = torch.optim.SGD([p for p in [*heads.parameters(), *quant.parameters()]], lr=0.1)
for _ in range(2):
    feats = quant(backbone(x))
    logits = heads["a"](feats)
    mask = (torch.arange(16) % 3 != 0).float()
    losses = nn.functional.cross_entropy(logits, torch.randint(0, 3, (16,)), reduction="none")
    loss = (losses * mask).sum() / mask.sum().clamp(min=1)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
