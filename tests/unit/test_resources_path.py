"""Resources are found in a checkout and inside an installed package, and their absence has its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz import resources_path as module
from gradviz.errors import NotStartedError
from gradviz.resources_path import resources_path


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "gradviz"
    package.mkdir()
    monkeypatch.setattr(module, "__file__", str(package / "resources_path.py"))
    return package


def test_this_checkout_has_its_examples() -> None:
    assert resources_path("examples", "gallery.json").is_file()


def test_an_installed_package_carries_them_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch)
    (package / "_resources" / "examples").mkdir(parents=True)

    assert resources_path("themes") == package / "_resources" / "themes"


def test_a_broken_installation_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, monkeypatch)

    with pytest.raises(NotStartedError, match="lacks its resources"):
        resources_path("themes")
