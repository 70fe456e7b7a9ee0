"""What a function of the person's comes to when it is called, read from the names in its code; nothing is run.

Tells whether a function computes with autograd's numpy, so that its result can be traced; and whether it differentiates
something itself: then it is left as it is, for traced inside a trace it would be another computation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import autograd
import autograd.numpy as anp
from autograd import core, differential_operators, wrap_util

MOST_FUNCTIONS = 500
PRIMITIVE: CodeType = anp.add.__code__  # of what every primitive is wrapped in
OPERATING = frozenset(
    {differential_operators.__file__, wrap_util.__file__}
)  # files of grad and its like, and what they return
OPERATORS = frozenset(
    {"make_vjp", "make_jvp", *(name for name in vars(differential_operators) if name in vars(autograd))}
)


class Reach:
    """Goes through the functions that a function comes to."""

    def __init__(self, is_user: Callable[[CodeType], bool]) -> None:
        self._is_user = is_user
        self.computes = False  # with autograd's numpy or scipy
        self.differentiates = False

    def of(self, functions: Iterable[Any]) -> Reach:
        """Look at these and at what they name."""
        waiting = list(functions)
        self.computes = any(imports_autograd(each) for each in waiting)
        seen: set[int] = set()
        while waiting and len(seen) < MOST_FUNCTIONS and not self.differentiates:
            thing = waiting.pop()
            for function in functions_in(thing):
                code = function.__code__
                if id(code) in seen:
                    continue
                seen.add(id(code))
                if code is PRIMITIVE:
                    self.computes = True
                elif code.co_filename in OPERATING or function is core.make_vjp:
                    self.differentiates = True
                elif self._is_user(code):
                    waiting += self._named_in(function, set(names_in(code)))
        return self

    def _named_in(self, function: FunctionType, names: set[str]) -> list[Any]:
        """The values that a function's code names: of its module, of its closure, of modules that it names."""
        found = [value for name, value in list(function.__globals__.items()) if name in names]
        for cell in function.__closure__ or ():
            try:
                found.append(cell.cell_contents)
            except ValueError:  # an empty cell
                continue
        modules = [each for each in found if isinstance(each, ModuleType)]
        for module in modules:
            if module.__name__.partition(".")[0] == "autograd":
                self.computes = self.computes or module.__name__.startswith(("autograd.numpy", "autograd.scipy"))
                self.differentiates = self.differentiates or (
                    module.__name__ in ("autograd", differential_operators.__name__) and not names.isdisjoint(OPERATORS)
                )
            found += [value for name, value in list(vars(module).items()) if name in names]
        return found


def imports_autograd(function: Any) -> bool:
    """Whether its file computes with autograd's numpy, and with no other framework: `x ** 2` names nothing."""
    names = function.__globals__ if isinstance(function, FunctionType) else {}
    modules = {each.__name__ for each in list(names.values()) if isinstance(each, ModuleType)}
    packages = {name.partition(".")[0] for name in modules}
    return not modules.isdisjoint(("autograd.numpy", "autograd")) and packages.isdisjoint(("torch", "tensorflow"))


def names_in(code: CodeType) -> Iterator[str]:
    """The global names and attributes that code uses, that of inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def functions_in(thing: Any) -> Iterator[FunctionType]:
    """The functions that a value stands for: itself, what it wraps, the methods of a class or of an object's."""
    for _ in range(8):  # partials, bound methods, wrappers
        if isinstance(thing, FunctionType):
            yield thing
            thing = thing.__dict__.get("__wrapped__") if thing.__code__ is not PRIMITIVE else None
        elif isinstance(thing, MethodType):
            thing = thing.__func__
        elif isinstance(thing, functools.partial):
            thing = thing.func
        else:
            break
    owner = thing if isinstance(thing, type) else type(thing)
    for each in vars(owner).values() if owner.__module__ not in ("builtins", "numpy") else ():
        inner = each.__func__ if isinstance(each, (staticmethod, classmethod)) else each
        if isinstance(inner, FunctionType):
            yield inner
