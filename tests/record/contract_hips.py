"""The contract's programs in HIPS autograd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad
from autograd.extend import defvjp, primitive

from tests.record.contract_programs import Body, Inputs


class HipsArrays:
    """See contract_programs.Arrays for what each method is for."""

    def constant(self, array: np.ndarray) -> Any:
        return array

    def matmul(self, a: Any, b: Any) -> Any:
        return anp.matmul(a, b)

    def exp(self, a: Any) -> Any:
        return anp.exp(a)

    def tanh(self, a: Any) -> Any:
        return anp.tanh(a)

    def sqrt(self, a: Any) -> Any:
        return anp.sqrt(a)

    def log(self, a: Any) -> Any:
        return anp.log(a)

    def total(self, a: Any) -> Any:
        return anp.sum(a)

    def reshape(self, a: Any, shape: tuple[int, ...]) -> Any:
        return anp.reshape(a, shape)

    def misshapen(self, a: Any) -> Any:
        return hips_misshapen(a)

    def differentiate(self, body: Body, inputs: Inputs) -> Inputs:
        function = value_and_grad(lambda *given: body(self, given), argnum=tuple(range(len(inputs))))
        if len(inputs) == 1:  # several arguments are traced as one tuple, and each taken out of it is a node
            function = value_and_grad(lambda x: body(self, (x,)))
            return (function(inputs[0])[1],)
        return tuple(function(*inputs)[1])

    def descend(self, bodies: Sequence[Body], start: np.ndarray) -> None:
        x = start
        for body in bodies:
            x = x - 0.1 * self.differentiate(body, (x,))[0]


def misshapen(a: Any) -> Any:
    """See contract_programs.Arrays.misshapen."""
    return a * 2.0


hips_misshapen: Any = primitive(misshapen)
defvjp(hips_misshapen, lambda ans, a: lambda g: g[0, :-1] * 2.0)
