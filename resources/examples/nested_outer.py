"""HIPS autograd: 'shapes not aligned' from nested np.outer.

A vector X is fitted so that the array x_i x_j x_k matches a given one. The value is right. grad()
raises deep inside numpy: np.outer flattens what it is given, and its gradient forgets to undo that.
The target T, a global, has nothing to do with it.
"""

import autograd.numpy as np
from autograd import grad

N = 100
rng = np.random.RandomState(0)
T = rng.normal(size=(N, N, N))


def distance(X):
    Y = np.outer(np.outer(X, X), X)
    return np.linalg.norm(T - np.reshape(Y, (N, N, N)))


X = rng.normal(size=N)
print(grad(distance)(X).shape)
