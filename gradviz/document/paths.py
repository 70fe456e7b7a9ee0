"""Paths as a person is shown them."""

from __future__ import annotations

import os
from pathlib import Path


def plain_path(path: Path) -> Path:
    """Absolute and without `..`; links stay as they are named, but where one makes of `..` another folder."""
    whole = path.absolute()
    if os.pardir not in whole.parts:
        return whole
    short = Path(os.path.normpath(whole))
    there = whole.exists()
    try:
        same = short.samefile(whole) if there else short.parent.samefile(whole.parent)
    except OSError:
        return whole  # a folder that isn't there, or may not be looked into: it is told as it was given
    return short if same else whole.resolve()
