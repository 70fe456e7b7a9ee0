"""Paths as a person is shown them: without detours, and still the same place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradviz.document.paths import plain_path


def test_detours_go(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()

    assert plain_path(tmp_path / "deep" / ".." / "new.svg") == tmp_path / "new.svg"
    assert plain_path(tmp_path / "deep" / "..") == tmp_path
    assert plain_path(tmp_path / "deep" / "x.svg") == tmp_path / "deep" / "x.svg"


def test_a_relative_path_begins_where_the_person_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")

    assert plain_path(Path("../x.py")) == tmp_path / "x.py"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_is_followed_only_where_the_detour_leads_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    (tmp_path / "beside").symlink_to(tmp_path / "far")

    assert plain_path(tmp_path / "link" / ".." / "x.svg") == tmp_path / "far" / "x.svg"
    assert plain_path(tmp_path / "link" / "x.svg") == tmp_path / "link" / "x.svg"
    assert plain_path(tmp_path / "beside" / "away" / ".." / "x.svg") == tmp_path / "beside" / "x.svg"


def test_what_is_not_there_is_told_as_given(tmp_path: Path) -> None:
    given = tmp_path / "nowhere" / ".." / "x.svg"

    assert plain_path(given) == given
