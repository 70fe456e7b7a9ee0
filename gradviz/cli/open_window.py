"""`gradviz [FILE]`: opens the window."""

from __future__ import annotations

from pathlib import Path

from gradviz.cli.options import Options
from gradviz.document.paths import plain_path
from gradviz.errors import NotStartedError
from gradviz.gui import app


def run(options: Options) -> int:
    """Blocks until the window is closed."""
    path = plain_path(Path(options.target.given)) if options.target is not None else None
    if path is not None and not path.is_file():
        raise NotStartedError(f"{path} is a folder, not a file." if path.is_dir() else f"There is no file {path}.")
    return app.run(path, options.target.function if options.target is not None else "")
