"""Sets gradviz up if need be, and runs all its tests: `python3 scripts/test.py [PYTEST ARGUMENTS]`.

The architecture comes first and alone: when a floor is broken, nothing above it is worth a run.
"""

from __future__ import annotations

import os
import subprocess
import sys

import setup_env
import system_packages

FIRST = "tests/test_architecture.py"


def main(arguments: list[str]) -> int:
    try:
        python = str(setup_env.prepare())
    except setup_env.SetupError as error:
        print(f"test.py: {error}", file=sys.stderr)
        return 1
    system_packages.provide(system_packages.missing_for_the_tests(), "the tests")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [python, "-m", "pytest"]
    if arguments:
        return subprocess.run([*pytest, *arguments], cwd=setup_env.ROOT, env=environment).returncode
    print("The architecture first", flush=True)
    status = subprocess.run([*pytest, "-q", FIRST], cwd=setup_env.ROOT, env=environment).returncode
    if status != 0:
        return status
    print("Everything else, in two processes", flush=True)
    rest = [*pytest, "-q", "-n", "2", "--dist", "worksteal", f"--deselect={FIRST}"]
    return subprocess.run(rest, cwd=setup_env.ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
