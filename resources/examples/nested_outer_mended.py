"""Nested np.outer, mended: the inner product is flattened before the outer call gets it.

np.ravel has a gradient of its own, which brings (N·N,) back to (N, N).
"""

import autograd.numpy as np
from autograd import grad

N = 100
rng = np.random.RandomState(0)
T = rng.normal(size=(N, N, N))


def distance(X):
    Y = np.outer(np.ravel(np.outer(X, X)), X)
    return np.linalg.norm(T - np.reshape(Y, (N, N, N)))


X = rng.normal(size=N)
print(grad(distance)(X).shape)
