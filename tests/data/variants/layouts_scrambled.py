"""Views where dimensions had to change places: heads merged, channels first, both directions of a recurrent layer."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
B, T, D, H = 4, 6, 12, 3
x = torch.randn(B, T, D)
q, k, v, out = (nn.Linear(D, D) for _ in range(4))
hq, hk, hv = (f(x).view(B, T, H, D // H).transpose(1, 2) for f in (q, k, v))
mixed = F.scaled_dot_product_attention(hq, hk, hv)
merged = out(mixed.contiguous().view(B, T, D))  # finds: layout-scramble
flat = out(torch.reshape(mixed, (B * T, D)))  # finds: layout-scramble

photos = torch.rand(2, 8, 8, 3)
features = nn.Conv2d(3, 4, 3)((photos / 255).view(2, 3, 8, 8))  # finds: layout-scramble

gru = nn.GRU(D, 8, bidirectional=True, batch_first=True)
_, last = gru(x[:3])
classes = nn.Linear(16, 5)(last.view(3, -1))  # finds: layout-scramble

scores = nn.Conv1d(D, 5, 1)(x.transpose(1, 2))
loss = F.cross_entropy(scores.reshape(-1, 5), torch.randint(0, 5, (B * T,)))  # finds: layout-scramble

(loss + merged.mean() + flat.mean() + features.mean() + classes.pow(2).mean()).backward()
