"""Sets gradviz up if need be, and opens it: `python3 scripts/run.py [FILE]`. Needs Python 3.10 or newer, nothing else.

Without a display it records the same example, prints the report and writes the picture instead.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import setup_env

EXAMPLE = setup_env.ROOT / "resources" / "examples" / "seed_wrong_shape.py"
FINDINGS = 1  # the exit code of `gradviz check` for a script with a mistake in it


def main() -> int:
    parser = argparse.ArgumentParser(description="Set gradviz up if need be, and open it.")
    parser.add_argument("file", nargs="?", type=Path, help="a .py or .gradviz file; default: an example with a mistake")
    parser.add_argument("--setup-only", action="store_true", help="build .venv and stop")
    options = parser.parse_args()
    try:
        setup_env.prepare()
    except setup_env.SetupError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 1
    if options.setup_only:
        print(f"Ready: {setup_env.venv_command('gradviz')}")
        return 0
    file = (options.file or EXAMPLE).absolute()
    if has_display():
        return open_window(file)
    return run_headless(file, expected=FINDINGS if options.file is None else None)


def has_display() -> bool:
    """Whether a window can be shown. On macOS and Windows there is always a screen to ask."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(file: Path) -> int:
    print(f"Opening {file}", flush=True)
    command = [str(setup_env.venv_command("gradviz")), str(file)]
    if os.name != "nt":  # there exec returns to the shell at once, and the prompt would mix with the program
        os.execv(command[0], command)
    return subprocess.run(command).returncode


def run_headless(file: Path, expected: int | None) -> int:
    """Check the file and draw it. Status 0 when both did as they should: the example's mistake has to be found."""
    gradviz = str(setup_env.venv_command("gradviz"))
    print("No display (neither DISPLAY nor WAYLAND_DISPLAY is set): no window; a report and a picture instead.")
    print(f"$ gradviz check {file}", flush=True)
    checked = subprocess.run([gradviz, "check", str(file)]).returncode
    picture = setup_env.ROOT / "out" / f"{file.stem}.png"
    picture.parent.mkdir(exist_ok=True)
    if picture.exists():
        picture.unlink()  # a picture of an earlier run proves nothing
    print(f"$ gradviz export {file} -o {picture}", flush=True)
    drawn = subprocess.run(  # it runs the script again, whose output is on the screen already
        [gradviz, "export", str(file), "-o", str(picture)], capture_output=True, text=True, errors="replace"
    )
    if drawn.returncode not in (0, FINDINGS) or not picture.exists():
        print(f"{drawn.stderr}run.py: no picture (gradviz export ended with {drawn.returncode})", file=sys.stderr)
        return 1
    print(f"The picture is in {picture}")
    as_expected = checked == expected if expected is not None else checked in (0, FINDINGS)
    return 0 if as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
