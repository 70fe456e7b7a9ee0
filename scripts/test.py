"""Sets gradviz up if need be, and runs all its tests: `python3 scripts/test.py [--tensorflow] [PYTEST ARGUMENTS]`.

The architecture comes first and alone: when a floor is broken, nothing above it is worth a run. TensorFlow's tests run
where it is installed; where it isn't, the last line says how many were left out. `--tensorflow` installs it into
`.venv-tensorflow` and runs those tests alone; they are part of every run from then on.
"""

from __future__ import annotations

import os
import subprocess
import sys

import setup_env
import setup_tensorflow
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

TENSORFLOW = (("The tests of TensorFlow", [*IN_TWO, "-m", "tensorflow", "--durations=5"]),)


def main(arguments: list[str]) -> int:
    with_tensorflow = "--tensorflow" in arguments
    arguments = [each for each in arguments if each != "--tensorflow"]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        python = str(setup_env.prepare())
        if with_tensorflow:
            environment[setup_tensorflow.VARIABLE] = str(setup_tensorflow.prepare())
    except setup_env.SetupError as error:
        print(f"test.py: {error}", file=sys.stderr)
        return 1
    system_packages.provide(system_packages.missing_for_the_tests(), "the tests")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would compile the same modules again
    legs = [("The tests that were asked for", arguments)] if arguments else TENSORFLOW if with_tensorflow else LEGS
    for title, options in legs:
        print(f"{title}:", flush=True)
        status = subprocess.run([python, "-m", "pytest", *options], cwd=setup_env.ROOT, env=environment).returncode
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
