"""Changed in place: the way back needs a value that is no longer there.

sigmoid keeps its own output, since the slope is s · (1 − s). The next line overwrites that
output.
"""

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
s = torch.sigmoid(x)
s.mul_(2)
s.sum().backward()
print(x.grad)
