"""Descriptors that another file took the number of are told from one's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradviz.trace import descriptors
from gradviz.trace.descriptors import OwnDescriptors, descriptors_of, open_numbers
from gradviz.trace.live import LiveMark
from gradviz.trace.writer import LOST, TraceWriter

pytestmark = pytest.mark.skipif(os.name == "nt", reason="not on this platform: POSIX descriptors")


def taken_over(number: int, path: Path) -> None:
    """Another file gets the number, as after close and open."""
    other = os.open(path, os.O_RDWR | os.O_CREAT)
    os.dup2(other, number)
    os.close(other)


def numbers_behind(files: list[Path]) -> list[int]:
    behind = {(each.stat().st_dev, each.stat().st_ino) for each in files}
    return [n for n in open_numbers() if (os.fstat(n).st_dev, os.fstat(n).st_ino) in behind]


def test_one_that_stays_is_ours_and_one_that_goes_is_not(tmp_path: Path) -> None:
    (tmp_path / "own").touch()
    number = os.open(tmp_path / "own", os.O_RDWR)
    own = OwnDescriptors([number])
    assert own.are_ours()

    taken_over(number, tmp_path / "other")
    assert not own.are_ours()
    os.close(number)
    assert not own.are_ours()


@pytest.mark.parametrize("listings", [descriptors.LISTINGS, ("/nowhere",)])
def test_those_that_were_open_before_are_anothers(
    listings: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptors, "LISTINGS", listings)
    (tmp_path / "own").touch()
    first = os.open(tmp_path / "own", os.O_RDWR)
    before = open_numbers()
    second = os.open(tmp_path / "own", os.O_RDWR)
    found = descriptors_of([tmp_path / "own", tmp_path / "missing"], before)

    assert first in before and second not in before
    os.close(first)
    assert found.are_ours()
    os.close(second)
    assert not found.are_ours()


def test_a_writer_that_finishes_has_lost_nothing(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    writer.add("note", kind="k", text="t")

    writer.finish()

    assert writer.failure is None
    assert numbers_behind([writer.path]) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_writer_whose_file_is_anothers_now_writes_nothing(suffix: str, tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "a.gradviz")
    writer.add("note", kind="k", text="before")
    writer.commit()
    numbers = numbers_behind([tmp_path / f"a.gradviz{suffix}"])
    assert numbers
    for number in numbers:
        taken_over(number, tmp_path / "others")

    for _ in range(3):
        writer.add("note", kind="k", text="after")
        writer.add("exception", type="E", message="m", thread=0, phase="user", caught=0)
        writer.commit()
    with pytest.raises(OSError, match="closed the file descriptors"):
        writer.finish()
    writer.close()

    assert writer.failure == LOST
    assert (tmp_path / "others").read_bytes() == b""
    assert all(os.fstat(number) for number in numbers)
    assert not writer._queue
    for number in numbers:
        os.close(number)


def test_a_side_file_whose_number_is_anothers_is_not_closed(tmp_path: Path) -> None:
    mark = LiveMark(tmp_path / "a.gradviz")
    (number,) = numbers_behind([mark.path])
    taken_over(number, tmp_path / "others")

    mark.close()

    assert os.fstat(number) and not mark.path.exists()
    os.close(number)
