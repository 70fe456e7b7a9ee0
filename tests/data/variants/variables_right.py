"""Old code that is right: inputs wrapped, a leaf of one's own, gradients handed on by hand, weights taken over."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(Variable(x)), Variable(y, requires_grad=False))
    loss.backward()
    optimizer.step()

attacked = Variable(x, requires_grad=True)
for _ in range(3):
    net(attacked).pow(2).mean().backward()
    attacked = Variable(attacked.data + 0.1 * attacked.grad.sign(), requires_grad=True)

encoder = nn.Linear(4, 3)
hidden = encoder(x)
for copied in (Variable(hidden.data, requires_grad=True), torch.tensor(hidden.tolist(), requires_grad=True)):
    copied.pow(2).sum().backward()
    hidden.backward(copied.grad, retain_graph=True)

weight = nn.Parameter(net.weight)
(x @ weight.t()).sum().backward()

image = nn.Parameter(torch.randn(8, 4))
(encoder(image) - Variable(encoder(x).data)).pow(2).mean().backward()

stacked = torch.stack([each.weight for each in (nn.Linear(4, 1), nn.Linear(4, 1))]).detach().requires_grad_()
(stacked @ x.t()).mean().backward()
stacked.pow(2).sum().backward()
