"""A function of one's own: backward returns its gradients in the wrong order.

backward() of a custom function returns one gradient for each argument of forward(), in the same
order, each in the shape of its argument. This one returns the gradient of scale first: x of
shape (4, 3) is handed a gradient of shape (3,).
"""

import torch


class Scale(torch.autograd.Function):
    """x times a row of scales."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return (grad_output * x).sum(0), grad_output * scale


torch.manual_seed(0)
x = torch.randn(4, 3, requires_grad=True)
scale = torch.ones(3, requires_grad=True)
Scale.apply(x, scale).sum().backward()
print(scale.grad)
