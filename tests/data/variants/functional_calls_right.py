"""torch.nn.functional with tensors of one's own, all of them fitting; one that doesn't is tried and given up."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(4, 6, requires_grad=True)
w = torch.randn(5, 3)
try:
    y = F.linear(x, w)
except RuntimeError:
    w = torch.randn(5, 6, requires_grad=True)
    y = F.linear(x, w, torch.zeros(5))
y = F.layer_norm(y, y.shape[-1:], torch.ones(5), torch.zeros(5))
y = F.batch_norm(y, torch.zeros(5), torch.ones(5), training=True)
y = F.group_norm(y[:, :4, None], 2, torch.ones(4))
image = torch.randn(2, 4, 8, 8)
kernel = torch.randn(4, 2, 3, 3, requires_grad=True)
z = F.conv2d(image, kernel, groups=2, padding=1)
table = torch.randn(10, 3, requires_grad=True)
rows = F.embedding(torch.tensor([0, 9]), table)
(y.pow(2).sum() + z.pow(2).sum() + rows.pow(2).sum()).backward()
