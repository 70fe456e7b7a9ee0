import torch


class LeakyClamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp, lo, hi):
        ctx.save_for_backward(inp)
        ctx.lo, ctx.hi = lo, hi
        return inp.clamp(lo, hi)

    @staticmethod
    def backward(ctx, grad):
        inp, = ctx.saved_tensors
        inside = (inp > ctx.lo) & (inp < ctx.hi)
        return grad[inside], None, None  # finds: custom-backward-wrong-shape


def squash(x):
    return LeakyClamp.apply(x, -1.0, 1.0)


x = torch.linspace(-2, 2, 8, requires_grad=True)
squash(x).sum().backward()
