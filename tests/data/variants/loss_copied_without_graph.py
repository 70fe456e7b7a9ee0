"""Old code and habits that make a new tensor of the loss: it asks for a gradient, and no parameter gets one."""

import torch
from torch import nn
from torch.autograd import Variable

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 1)


def variable():
    net = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss = Variable(loss, requires_grad=True)  # finds: detached
        loss.backward()
        optimizer.step()


def tensor():
    loss = nn.functional.mse_loss(nn.Linear(4, 1)(x), y)
    torch.tensor(loss, requires_grad=True).backward()  # finds: detached


def tensor_of_several():
    net = nn.Linear(4, 1)
    losses = [nn.functional.mse_loss(net(part), y[:4]) for part in x.split(4)]
    torch.tensor(losses, requires_grad=True).mean().backward()  # finds: detached


def new_tensor():
    loss = nn.functional.mse_loss(nn.Linear(4, 1)(x), y)
    (2 * loss.new_tensor(loss, requires_grad=True)).backward()  # finds: detached


def parameter():
    loss = nn.functional.mse_loss(nn.Linear(4, 1)(x), y)
    nn.Parameter(loss).backward()  # finds: detached


def number():
    loss = nn.functional.mse_loss(nn.Linear(4, 1)(x), y)
    torch.FloatTensor([loss]).requires_grad_().backward()  # finds: detached


def collected():
    net = nn.Linear(4, 1)
    losses = []
    for part in x.split(4):
        losses.append(nn.functional.mse_loss(net(part), y[:4]).detach())  # finds: detached
    torch.stack(losses).requires_grad_().mean().backward()


for each in (variable, tensor, tensor_of_several, new_tensor, parameter, number, collected):
    each()
