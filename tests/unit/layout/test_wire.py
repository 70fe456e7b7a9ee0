"""Messages between app and layout process: whole again at the other end, and nothing but messages let in."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings

from gradviz.layout import wire
from gradviz.layout.model import Request
from gradviz.layout.simple import SimpleEngine
from tests.unit.layout.graphs import request, requests


@settings(max_examples=30, deadline=None)
@given(wanted=requests(most=8))
def test_a_request_and_its_result_come_through_unchanged(wanted: Request) -> None:
    pipe = io.BytesIO()
    wire.send_request(pipe, wanted)
    result = SimpleEngine().arrange(wanted)
    wire.send_result(pipe, result)
    pipe.seek(0)
    first, second = wire.receive(pipe), wire.receive(pipe)
    assert first is not None and second is not None
    got = wire.request_of(*first)
    assert got.options == wanted.options
    for name in ("widths", "heights", "tail", "head", "label_sizes", "group", "group_parent", "rank_hint"):
        assert np.array_equal(getattr(got, name), getattr(wanted, name))
    back = wire.result_of(*second)
    assert (back.width, back.height, back.engine, back.note) == (result.width, result.height, "simple", "")
    for name in ("x", "y", "points", "offsets", "labels", "group_rects"):
        assert np.array_equal(getattr(back, name), getattr(result, name), equal_nan=True)


def test_the_end_between_two_messages_is_no_error() -> None:
    assert wire.receive(io.BytesIO()) is None


def test_a_request_without_hints_stays_without() -> None:
    pipe = io.BytesIO()
    wanted = request(2, [(0, 1)])
    wire.send_request(pipe, Request(wanted.widths, wanted.heights, wanted.tail, wanted.head, wanted.label_sizes))
    pipe.seek(0)
    message = wire.receive(pipe)
    assert message is not None
    assert wire.request_of(*message).rank_hint is None


def test_an_option_that_this_version_does_not_know_is_left_out() -> None:
    pipe = io.BytesIO()
    wire.send_request(pipe, request(1, []))
    pipe.seek(0)
    message = wire.receive(pipe)
    assert message is not None
    header, arrays = message
    header["options"]["sparkle"] = True
    assert wire.request_of(header, arrays).options.engine == "auto"


@pytest.mark.parametrize("cut", [2, 10, -1])
def test_a_message_cut_short_is_told(cut: int) -> None:
    pipe = io.BytesIO()
    wire.send_request(pipe, request(3, [(0, 1)]))
    with pytest.raises(wire.WireError):
        wire.receive(io.BytesIO(pipe.getvalue()[:cut]))


@pytest.mark.parametrize(
    "header",
    [
        b"\xff\xfe",
        b"[1, 2]",
        b"{}",
        json.dumps({"arrays": [{"name": "x", "dtype": "|O", "shape": [1]}]}).encode(),
        json.dumps({"arrays": [{"name": "x", "dtype": "<f4"}]}).encode(),
    ],
)
def test_what_is_no_message_is_refused(header: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.receive(io.BytesIO(struct.pack("<I", len(header)) + header + b"\0" * 64))


def test_a_header_beyond_reason_is_refused_before_it_is_read() -> None:
    with pytest.raises(wire.WireError, match="bytes"):
        wire.receive(io.BytesIO(struct.pack("<I", 1 << 30)))
