"""A second backward pass: the first one has freed the graph.

x² needs its input for the way back. The first pass uses that saved tensor and lets it go, to
save memory; the second one finds nothing there.
"""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
y.backward(torch.tensor([1.0, 0.0]))
print(x.grad)
x.grad = None
y.backward(torch.tensor([0.0, 1.0]))
print(x.grad)
