"""Recordings that nobody saved yet: where they lie, how much room they take, and when they go."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from gradviz.document.places import data_folder

SUFFIX = ".gradviz"
KEPT_DAYS = 14
KEPT_BYTES = 2 * 1024**3
YOUNG_SECONDS = 24 * 3600  # younger ones may be open in another window, and stay whatever their size


@dataclass(frozen=True)
class Kept:
    """The unsaved recordings together."""

    count: int
    size: int  # bytes


class Recordings:
    """The folder of unsaved recordings."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder if folder is not None else data_folder()) / "recordings"

    def new_path(self, stem: str) -> Path:
        """A path of its own for the next recording, in a folder that is there now. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]+", "_", stem)[:60] or "run"
        moment = time.strftime("%Y%m%d-%H%M%S")
        for number in range(1, 10_000):
            path = self.folder / f"{name}-{moment}-{os.getpid()}-{number}{SUFFIX}"
            if not path.exists():
                return path
        raise FileExistsError(f"no free name for a recording in {self.folder}")

    def holds(self, path: Path) -> bool:
        """Whether this is one of ours, not a file that the person saved."""
        return path.parent == self.folder

    def kept(self) -> Kept:
        sizes = [size for _, _, size in self._files()]
        return Kept(len(sizes), sum(sizes))

    def expire(self, now: float | None = None) -> int:
        """Delete what is older than KEPT_DAYS, then the oldest until KEPT_BYTES hold; returns how many went."""
        present = time.time() if now is None else now
        files = sorted(self._files(), key=lambda each: each[1])
        left, gone = sum(size for _, _, size in files), 0
        for path, modified, size in files:
            age = present - modified
            if age > KEPT_DAYS * 86400 or (left > KEPT_BYTES and age > YOUNG_SECONDS):
                gone += self.discard(path)
                left -= size
        return gone

    def clear(self, keep: Path | None = None) -> int:
        """Delete all but `keep`; returns how many went."""
        return sum(self.discard(path) for path, _, _ in self._files() if path != keep)

    def discard(self, path: Path) -> int:
        """Delete one with all that SQLite put beside it; 1 if it went, 0 if something holds it."""
        try:
            for companion in path.parent.glob(f"{path.name}*"):
                companion.unlink()
        except OSError:
            return 0
        return 1

    def _files(self) -> list[tuple[Path, float, int]]:
        """(path, modified, size with companions) of each."""
        found: list[tuple[Path, float, int]] = []
        try:
            entries = [entry for entry in os.scandir(self.folder) if entry.is_file(follow_symlinks=False)]
        except OSError:
            return found
        sizes: dict[str, int] = {}
        times: dict[str, float] = {}
        for entry in entries:
            name, mark, _ = entry.name.partition(SUFFIX)
            if not mark:
                continue
            try:
                state = entry.stat()
            except OSError:
                continue  # went between the listing and now
            sizes[name] = sizes.get(name, 0) + state.st_size
            times[name] = max(times.get(name, 0.0), state.st_mtime)
        for name, size in sizes.items():
            found.append((self.folder / (name + SUFFIX), times[name], size))
        return found
