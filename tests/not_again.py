"""A pytest plugin for a run that follows `tests.without_qt` over tests/unit: leaves out the files that passed there."""

from __future__ import annotations

from pathlib import Path

from tests.without_qt import is_about_qt

UNIT = Path(__file__).with_name("unit")
LEFT_OUT_THERE = ("test_style.py",)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """None lets the other rules decide."""
    if not collection_path.name.startswith("test_") or UNIT not in collection_path.parents:
        return None
    return None if collection_path.name in LEFT_OUT_THERE or is_about_qt(collection_path) else True
