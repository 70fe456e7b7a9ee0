"""F.linear takes its weight as (out, in); this one is (in, out)."""

import torch
import torch.nn.functional as F

features = torch.randn(8, 4)
weight = torch.randn(4, 3, requires_grad=True)
scores = F.linear(features, weight)  # finds: forward-shape-error
scores.sum().backward()
