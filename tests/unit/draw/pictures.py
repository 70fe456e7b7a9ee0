"""Pictures of built recordings, for tests of the painter and of exports."""

from __future__ import annotations

from pathlib import Path

from gradviz.diagnose.finding import Finding
from gradviz.draw.fonts import Measurer
from gradviz.draw.picture import Picture
from gradviz.layout.simple import SimpleEngine
from gradviz.scene.build import Shown, build
from gradviz.scene.model import States
from gradviz.scene.place import place, request
from gradviz.scene.states import states_at
from gradviz.trace.reader import Trace


def picture_of(
    path: Path, findings: tuple[Finding, ...] = (), position: int = 10**6, shown: Shown | None = None
) -> tuple[Picture, States]:
    """A recording's first pass, measured with real fonts; needs a QGuiApplication."""
    trace, measure = Trace(path), Measurer()
    made = build(trace, trace.passes()[0].id, findings, measure, shown or Shown())
    scene = place(made.draft, SimpleEngine().arrange(request(made.draft)), measure)
    return Picture(scene, made.texts), states_at(made.timeline, min(position, len(made.timeline)))
