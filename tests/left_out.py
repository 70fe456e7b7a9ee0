"""What a run of the tests did not test: told in one line at its end, since nobody reads through a list of skips."""

from __future__ import annotations

import pytest

from tests.tensorflow_python import NO_TENSORFLOW


def tell(config: pytest.Config) -> None:
    """In the process that reports, when it has said all else."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    count = sum(NO_TENSORFLOW in str(report.longrepr) for report in reporter.stats.get("skipped", []))
    if count:
        reporter.write_line(left_out(count), yellow=True)


def left_out(count: int) -> str:
    """The line: how many, why, and the command that runs them."""
    tests = f"{count} tests of TensorFlow were" if count > 1 else "1 test of TensorFlow was"
    return (
        f"LEFT OUT: {tests} not run, for it isn't installed. "
        "python3 scripts/test.py --tensorflow installs it (1.5 GB) and runs them."
    )
