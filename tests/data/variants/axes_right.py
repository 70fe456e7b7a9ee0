"""Softmax, views and products whose dimensions are meant as they are, though some look like slips."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
B, T, D, H = 4, 6, 12, 3
DH = D // H
x = torch.randn(B, T, D)
to_qkv, out = nn.Linear(D, 3 * D), nn.Linear(D, D)
losses = []


def heads(t):
    return t.view(B, T, H, DH).transpose(1, 2)


q, k, v = (heads(t) for t in to_qkv(x).chunk(3, dim=-1))

# attention, its weights dropped out, masked and sliced
scores = (q @ k.mT / DH**0.5).masked_fill(torch.ones(T, T).triu(1).bool(), -1e9)
weights = F.dropout(scores.softmax(-1), 0.1)
losses.append(out((weights @ v).transpose(1, 2).reshape(B, T, D)).mean())
losses.append((weights[..., :2] @ v[:, :, :2]).mean())
losses.append(out((weights @ v).permute(0, 2, 1, 3).contiguous().view(B * T, D)).mean())

# keys first, the weights on the right or turned
keys_first = (k @ q.mT).softmax(dim=-2)
losses.append((v.mT @ keys_first).mean() + (keys_first.mT @ v).mean())
heads_last = torch.einsum("bhqd,bhkd->bqkh", q, k).softmax(dim=2)
losses.append(torch.einsum("bqkh,bhkd->bqhd", heads_last, v).mean())

# linear attention, double attention, external attention
context = k.softmax(dim=-2).mT @ v
losses.append((q.softmax(dim=-1) @ context).mean())
outside = nn.Linear(D, 8)(x).softmax(dim=1)
losses.append(nn.Linear(8, D)(outside / outside.sum(dim=2, keepdim=True)).mean())

# slots compete for inputs: renormalised, or summed as they are
slots = nn.Parameter(torch.randn(5, D))
slot_q, slot_k, slot_v = nn.Linear(D, D)(slots), nn.Linear(D, D)(x), nn.Linear(D, D)(x)
shared_out = (slot_q @ slot_k.mT).softmax(dim=1)
losses.append((shared_out @ slot_v).mean())
losses.append(((shared_out / shared_out.sum(-1, keepdim=True)) @ slot_v).mean())
competing = (to_qkv(x)[..., :D] @ to_qkv(x)[..., D : 2 * D].mT).softmax(dim=1)
competing = competing / competing.sum(dim=-1, keepdim=True)
losses.append((competing @ to_qkv(x)[..., 2 * D :]).mean())

# views weighed against each other, then summed
across = (q @ k.mT).softmax(dim=1)
losses.append((across @ v).sum(dim=1).mean())

# capsules: routing over the capsules above
votes = nn.Linear(D, 5 * 4)(x).view(B, T, 5, 4).transpose(1, 2)
agreement = votes @ votes.mean(2, keepdim=True).mT
losses.append((agreement.softmax(dim=1).mT @ votes).mean())

# gates of a mixture, pooling by weights, clusters of a graph, an adjacency that is learnt
experts = torch.stack([nn.Linear(D, D)(x) for _ in range(4)], dim=2)
losses.append((nn.Linear(D, 4)(x).softmax(-1).unsqueeze(-1) * experts).sum(2).mean())
pool = nn.Linear(D, 1)(x).softmax(dim=1)
losses.append(torch.bmm(pool.mT, x).mean() + torch.einsum("bto,btd->bd", pool, x).mean())
adjacency = torch.rand(B, T, T)
clusters = (adjacency @ nn.Linear(D, T)(x)).softmax(dim=-1)
losses.append((clusters.mT @ out(x)).mean())
left, right = nn.Parameter(torch.randn(T, 5)), nn.Parameter(torch.randn(5, T))
learnt = F.softmax(torch.relu(left @ right), dim=1)
losses.append(torch.einsum("bvd,vw->bwd", out(x), learnt).mean())

# images: pixel shuffle by hand, channels shuffled, patches, windows of the whole image
img = nn.Conv2d(3, 8, 3, padding=1)(torch.randn(2, 3, 8, 8))
losses.append(nn.Conv2d(2, 2, 1)(img.view(2, 2, 2, 2, 8, 8).permute(0, 1, 4, 2, 5, 3).reshape(2, 2, 16, 16)).mean())
losses.append(nn.Conv2d(8, 8, 1)(img.view(2, 2, 4, 8, 8).transpose(1, 2).contiguous().view(2, 8, 8, 8)).mean())
patches = img.view(2, 8, 4, 2, 4, 2).permute(0, 2, 4, 1, 3, 5).reshape(2, 16, 32)
losses.append(nn.Linear(32, 8)(patches).mean())
unfolded = F.unfold(img, 3, padding=1).transpose(1, 2)
losses.append(nn.Linear(72, 8)(unfolded).transpose(1, 2).view(2, 8, 8, 8).mean())
nhwc = img.permute(0, 2, 3, 1)
windows = nhwc.reshape(2, 1, 8, 1, 8, 8).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 8, 8, 8)
losses.append(nn.Linear(8, 8)(windows.view(-1, 64, 8)).mean())

# heads merged into channels, sizes that agree by chance: 16 channels, 4 heads of 4, 16 places in 4 rows
grid = nn.Conv2d(3, 16, 1)(torch.randn(2, 3, 4, 4))
by_head = grid.view(2, 4, 4, 16)
losses.append(nn.Conv2d(16, 4, 1)((by_head * by_head.softmax(-1)).view(2, 16, 4, 4)).mean())
bytes_of_images = torch.randint(0, 255, (2, 3 * 8 * 8)).float()
losses.append(nn.Conv2d(3, 4, 1)(bytes_of_images.view(2, 3, 8, 8)).mean())

# the relative shift of Transformer-XL
distance = (q @ k.mT)[0]
shifted = F.pad(distance, (1, 0)).view(H, T + 1, T)[:, 1:]
losses.append(shifted.softmax(-1).mean() + (shifted @ v[0]).mean())

# batch and heads in one dimension; rows for a loss; squares; dimensions of size 1
time_first = out(x).transpose(0, 1).contiguous().view(T, B * H, DH).transpose(0, 1)
attended = (time_first @ time_first.mT).softmax(-1) @ time_first
losses.append(out(attended.transpose(0, 1).contiguous().view(T, B, D)).mean())
logits = nn.Linear(D, 5)(x)
losses.append(F.cross_entropy(logits.view(-1, 5), torch.randint(0, 5, (B * T,))))
square = nn.Linear(D, T)(x)
losses.append((square.view(B, T, T) @ x).mean() + nn.Linear(T, 2)(square.view(B * T, 1, T)).mean())
hidden = nn.LSTM(D, 8, bidirectional=True, batch_first=True)(x)[1][0]
losses.append(nn.Linear(16, 2)(hidden.transpose(0, 1).reshape(B, 16)).mean())

# a parameter has no layout but the one in which it's read
free, table = nn.Parameter(torch.randn(2, 3, 8)), nn.Parameter(torch.randn(5, T))
losses.append((free.view(3, 16) @ torch.randn(16, 2)).mean() + (table.view(T, 5) @ torch.randn(5, 2)).mean())

torch.stack(losses).sum().backward()
