import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.randn(5, 3)
for number in range(8):
    y = x @ w
    loss = (y**2).mean()
    if number == 2:
        loss = loss + torch.sqrt(y - y).sum()  # finds: non-finite-gradient
    else:
        loss = loss + torch.log(y * y + 1).sum()
    if number % 2:
        loss.backward()
        gradient = w.grad
    else:
        (gradient,) = torch.autograd.grad(loss, w)
    w = (w - 0.1 * gradient).detach().requires_grad_()
