"""Numbers, lists and arrays where the gradient of the output, a tensor, is due."""

import numpy as np
import torch

x = torch.ones(3, requires_grad=True)


def number():
    loss = (x * 2).sum()
    loss.backward(1.0)  # finds: seed-wrong-type


def number_for_a_vector():
    y = x * 2
    y.backward(gradient=1)  # finds: seed-wrong-type


def number_of_numpy():
    loss = (x * 2).sum()
    loss.backward(np.float32(0.5))  # finds: seed-wrong-type


def flag():
    (x * 2).sum().backward(True)  # finds: seed-wrong-type


def numbers():
    y = x * 2
    y.backward(gradient=[1.0, 1.0, 1.0])  # finds: seed-wrong-type


def array():
    y = x * 2
    y.backward(np.ones(3))  # finds: seed-wrong-type


def among_others():
    y = x * 2
    torch.autograd.backward([y, y * 2], [torch.ones(3), [1.0, 1.0, 1.0]])  # finds: seed-wrong-type


def of_grad():
    y = x * 2
    torch.autograd.grad(y, x, grad_outputs=1.0)  # finds: seed-wrong-type


def one_of_grad():
    y = x * 2
    torch.autograd.grad([y.sum(), y], x, grad_outputs=[None, 2.0])  # finds: seed-wrong-type


def network():
    net = torch.nn.Linear(3, 1)
    net(x).sum().backward(net)  # finds: seed-wrong-type


def right():
    y = x * 2
    y.backward([torch.ones(3)])
    torch.autograd.grad((x * 2).sum(), x, grad_outputs=(None,))


for each in (number, number_for_a_vector, number_of_numpy, flag, numbers, array, among_others, of_grad, one_of_grad):
    try:
        each()
    except TypeError as error:
        print(error)
try:
    network()
except TypeError as error:
    print(error)
right()
