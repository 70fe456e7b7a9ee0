"""Pairwise distances hold the distance of each point to itself, and the slope of the root is infinite there."""
import torch
torch.manual_seed(0)
a = torch.randn(4, 3, requires_grad=True)
diff = a[:, None, :] - a[None, :, :]
dist = diff.pow(2).sum(-1).sqrt()  # finds: non-finite-gradient
dist.mean().backward()
