import torch
from torch import nn


class Pooling(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, tokens, valid):
        raw = self.score(tokens).squeeze(-1).masked_fill(~valid, float("-inf"))
        weights = torch.softmax(raw, dim=1)  # finds: non-finite-gradient
        return (weights.unsqueeze(-1) * tokens).sum(1)


torch.manual_seed(0)
pool = Pooling(4)
tokens = torch.randn(3, 5, 4, requires_grad=True)
valid = torch.ones(3, 5, dtype=torch.bool)
valid[1] = False
out = pool(tokens, valid)
out.pow(2).mean().backward()
