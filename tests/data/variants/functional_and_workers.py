import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, stack_module_state, vmap
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randint(0, 30, (int(i) % 4 + 1,), generator=g), float(i % 2)


def collate(batch):
    lengths = torch.tensor([0] + [len(w) for w, _ in batch[:-1]]).cumsum(0)
    return torch.cat([w for w, _ in batch]), lengths, torch.tensor([y for _, y in batch])


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(30, 6, mode="mean", sparse=True)
        self.out = nn.Linear(6, 1)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets)).squeeze(1)


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s)
        ctx.beta = beta
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s + ctx.beta * x * s * (1 - s)), None


def main():
    torch.manual_seed(0)
    model = Bag()
    dense, sparse = torch.optim.Adam(model.out.parameters()), torch.optim.SparseAdam(list(model.bag.parameters()))
    for ids, offsets, y in DataLoader(Words(), batch_size=4, num_workers=2, collate_fn=collate):
        loss = nn.functional.binary_cross_entropy_with_logits(model(ids, offsets), y)
        dense.zero_grad(); sparse.zero_grad()
        loss.backward()
        dense.step(); sparse.step()

    x = torch.randn(5, requires_grad=True)
    Swish.apply(x, 1.5).sum().backward()

    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    params = dict(net.named_parameters())
    one = lambda p, a, b: nn.functional.mse_loss(functional_call(net, p, (a,)).squeeze(-1), b)
    per_sample = vmap(grad(one), in_dims=(None, 0, 0))(params, torch.randn(6, 3), torch.randn(6))
    H = hessian(lambda v: (v ** 3).sum())(torch.ones(3))
    J = jacrev(lambda v: torch.sin(v) * v.sum())(torch.ones(3))
    models = [nn.Linear(3, 1) for _ in range(2)]
    stacked, buffers = stack_module_state(models)
    out = vmap(lambda p, b, a: functional_call(models[0], (p, b), (a,)), in_dims=(0, 0, None))(stacked, buffers, torch.randn(4, 3))
    out.mean().backward()
    print(loss.item(), {k: v.shape for k, v in per_sample.items()}, H.shape, J.shape)


if __name__ == "__main__":
    main()
