"""The function mode on and off. While the engine runs it is off, as `backward` has it: our hooks must not be seen.

It is on again where Python code of the user's runs inside: a custom backward (checkpoint's among them), a hook.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from gradviz.record.pytorch.state import ThreadState

stack_length = torch._C._len_torch_function_stack
push = torch._C._push_on_torch_function_stack
pop = torch._C._pop_torch_function_stack


@contextlib.contextmanager
def mode_off(state: ThreadState) -> Iterator[None]:
    """Take our mode off the top of the stack, where it is when a transform calls the engine directly."""
    mode = state.mode
    if mode is None or stack_length() == 0:
        yield
        return
    top = pop()
    push(top)
    if top is not mode:
        yield
        return
    pop()
    try:
        yield
    finally:
        push(mode)


@contextlib.contextmanager
def mode_on(state: ThreadState) -> Iterator[None]:
    """Put it back for code of the user's inside the engine; what that computes is recorded only if it makes nodes."""
    mode = state.mode
    if mode is None or stack_length() > 0:
        yield
        return
    push(mode)
    state.inside += 1
    try:
        yield
    finally:
        state.inside -= 1
        pop()


def leave_mode(state: ThreadState) -> None:
    """Take the thread's mode off the stack, wherever in it the script's own modes have moved it."""
    mode, state.mode = state.mode, None
    if mode is None:
        return
    others: list[Any] = []
    while stack_length() > 0:
        top = pop()
        if top is not mode:
            others.append(top)
    for other in reversed(others):
        push(other)
