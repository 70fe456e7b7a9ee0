"""x_i x_j x_k by broadcasting: three views of one vector, each along a dimension of its own."""

import autograd.numpy as np
from autograd import grad

N = 100
rng = np.random.RandomState(0)
T = rng.normal(size=(N, N, N))


def distance(X):
    Y = X[:, None, None] * X[None, :, None] * X
    return np.linalg.norm(T - Y)


X = rng.normal(size=N)
print(grad(distance)(X).shape)
