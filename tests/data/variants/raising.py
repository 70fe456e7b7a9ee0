"""Programs that raise, a function each, and are caught. The line that a finding has to name ends in its rule."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
X = torch.randn(6, 4)  # finds: hook-on-no-grad
net = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 2))


def scalar_with_vector_seed():
    out = net(X).sum()
    out.backward(torch.ones(6))  # finds: seed-shape-mismatch
def vector_seed_short():
    y = net(X)
    y.backward(torch.tensor([1.0, 1.0, 1.0]))  # finds: seed-shape-mismatch
def grad_outputs_list():
    x = torch.randn(3, requires_grad=True)
    y, z = x * 2, x.sum()
    torch.autograd.grad([y, z], x, grad_outputs=[torch.ones(3), torch.ones(3)])  # finds: seed-shape-mismatch
def none_and_seed():
    x = torch.randn(3, requires_grad=True)
    y = x * 2
    torch.autograd.grad([y, x.sum()], x, grad_outputs=[None, None])  # finds: implicit-non-scalar
def jac_loop():
    x = torch.randn(3, requires_grad=True)
    y = x ** 2
    torch.autograd.grad(y, x)  # finds: implicit-non-scalar
def too_many_seeds():
    x = torch.randn(3, requires_grad=True)
    y = x.sum()
    torch.autograd.grad(y, x, grad_outputs=[torch.ones(()), torch.ones(())])  # finds: seed-count-mismatch
def twice():
    loss = net(X).pow(2).mean()
    loss.backward()  # finds: freed-graph
    loss.backward()
def two_losses():
    h = net(X)
    a = h.pow(2).mean()
    b = h.exp().mean()
    a.backward()  # finds: freed-graph
    b.backward()
def loop_hidden():
    cell = nn.GRUCell(4, 3)
    h = torch.zeros(6, 3)
    for _ in range(3):
        h = cell(X, h)  # finds: hidden-not-detached
        h.pow(2).mean().backward()
def loop_hidden2():
    W = torch.randn(3, 3, requires_grad=True)
    state = torch.zeros(3)
    for t in range(3):
        new = torch.tanh(W @ state + X[t, :3])  # finds: hidden-not-detached
        loss = new.pow(2).sum()
        loss.backward()
        state = new
def reg_outside():
    w = nn.Linear(4, 1)
    reg = w.weight.pow(2).sum()  # finds: freed-graph
    for _ in range(2):
        loss = w(X).mean() + 0.1 * reg
        loss.backward()
def gan():
    G, D = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
    fake = torch.tanh(G(torch.randn(6, 2)))
    d = D(X).mean() - D(fake).mean()
    d.backward()  # finds: freed-graph
    g = -D(fake).mean()
    g.backward()
def inplace_exp():
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    y.add_(1)  # finds: inplace-modified
    y.sum().backward()
def inplace_mul():
    a = torch.randn(3, requires_grad=True)
    b = a.clone()
    c = b * b
    b[0] = 5.0  # finds: inplace-modified
    c.sum().backward()
def inplace_view():
    x = torch.randn(3, 4, requires_grad=True)
    y = torch.sigmoid(x)
    y[:, 0].zero_()  # finds: inplace-modified
    y.sum().backward()
def opt_between():
    lin = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 1))
    opt = torch.optim.SGD(lin.parameters(), lr=0.1)
    l1, l2 = lin(X).mean(), lin(X).pow(2).mean()
    l1.backward(retain_graph=True)
    opt.step()  # finds: inplace-modified
    l2.backward()
def relu_inplace():
    h = torch.sigmoid(nn.Linear(4, 3)(X))
    r = nn.ReLU(inplace=True)(h)
    h -= 1.0  # finds: inplace-modified
    (r * 2).sum().backward()
def leaf():
    w = torch.zeros(3, requires_grad=True)
    w.add_(1)  # finds: inplace-on-leaf
def leaf_slice():
    w = torch.zeros(3, requires_grad=True)
    w[0] = 1.0  # finds: inplace-on-leaf
def chunk():
    a, b = (X.clone().requires_grad_() * 1).chunk(2)
    a += 1  # finds: inplace-on-view
def never():
    x = torch.tensor([1.0, 2.0])  # finds: detached
    y = (x ** 2).sum()
    y.backward()
def nograd():
    with torch.no_grad():  # finds: detached
        loss = net(X).mean()
    loss.backward()
def argmax():
    pred = net(X).argmax(1)  # finds: detached
    loss = (pred.float() - 1).pow(2).mean()
    loss.backward()
def retensor():
    a = net(X).mean()
    loss = torch.tensor(a.item() * 2)  # finds: detached
    loss.backward()
def retensor2():
    losses = []
    for i in range(3):
        losses.append(net(X[i]).mean().item())  # finds: detached
    torch.tensor(losses).mean().backward()
def rewrap():
    h = net(X)
    h = torch.tensor(h.tolist(), requires_grad=False)  # finds: detached
    F.mse_loss(h, torch.zeros(6, 2)).backward()
def frozen():
    m = nn.Linear(4, 1)
    m.requires_grad_(False)  # finds: detached
    m(X).mean().backward()
def second_order():
    x = torch.randn(3, requires_grad=True)
    (g,) = torch.autograd.grad((x ** 3).sum(), x)  # finds: missing-create-graph
    g.sum().backward()
def unused():
    a, b = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
    torch.autograd.grad((a * 2).sum(), [a, b])  # finds: unused-input
def cat_dims(): torch.cat([X, X[:, :2]], dim=0)  # finds: forward-shape-error
def stack_dims(): torch.stack([X, X[:3]])  # finds: forward-shape-error
def mm(): X @ X  # finds: forward-shape-error
def bmm(): torch.bmm(X[None], X[None])  # finds: forward-shape-error
def ein(): torch.einsum("ij,jk->ik", X, X)  # finds: forward-shape-error
def reshape(): X.reshape(5, 5)  # finds: forward-shape-error
def bn(): nn.BatchNorm1d(5)(X)  # finds: forward-shape-error
def ln(): nn.LayerNorm(5)(X)  # finds: forward-shape-error
def lstm(): nn.LSTM(5, 3, batch_first=True)(X[None])  # finds: forward-shape-error
def mha(): nn.MultiheadAttention(8, 2)(X[None], X[None], X[None])  # finds: forward-shape-error
def conv(): nn.Conv2d(3, 4, 3)(torch.randn(2, 1, 8, 8))  # finds: forward-shape-error
def convsmall(): nn.Conv2d(1, 4, 9)(torch.randn(2, 1, 8, 8))  # finds: forward-shape-error
def conv1(): nn.Conv1d(4, 4, 3)(torch.randn(2, 8, 4))  # finds: forward-shape-error
def ce(): F.cross_entropy(net(X), torch.zeros(5, dtype=torch.long))  # finds: forward-shape-error
def bce(): F.binary_cross_entropy(torch.sigmoid(net(X)), torch.zeros(6))  # finds: forward-shape-error
def squeeze(): X.squeeze(5)  # finds: forward-shape-error
def permute(): X.permute(0, 2, 1)  # finds: forward-shape-error
def index2(): X[0, 0, 0]  # finds: forward-shape-error
def maskshape(): X[torch.ones(5, dtype=torch.bool)]  # finds: forward-shape-error
def emb(): nn.Embedding(5, 3)(torch.tensor([1, 5]))  # finds: index-out-of-range
def cls(): F.cross_entropy(net(X), torch.full((6,), 2))  # finds: index-out-of-range
def gather(): X.gather(1, torch.full((6, 1), 4))  # finds: index-out-of-range
def idx(): X[7]  # finds: index-out-of-range
def dt1(): net(X.double())  # finds: dtype-mismatch
def dt2(): F.cross_entropy(net(X), torch.zeros(6))  # finds: dtype-mismatch
def dt3(): torch.tensor([1, 2], requires_grad=True)  # finds: dtype-mismatch
def dt4(): nn.Embedding(5, 3)(torch.tensor([1.0]))  # finds: dtype-mismatch
def dt5(): X @ X.t().long()  # finds: dtype-mismatch
def dt6(): torch.arange(3).mean()  # finds: dtype-mismatch
def dt7(): F.binary_cross_entropy_with_logits(net(X), torch.zeros(6, 2, dtype=torch.long)); F.mse_loss(X, X.long()).backward(); F.nll_loss(net(X), torch.zeros(6, dtype=torch.int32))  # finds: dtype-mismatch
def np1(): net(X).numpy()  # finds: detached
def hook(): X.register_hook(lambda g: g)
def hook2():
    y = net(X)
    y.register_hook(lambda g: g[:1])  # finds: hook-wrong-shape
    y.sum().backward()


for name, f in list(globals().items()):
    if callable(f) and getattr(f, "__module__", "") == "__main__":
        try:
            f()
        except Exception as e:
            pass
        else:
            print("did not raise:", name)
