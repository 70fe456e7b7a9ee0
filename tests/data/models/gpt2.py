"""GPT-2, the small one (Radford et al., 2019): 12 layers of width 768, 12 heads, 50,257 words, head and embedding tied.

The mistake: prompts of unequal length are padded on the left, and padding is masked with −inf. A token that sees only
padding has a row of nothing but −inf, and the softmax of that is NaN. `--healthy` lets each token see itself.
"""

import sys

import torch
from torch import nn

HEALTHY = "--healthy" in sys.argv


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.c_attn(x).chunk(3, -1))
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        weights = torch.softmax(scores + mask, dim=-1)
        return self.c_proj((weights @ v).transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.c_proj(nn.functional.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(width), Attention(width, heads)
        self.ln_2, self.mlp = nn.LayerNorm(width), MLP(width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = x + self.attn(self.ln_1(x), mask)
        return x + self.mlp(self.ln_2(x))


class GPT2(nn.Module):
    def __init__(self, words: int = 50257, length: int = 1024, width: int = 768, heads: int = 12, layers: int = 12):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, width), nn.Embedding(length, width)
        self.h = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.lm_head.weight = self.wte.weight
        nn.init.normal_(self.wte.weight, std=0.02)

    def forward(self, tokens: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        length = tokens.shape[1]
        seen = torch.ones(length, length, dtype=torch.bool).tril() & real[:, None, None, :]
        if HEALTHY:
            seen = seen | torch.eye(length, dtype=torch.bool)
        mask = torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))
        x = self.wte(tokens) + self.wpe(torch.arange(length))
        for block in self.h:
            x = block(x, mask)
        return self.lm_head(self.ln_f(x))


torch.manual_seed(0)
model = GPT2()
tokens = torch.randint(0, 50257, (2, 17))
real = torch.arange(17) >= torch.tensor([[0], [5]])  # the second prompt is five tokens shorter

scores = model(tokens[:, :-1], real[:, :-1])
targets = tokens[:, 1:].masked_fill(~real[:, 1:], -100)
loss = nn.functional.cross_entropy(scores.flatten(0, 1), targets.flatten())
loss.backward()
print(f"loss {loss.item():.3f}")
