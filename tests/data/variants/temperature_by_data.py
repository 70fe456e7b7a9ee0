"""A temperature that is to be learned is read by .data."""
import torch
from torch import nn
torch.manual_seed(0)


class Score(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)
        self.temp = nn.Parameter(torch.tensor(1.0))

    def forward(self, u, v):
        return (self.emb(u) * self.emb(v)).sum(-1) / self.temp.data  # finds: detached


net = Score()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    u, v = torch.randint(0, 10, (6,)), torch.randint(0, 10, (6,))
    loss = nn.functional.binary_cross_entropy_with_logits(net(u, v), torch.rand(6).round())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(net.temp.item())
