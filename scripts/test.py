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
IN_TWO = ("-q", "-n", "2", "--dist", "worksteal")  # processes
LEGS = (
    ("The architecture", ["-q", FIRST]),
    (
        "What lies below the painter, with Qt taken away",
        [*IN_TWO, "-p", "no:pytest-qt", "-p", "tests.without_qt", "tests/unit", "--deselect=tests/unit/test_style.py"],
    ),
    ("Everything else", [*IN_TWO, "-p", "tests.not_again", "--durations=15", f"--deselect={FIRST}"]),
)


def main(arguments: list[str]) -> int:
    try:
        python = str(setup_env.prepare())
    except setup_env.SetupError as error:
        print(f"test.py: {error}", file=sys.stderr)
        return 1
    system_packages.provide(system_packages.missing_for_the_tests(), "the tests")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would compile the same modules again
    legs = [("The tests that were asked for", arguments)] if arguments else LEGS
    for title, options in legs:
        print(f"{title}:", flush=True)
        status = subprocess.run([python, "-m", "pytest", *options], cwd=setup_env.ROOT, env=environment).returncode
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
