"""Where the program's icons, themes, translations and examples lie: in a checkout, and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from gradviz.errors import NotStartedError


def resources_path(*parts: str) -> Path:
    """The path of a resource, given by its parts below ``resources/``.

    A checkout (editable install included) reads its own ``resources/``; a wheel carries the same folder inside
    the package, put there by ``setup.py``. Raises NotStartedError where neither is there: a broken installation.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "_resources", package.parent / "resources"):
        if (root / "examples").is_dir():
            return root.joinpath(*parts)
    raise NotStartedError(f"gradviz lacks its resources (looked in and beside {package}). Install it again.")
