"""More programs that raise, a function each, and are caught: writes in place, seeds, cuts, layers."""
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
def a():
    x = torch.randn(4, requires_grad=True)
    y = torch.tanh(x)
    y[y > 0] = 0  # finds: inplace-modified
    y.sum().backward()
def b():
    x = torch.randn(4, requires_grad=True)
    y = x.exp()
    y /= y.sum()  # finds: inplace-modified
    y.pow(2).sum().backward()
def c():
    x = torch.randn(4, requires_grad=True)
    y = torch.sigmoid(x)
    F.relu(y, inplace=True)  # finds: inplace-modified
    (y * y).sum().backward()
def d():
    x = torch.randn(4, requires_grad=True)
    w = torch.randn(4)
    y = x * w
    w.mul_(2)  # finds: inplace-modified
    y.sum().backward()
def e():
    x = torch.randn(3, 4, requires_grad=True)
    s = torch.softmax(x, 1)
    for i in range(3):
        s[i, i] = 0  # finds: inplace-modified
    s.pow(2).sum().backward()
def f():
    h = torch.zeros(3, requires_grad=True) * 1
    W = torch.randn(3, 3, requires_grad=True)
    buf = torch.zeros(5, 3)
    for t in range(1, 5):
        buf[t] = torch.tanh(W @ buf[t - 1] + h)  # finds: inplace-modified
    buf.sum().backward()
def g():
    loss = torch.randn(3, requires_grad=True).pow(2).sum()
    loss.backward(torch.ones(1))  # finds: seed-shape-mismatch
def h():
    y = nn.Linear(2, 1)(torch.randn(5, 2))
    y.backward(torch.ones(y.shape[0]))  # finds: seed-shape-mismatch
def i():
    y = nn.Linear(2, 3)(torch.randn(5, 2))
    y[:, 1].backward()  # finds: implicit-non-scalar
def j():
    x = torch.randn(4, requires_grad=True)
    torch.autograd.grad(outputs=x ** 2, inputs=x)  # finds: implicit-non-scalar
def k():
    x = torch.randn(4, requires_grad=True)
    out = [x.sum(), x.pow(2)]
    torch.autograd.backward(out)  # finds: implicit-non-scalar
def l():
    x = torch.randn(4, requires_grad=True)
    y = (x.sum() > 0).float()  # finds: detached
    y.backward()
def m():
    x = torch.randn(4, requires_grad=True)
    y = torch.from_numpy(x.detach().numpy() * 2).sum()  # finds: detached
    y.backward()
def n():
    with torch.inference_mode():  # finds: detached
        z = nn.Linear(2, 1)(torch.randn(3, 2)).mean()
    z.backward()
@torch.no_grad()  # finds: detached
def pred(net, x):
    return net(x)
def o():
    pred(nn.Linear(2, 1), torch.randn(3, 2)).mean().backward()
def p():
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(3, 2)
    l1 = net(x).pow(2).mean()
    for i in range(2):
        l1.backward(retain_graph=True)
        opt.step()
def q():
    a, b = nn.Linear(2, 2), nn.Linear(2, 1)
    h = a(torch.randn(3, 2))
    g1 = torch.autograd.grad(b(h).mean(), a.parameters())  # finds: freed-graph
    b(h).pow(2).mean().backward()
def r():
    x = torch.randn(3, requires_grad=True)
    y = x.view(1, 3) @ torch.randn(4, 3)  # finds: forward-shape-error
def s():
    nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(10, 2))(torch.randn(1, 1, 8, 8))  # finds: forward-shape-error
def t():
    nn.MSELoss()(torch.randn(3, 2), torch.randn(3, 4))  # finds: forward-shape-error
def u():
    nn.CrossEntropyLoss()(torch.randn(3, 2, requires_grad=True), torch.tensor([[0], [1], [0]]))  # finds: forward-shape-error
def v():
    nn.BCELoss()(torch.rand(3, 1), torch.rand(3))  # finds: forward-shape-error
def ww():
    torch.randn(3, 4)[:, 5]  # finds: index-out-of-range
def xx():
    nn.GRUCell(3, 4)(torch.randn(2, 3), torch.randn(3, 4))  # finds: forward-shape-error
def yy():
    torch.nn.functional.interpolate(torch.randn(1, 3, 8), scale_factor=2, mode="bilinear")  # finds: forward-shape-error
def zz():
    torch.randn(2, 3).expand(4, 3)  # finds: forward-shape-error


for name, f in list(globals().items()):
    if callable(f) and getattr(f, "__module__", "") == "__main__" and name != "pred":
        torch.zeros(1)
        try:
            f()
        except Exception as error:
            pass
        else:
            print("did not raise:", name)
