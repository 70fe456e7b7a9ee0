"""A custom backward returns None for a parameter that gets its gradient from nowhere else."""
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(x, s)
        return x * s
    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        gx = g * s
        return gx, None  # finds: custom-backward-missing-grad
torch.manual_seed(0)
x = torch.randn(4)
s = torch.ones(1, requires_grad=True)
lin = torch.nn.Linear(4, 1)
loss = Scale.apply(lin.weight * x, s).sum()
loss.backward()
print(s.grad)
