import torch

x = torch.tensor(3.0, requires_grad=True)
x.backward()
print(x.grad)
with torch.no_grad():
    start = torch.randn(3)
scale = start.abs().max().requires_grad_()
scale.backward()
print(scale.grad)
