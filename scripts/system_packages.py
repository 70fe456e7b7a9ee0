"""What Qt and the tests need from a bare Linux machine: found by trying, installed where that is allowed.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

# shared library -> Debian package. PySide6's wheels bring Qt itself, and expect these from the system.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
FONT_PACKAGE = "fonts-dejavu-core"


def missing_for_the_window() -> list[str]:
    """Debian packages of the libraries and fonts that the window needs and this machine lacks; none elsewhere."""
    if not sys.platform.startswith("linux"):
        return []
    missing = [package for library, package in QT_LIBRARIES.items() if not _loads(library)]
    if not _has_fonts():
        missing.append(FONT_PACKAGE)
    return missing


def missing_for_the_tests() -> list[str]:
    """What the tests want beside that: graphviz's `dot` as an engine and a peer, Xvfb for a real X server."""
    if not sys.platform.startswith("linux"):
        return []
    commands = {"dot": "graphviz", "Xvfb": "xvfb"}
    return [package for command, package in commands.items() if shutil.which(command) is None]


def can_install() -> bool:
    """Whether this process may install Debian packages: it is root, and apt is there."""
    return sys.platform.startswith("linux") and os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(packages: list[str]) -> bool:
    """Install Debian packages, quietly; the reason of a failure is printed. True when all are there."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print(f"  apt-get install {' '.join(packages)}", flush=True)
    fetch = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    done = _quietly(fetch, environment)
    if done.returncode != 0:  # a bare container has no package lists yet
        _quietly(["apt-get", "update", "-qq"], environment)
        done = _quietly(fetch, environment)
    if done.returncode != 0:
        reason = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        print(f"  apt-get failed: {reason[0] if reason else done.stderr.strip()[-200:]}", flush=True)
    return done.returncode == 0


def provide(packages: list[str], purpose: str) -> None:
    """Install what is missing where that is allowed; else say in one line what to install, and go on."""
    if not packages:
        return
    if can_install():
        print(f"System packages for {purpose}:", flush=True)
        install(packages)
    else:
        print(
            f"Missing for {purpose}: {' '.join(packages)} (Debian names). "
            f"Install them with: sudo apt-get install {' '.join(packages)}",
            flush=True,
        )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_fonts() -> bool:
    return any(
        next(Path(folder).expanduser().rglob(pattern), None) is not None
        for folder in FONT_FOLDERS
        for pattern in ("*.ttf", "*.otf", "*.ttc")
    )


def _quietly(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
