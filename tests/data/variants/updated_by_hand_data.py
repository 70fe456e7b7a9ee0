import torch

torch.manual_seed(0)
coeffs = torch.randn(3, requires_grad=True)
grid = torch.linspace(-1, 1, 20)
wanted = torch.sin(grid)
for it in range(3):
    fit = coeffs[0] + coeffs[1] * grid + coeffs[2] * grid ** 2
    error = (fit - wanted).square().mean()
    error.backward()
    coeffs = coeffs.data - 0.05 * coeffs.grad  # finds: detached
