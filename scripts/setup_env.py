"""Builds the project's own `.venv`, once, and says what it does: shared by run.py and test.py.

Standard library only, and written so that an old Python still parses it and can say that it is too old.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "gradviz-setup.json"
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"
EXTRAS = "torch,autograd,test"
OLDEST = (3, 10)
NEWER = ("python3.13", "python3.12", "python3.11", "python3.10", "python3.14")  # best covered by wheels first
NEEDED_BYTES = 3 * 1024**3  # a CPU build of torch, Qt and the tests' tools, with pip's temporary copies


class SetupError(Exception):
    """Setting up can't go on; the text is one line for the person."""


def prepare() -> Path:
    """Make sure that `.venv` is whole and current; returns its interpreter. Raises SetupError with one line."""
    system_packages.provide(system_packages.missing_for_the_window(), "the window (Qt)")
    stamp = _stamp()
    if _is_current(stamp):
        return venv_python()
    base = _base_interpreter()
    print(f"Setting up {VENV} with {base} (once; a few minutes, mostly torch and Qt)", flush=True)
    _check_room()
    if STAMP.exists():
        STAMP.unlink()
    if not _interpreter_works():
        _create_venv(base)
    _install_packages()
    STAMP.write_text(json.dumps(stamp), encoding="utf-8")
    print("Setup done", flush=True)
    return venv_python()


def venv_python() -> Path:
    """The interpreter of `.venv`, on this platform."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def venv_command(name: str) -> Path:
    """A command that was installed into `.venv`, on this platform."""
    return VENV / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def _stamp() -> dict[str, str]:
    """What the content of `.venv` depends on. A change of it means: install again."""
    digest = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", ROOT / "setup.py", CONSTRAINTS):
        digest.update(path.read_bytes())
    return {"inputs": digest.hexdigest(), "folder": str(VENV)}


def _is_current(stamp: dict[str, str]) -> bool:
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(found == stamp) and _interpreter_works() and venv_command("gradviz").exists()


def _interpreter_works() -> bool:
    """Whether `.venv` has an interpreter that starts, is new enough, and has pip: a half-built one has not."""
    program = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        return subprocess.run([str(venv_python()), "-c", program], capture_output=True).returncode == 0
    except OSError:
        return False


def _base_interpreter() -> str:
    """This interpreter if it is new enough, else a newer one that is installed beside it."""
    if sys.version_info >= OLDEST:
        return sys.executable
    found = next((path for path in map(shutil.which, NEWER) if path), None)
    if found is None:
        raise SetupError(
            f"gradviz needs Python {OLDEST[0]}.{OLDEST[1]} or newer; "
            f"this is {sys.version.split()[0]} ({sys.executable}), and no newer one is on the PATH."
        )
    return found


def _check_room() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES:
        raise SetupError(f"Too little disk space in {ROOT}: {free >> 20} MiB free, {NEEDED_BYTES >> 20} needed.")


def _create_venv(base: str) -> None:
    if VENV.exists():
        print("  .venv is incomplete; building it anew", flush=True)
        shutil.rmtree(VENV)
    print("  creating .venv", flush=True)
    done = _run_venv(base)
    if done.returncode != 0 and system_packages.can_install():  # Debian ships venv as a package of its own
        system_packages.install(["python3-venv"])
        shutil.rmtree(VENV, ignore_errors=True)
        done = _run_venv(base)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()
        if "ensurepip" in said or "No module named venv" in said:
            raise SetupError(f"{base} has no venv module. On Debian and Ubuntu: sudo apt-get install python3-venv")
        raise SetupError(f"{base} could not create {VENV}: {said.splitlines()[-1] if said else 'no reason given'}")


def _run_venv(base: str) -> subprocess.CompletedProcess[str]:
    command = [base, "-m", "venv", str(VENV)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)


def _install_packages() -> None:
    print(f"  pip install -e .[{EXTRAS}]", flush=True)
    command = [str(venv_python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--constraint", str(CONSTRAINTS), "--editable", f".[{EXTRAS}]"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    lines: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line.rstrip())
        if line.startswith(("Collecting ", "Installing collected", "Building ")):
            print(f"    {line.rstrip()[:110]}", flush=True)
    status = process.wait()
    if status < 0:
        raise SetupError(
            f"pip was ended by signal {-status} while installing into {VENV}. Start again to go on from there."
        )
    if status != 0:
        raise SetupError(_pip_reason("\n".join(lines)))


def _pip_reason(said: str) -> str:
    """One line for what pip says in a hundred."""
    if "No space left on device" in said:
        return f"pip ran out of disk space while installing into {VENV}."
    errors = [line.partition("ERROR: ")[2] for line in said.splitlines() if "ERROR: " in line]
    unreachable = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ProxyError", "(from versions: none)")
    if any(word in said for word in unreachable):
        detail = f" ({errors[-1]})" if errors else ""
        return (
            f"pip cannot reach the package index{detail}. Check the network or pip's proxy settings, and start again."
        )
    return f"pip failed: {errors[-1] if errors else ' '.join(said.split())[-200:]}"
