"""The seed that a person asks for in words: an expression, evaluated with the result of their function as `output`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradviz.record.badoption import BadOption


def evaluated_seed(expression: str, namespace: Mapping[str, Any], output: Any, converted: Callable[[Any], Any]) -> Any:
    """The seed in the framework's own type, which `converted` makes. Raises BadOption."""
    try:
        seed = eval(compile(expression, "<seed>", "eval", dont_inherit=True), dict(namespace), {"output": output})
        return converted(seed)
    except Exception as error:  # noqa: BLE001  # foreign: the person's expression
        sentence = f"--seed-gradient {expression} failed: {type(error).__name__}: {error}."
        raise BadOption(sentence) from None
