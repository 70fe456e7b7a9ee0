"""Drafts and scenes of built recordings, placed by the simple layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gradviz.diagnose.finding import Finding
from gradviz.layout.simple import SimpleEngine
from gradviz.scene.build import Build, Shown, build
from gradviz.scene.model import Scene
from gradviz.scene.place import place, request
from gradviz.scene.sizes import monospaced
from gradviz.trace.reader import Trace


def built(path: Path, findings: tuple[Finding, ...] = (), shown: Shown | None = None) -> Build:
    """The draft of a recording's first pass."""
    trace = Trace(path)
    return build(trace, trace.passes()[0].id, findings, monospaced, shown or Shown())


def placed(made: Build) -> Scene:
    return place(made.draft, SimpleEngine().arrange(request(made.draft)))


def names(made: Build) -> list[str]:
    return [made.draft.names[at] for at in made.draft.name.tolist()]


def box_named(made: Build, name: str) -> int:
    return names(made).index(name)


Recording = Callable[[Path], Path]
