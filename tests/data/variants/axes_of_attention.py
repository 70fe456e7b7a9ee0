"""Attention whose softmax runs over the heads, over the batch or over the queries."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
B, T, D, H = 2, 7, 12, 4


class Attention(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.way = way
        self.q, self.k, self.v, self.out = (nn.Linear(D, D) for _ in range(4))
        self.soft = nn.Softmax(dim=1)  # finds: wrong-axis
        self.drop = nn.Dropout(0.1)

    def weights(self, scores):
        if self.way == "module":
            return self.soft(scores)
        if self.way == "function":
            return torch.softmax(scores, 1)  # finds: wrong-axis
        return F.softmax(scores)  # finds: wrong-axis

    def forward(self, x):
        q, k, v = (f(x).view(B, T, H, D // H).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * (D // H) ** -0.5
        seen = torch.ones(T, T).tril().bool()
        weights = self.drop(self.weights(scores.masked_fill(~seen, -1e9)))
        mixed = torch.einsum("bhij,bhjd->bihd", weights, v)
        return self.out(mixed.reshape(B, T, D))


class Single(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.qkv = nn.Linear(D, 3 * D)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = torch.bmm(q, k.transpose(1, 2))
        if self.dim == 0:
            return torch.bmm(F.softmax(scores, dim=0), v)  # finds: wrong-axis
        return torch.bmm(F.softmax(scores, dim=-2), v)  # finds: wrong-axis


parts = [Attention("module"), Attention("function"), Attention("none"), Single(0), Single(1)]
x = torch.randn(B, T, D)
sum(part(x).pow(2).mean() for part in parts).backward()
