"""A factor of a kernel, by plain numpy's linear algebra."""

import autograd.numpy as np
import numpy
from autograd import value_and_grad

x = np.linspace(0, 1, 8)
y = np.sin(6 * x)


def negative_log_likelihood(theta):
    far = x[:, None] - x[None, :]
    kernel = np.exp(-0.5 * far**2 / np.exp(theta[0]) ** 2) + np.exp(theta[1]) * np.eye(len(x))
    factor = numpy.linalg.cholesky(kernel)  # finds: hips-plain-numpy
    a = np.linalg.solve(factor, y)
    return 0.5 * np.dot(a, a) + np.sum(np.log(np.diag(factor)))


print(value_and_grad(negative_log_likelihood)(np.array([-1.0, -2.0])))
