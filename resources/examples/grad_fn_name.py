"""What a grad_fn is: the node that knows the way back.

Every result of an operation carries one, named after the operation: x² made a PowBackward0. The
boxes of the graph are these nodes.
"""

import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2
y.backward()
print(type(y.grad_fn).__name__, x.grad)
