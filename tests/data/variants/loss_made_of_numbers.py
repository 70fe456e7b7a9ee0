import torch

torch.manual_seed(0)
weight = torch.ones(3, requires_grad=True)
total = 0.0
for batch in torch.randn(4, 3):
    total += (batch @ weight).pow(2).item()  # finds: detached
loss = torch.tensor(total, requires_grad=True)
loss.backward()
print(weight.grad)
