"""Builds `.venv-tensorflow`, an interpreter with TensorFlow for tests and bench: 1.5 GB, so only when asked for.

Apart from `.venv`: the app needs no TensorFlow, and TensorFlow none of the app's packages. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import setup_env

VARIABLE = "GRADVIZ_TENSORFLOW_PYTHON"  # names another interpreter that has TensorFlow
VENV = setup_env.ROOT / ".venv-tensorflow"
REQUIREMENT = "tensorflow>=2.16"  # as the extra in pyproject.toml
NEEDED_BYTES = 3 * 1024**3


def prepare() -> Path:
    """The interpreter, made and filled if need be. Raises SetupError with one line."""
    named = os.environ.get(VARIABLE)
    python = Path(named) if named else venv_python()
    if _has_tensorflow(python):
        return python
    if named:
        raise setup_env.SetupError(f"{VARIABLE} names {named}, which has no TensorFlow.")
    print(f"Setting up {VENV} with TensorFlow (once; 1.5 GB)", flush=True)
    if shutil.disk_usage(setup_env.ROOT).free < NEEDED_BYTES:
        raise setup_env.SetupError(f"Too little disk space for TensorFlow: {NEEDED_BYTES >> 20} MiB are needed.")
    base = str(setup_env.venv_python())
    _run([base, "-m", "venv", "--clear", str(VENV)], "create the venv")
    _run(
        [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-q", REQUIREMENT],
        "install TensorFlow",
    )
    if not _has_tensorflow(python):
        raise setup_env.SetupError(f"{VENV} was set up, but TensorFlow can't be found there.")
    return python


def venv_python() -> Path:
    """The interpreter of `.venv-tensorflow`, on this platform."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _has_tensorflow(python: Path) -> bool:
    program = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tensorflow') is None)"
    try:
        return subprocess.run([str(python), "-c", program], capture_output=True).returncode == 0
    except OSError:
        return False


def _run(command: list[str], aim: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise setup_env.SetupError(f"Could not {aim}: {said[-1] if said else 'no reason given'}")
