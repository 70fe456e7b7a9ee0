"""A transformer encoder of 12 layers (Vaswani et al., 2017; norms first), trained to fill in words that were masked.

The mistake: dropout of the attention, written by hand, changes the weights in place. The softmax needs its own result
in backward, and finds it changed. `--healthy` makes new ones.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.proj = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.q(x), self.k(x), self.v(x)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in (q, k, v))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        weights, kept = scores.softmax(-1), torch.rand_like(scores) > 0.1
        if HEALTHY:
            weights = weights * kept
        else:
            weights *= kept
        return self.proj((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.attn = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self, words: int, length: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens) + self.position(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


torch.manual_seed(0)
MASK, WORDS = 0, 1000
model = Encoder(WORDS, length=64, width=256, heads=8, layers=12)
tokens = torch.randint(1, WORDS, (4, 64))
hidden = torch.rand(4, 64) < 0.15

scores = model(tokens.masked_fill(hidden, MASK))
loss = nn.functional.cross_entropy(scores[hidden], tokens[hidden])
loss.backward()
print(f"loss {loss.item():.3f}")
