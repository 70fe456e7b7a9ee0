"""The example gallery as data, read from resources/examples/gallery.json."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradviz.errors import NotStartedError
from gradviz.resources_path import resources_path

FRAMEWORKS = {"torch": "PyTorch", "autograd": "autograd", "tensorflow": "TensorFlow"}


@dataclass(frozen=True)
class Example:
    """One program that teaches one thing."""

    id: str
    path: Path
    title: str
    line: str
    framework: str  # as imported: torch | autograd | tensorflow
    severity: str  # "" = healthy
    mended: Path | None
    welcome: int  # place among the cards shown first, 0 = later
    picture: dict[str, Any]

    @property
    def framework_name(self) -> str:
        return FRAMEWORKS.get(self.framework, self.framework)

    @property
    def is_available(self) -> bool:
        """Whether the app's own interpreter, which runs scripts unless another is chosen, has the framework."""
        return importlib.util.find_spec(self.framework) is not None


@dataclass(frozen=True)
class Gallery:
    """All examples, and the box that their pictures are drawn in."""

    box: tuple[float, float]
    examples: tuple[Example, ...]

    def of(self, framework: str) -> tuple[Example, ...]:
        return tuple(each for each in self.examples if not framework or each.framework == framework)


def load_gallery() -> Gallery:
    """Read the gallery. An installation without one has an empty gallery: opening files works all the same."""
    try:
        folder = resources_path("examples")
        content = json.loads((folder / "gallery.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, NotStartedError):
        return Gallery((120, 90), ())
    width, height = content["box"]
    examples = tuple(_example(folder, entry) for entry in content["examples"])
    return Gallery((width, height), tuple(sorted(examples, key=lambda each: each.welcome or 1000)))


def is_example(path: Path) -> bool:
    """Whether a file is a program of the gallery, a mended one included."""
    try:
        return path.suffix == ".py" and path.resolve().parent == resources_path("examples")
    except (OSError, NotStartedError):
        return False


def _example(folder: Path, entry: dict[str, Any]) -> Example:
    mended = entry.get("mended")
    return Example(
        id=entry["id"],
        path=folder / entry["file"],
        title=entry["title"],
        line=entry["line"],
        framework=entry["framework"],
        severity=(entry.get("severity") or "") if entry.get("has_mistake") else "",
        mended=folder / mended if mended else None,
        welcome=entry.get("welcome") or 0,
        picture=entry.get("picture") or {},
    )
