"""A tiny transformer: modules as groups.

Two blocks of attention and feed-forward read 12 tokens and guess the next one. Fold and open
the groups: the graph has a hundred nodes, and reads as an embedding, two blocks and a head.
"""

import torch
from torch import nn


class Block(nn.Module):
    """Attention over the tokens before, then a feed-forward layer; both added to what came in."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(2))
        mask = torch.full((length, length), float("-inf")).triu(1)
        attention = torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + mask, dim=-1)
        x = x + self.out((attention @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class TinyTransformer(nn.Module):
    def __init__(self, words: int = 16, length: int = 12, width: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.position = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


torch.manual_seed(0)
model = TinyTransformer()
tokens = torch.randint(0, 16, (4, 13))
logits = model(tokens[:, :-1])
loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
loss.backward()
print(f"loss {loss.item():.3f}, {sum(p.grad is not None for p in model.parameters())} gradients")
