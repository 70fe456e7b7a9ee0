"""Puts the top-level resources/ into a wheel as gradviz/_resources; all else stands in pyproject.toml.

A declarative package-dir entry would do it too, but forces every package to be listed by hand and turns an
editable install into an import hook, which type checkers cannot follow.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithResources(build_py):
    """build_py, and the resources beside the modules (an editable install reads them from the checkout)."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "gradviz" / "_resources"
            skipped = shutil.ignore_patterns("__pycache__", "screenshots")
            shutil.copytree(Path(__file__).parent / "resources", target, ignore=skipped, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithResources})
