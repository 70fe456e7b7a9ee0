"""Findings that go from one process to another: nothing of them is lost, and what is no parcel is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Change, Finding, Mark, Operand
from gradviz.diagnose.parcel import packed, unpacked
from gradviz.errors import GradvizError
from gradviz.trace.reader import Trace
from tests import recordings

FULL = Finding(
    rule="seed-shape-mismatch", severity="error", file="/home/me/a.py", line=3, message="m", explanation="e", fix="f",
    expected_shape=(), received_shape="2 gradients", pass_id=0, step=4, effects=("one", "two"),
    marks=(Mark("seed", 2, 1, expected=(3, "s0"), received=(3,), dims=(-1, -2)), Mark("node")),
    operands=(Operand("x", (2, 1), -1, 7, stretched=(-1,)),),
    changes=(Change("/home/me/a.py", 3, ("old",), ("new", "line")),),
)  # fmt: skip


def test_a_finding_comes_back_as_it_was() -> None:
    assert unpacked(packed([FULL])) == (FULL,)


def test_what_a_diagnosis_says_comes_back_as_it_was(tmp_path: Path) -> None:
    with Trace(recordings.eigh_seed_mismatch(tmp_path / "run.gradviz")) as trace:
        found = diagnose(trace)
    assert found
    assert unpacked(packed(found)) == found


def test_trouble_is_raised_where_it_arrives() -> None:
    with pytest.raises(GradvizError, match="the file is damaged"):
        unpacked(packed((), "the file is damaged"))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"trouble": "", "findings": [3]}', '{"trouble": "", "findings": [{}]}']
)
def test_what_is_no_parcel_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        unpacked(text)
