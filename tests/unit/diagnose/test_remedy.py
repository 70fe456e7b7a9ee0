"""A fix is a line to write, or words that say what to do: nobody shall paste words into a script."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.diagnose.remedy import can_be_copied, is_code, lines_to_write
from gradviz.export.finding_words import finding_markdown
from tests.example_findings import BROADCAST


@pytest.mark.parametrize(
    ("fix", "expected"),
    [
        ("out.backward()  # then read z.grad", True),
        ("return grad.sum(0)", True),
        ("with tf.GradientTape(persistent=True) as tape:", True),
        ("mask = y > 0; y = np.where(mask, 0.0, y)", True),
        ("x[..., None] * w", True),
        ("import autograd.numpy as np", True),
        ("x = np.array([...])  # all entries at once", False),
        ("w.assign(...)", False),
        ("Let the vjp return an array of shape [5].", False),
        ("return up, summed over what was stretched: tf.reduce_sum(..., axis=...)", False),
        ("tf.maximum(x, 1e-12) before the power", False),
        ("", False),
        ("# nothing", False),
    ],
)
def test_only_a_line_that_can_be_pasted_is_code(fix: str, expected: bool) -> None:
    assert is_code(fix) is expected
    assert can_be_copied(replace(BROADCAST, changes=(), fix=fix)) is expected


def test_a_change_of_lines_is_code_whatever_the_fix_says() -> None:
    finding = replace(BROADCAST, fix="Make it a vector.")

    assert lines_to_write(finding) == BROADCAST.changes
    assert can_be_copied(finding)


def test_in_markdown_words_stand_in_no_code_block() -> None:
    text = finding_markdown(replace(BROADCAST, changes=(), fix="Make it a vector."))

    assert "**To mend it:** Make it a vector." in text
    assert "```diff" not in text
