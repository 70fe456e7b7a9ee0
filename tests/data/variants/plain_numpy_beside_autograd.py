"""A product by plain numpy in the midst of autograd's functions: it packs the traced values into objects."""

import autograd.numpy as np
import numpy as onp
from autograd import grad

X = onp.ones((4, 3))


def predicted(w):
    return 2.0 * w


def loss(w):
    p = onp.dot(X, predicted(w))  # finds: hips-plain-numpy
    centred = p - 1.0
    return np.mean(centred**2)


print(grad(loss)(np.ones(3)))
