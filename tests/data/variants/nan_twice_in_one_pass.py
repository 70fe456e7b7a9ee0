"""Two slopes without bound in one pass, of leaves that have nothing to do with each other."""

import torch

a = torch.tensor([0.0, 4.0], requires_grad=True)
b = torch.tensor([0.0, 1.0], requires_grad=True)
length = torch.sqrt(a).sum()  # finds: non-finite-gradient
entropy = -(b * torch.log(b)).sum()  # finds: non-finite-gradient
(length + entropy).backward()
