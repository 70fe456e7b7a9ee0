"""Nested np.outer with a constant factor: it raises one node later than it goes wrong.

The outer call's gradient has the wrong shape, (N·N,) for an array of shape (N, N). Nothing compares
the two, so it is handed on, and the inner call, which is innocent, raises.
"""

import autograd.numpy as np
from autograd import grad

N = 100
rng = np.random.RandomState(0)
T = rng.normal(size=(N, N, N))
weights = np.linspace(0.5, 1.5, N)


def distance(X):
    pairs = np.outer(X, X)
    Y = np.outer(pairs, weights)
    return np.linalg.norm(T - np.reshape(Y, (N, N, N)))


X = rng.normal(size=N)
print(grad(distance)(X).shape)
