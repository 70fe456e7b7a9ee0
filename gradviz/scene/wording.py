"""The words that the scene itself writes; a window hands over its translation of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wording:
    """English, unless replaced."""

    line: str = "line {line}"
    seed: str = "Seed gradient"
    constant: str = "constant"
    call: str = "call"
    raised: str = "raised here"
    accumulate: str = "AccumulateGrad"
    expected: str = "expected"
    received: str = "received"
    same_tensor: str = "same tensor"
    none: str = "None"
    nan_of: str = "NaN {count} of {all}"
    inf_of: str = "Inf {count} of {all}"
    parameters: str = "{count} parameters"
    panel_title: str = "How the operands were stretched"
    result: str = "result"
    stretched: str = "stretched"
    added: str = "added in front"
    as_given: str = "as given"
    iteration: str = "iteration {number}"
    iterations: str = "iterations {first}–{last}"
    rounds_of: str = "rounds {first}–{last} of {loop}"
    rounds_each: str = "{where}, {count} rounds each"
    lines: str = "lines {first}–{last}"
    part: str = "part {number} of {count}"
    norm: str = "norm {norm}"
    no_gradient: str = "no gradient"
    frozen: str = "frozen"

    def at_line(self, line: int) -> str:
        return self.line.format(line=line)


ENGLISH = Wording()
