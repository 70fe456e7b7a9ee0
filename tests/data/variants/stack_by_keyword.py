"""Tensors of two lengths, stacked by keyword."""

import torch

short = torch.ones(2, requires_grad=True)
long = torch.ones(3, requires_grad=True)
torch.stack(tensors=[long, short])  # finds: forward-shape-error
