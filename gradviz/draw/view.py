"""From where a scene is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.draw.nearby import Area


@dataclass(frozen=True)
class View:
    """A window onto the scene: scene px at its top left corner, and screen px per scene px."""

    x: float
    y: float
    zoom: float
    width: float  # of the screen
    height: float
    ratio: float = 1.0  # device px per screen px

    def area(self, margin: float = 0.0) -> Area:
        return (
            self.x - margin,
            self.y - margin,
            self.x + self.width / self.zoom + margin,
            self.y + self.height / self.zoom + margin,
        )
