"""A request that makes no sense is refused before any engine sees it, with words for what is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from gradviz.layout.checks import check
from gradviz.layout.model import Options, Request
from tests.unit.layout.graphs import request, requests


@settings(max_examples=40, deadline=None)
@given(wanted=requests())
def test_sound_requests_pass(wanted: Request) -> None:
    check(wanted)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"heights": np.ones(2, np.float32)}, "heights and widths"),
        ({"head": np.zeros(1, np.int32)}, "heads and tails"),
        ({"label_sizes": np.zeros((2, 1), np.float32)}, "label sizes"),
        ({"widths": np.asarray([1, np.nan, 1], np.float32)}, "a size isn't a number"),
        ({"widths": np.asarray([1, -1, 1], np.float32)}, "a size isn't a number"),
        ({"tail": np.asarray([0, 3], np.int32)}, "ends at no node"),
        ({"head": np.asarray([0, -1], np.int32)}, "ends at no node"),
        ({"group": np.zeros(1, np.int32)}, "groups and nodes"),
        ({"group": np.asarray([-1, 0, 2], np.int32)}, "in no such group"),
        ({"group_parent": np.asarray([-1, 5], np.int32)}, "a group is in no such group"),
        ({"group_parent": np.asarray([1, 0], np.int32)}, "within itself"),
        ({"group_parent": np.asarray([0, -1], np.int32)}, "within itself"),
        ({"rank_hint": np.zeros(1, np.int32)}, "hints and nodes"),
        ({"options": Options(direction="up")}, "no such direction"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    sound = request(3, [(0, 1), (1, 2)], group=[-1, 0, 1], parent=[-1, 0])
    check(sound)
    with pytest.raises(ValueError, match=words):
        check(replace(sound, **change))
