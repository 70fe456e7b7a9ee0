"""x_i x_j x_k by einsum: the formula as it is written, and its gradient is three einsums more."""

import autograd.numpy as np
from autograd import grad

N = 100
rng = np.random.RandomState(0)
T = rng.normal(size=(N, N, N))


def distance(X):
    Y = np.einsum("i,j,k->ijk", X, X, X)
    return np.linalg.norm(T - Y)


X = rng.normal(size=N)
print(grad(distance)(X).shape)
