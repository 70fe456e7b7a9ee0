"""A function for scripts whose every call is a backward pass of another graph."""

SLOPE = """
import autograd.numpy as np
from autograd import grad
def slope(times):
    def f(x):
        for _ in range(times):
            x = np.tanh(x) * 2.0
        return np.sum(x)
    return grad(f)(np.ones(3))
"""
