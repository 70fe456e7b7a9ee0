"""Rules for all tests: from the bottom floor up, and a skip that nobody expected is a failure."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.left_out import tell
from tests.tensorflow_python import NO_TENSORFLOW, PYTHON

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # no window flashes by, and none is needed
# A busy machine is no fault: no deadlines. Where a push is judged, the same examples are drawn each time.
settings.register_profile("anywhere", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("anywhere"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "anywhere")
# A run that was sent to the background ignores Ctrl+C, and so would every script that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).resolve().parent
ORDER = ("test_architecture.py", "unit", "record", "process", "gui")
EXPECTED_SKIP = "not on this"  # 'not on this platform: ...', 'not on this machine: ...'


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tensorflow: needs the interpreter that scripts/test.py --tensorflow makes")


@pytest.fixture(autouse=True, scope="session")
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and recordings of a test run, its child processes included, stay out of the person's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADVIZ_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("GRADVIZ_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a higher floor needs is tested first, so that the first failure is the nearest to its cause."""

    def floor(item: pytest.Item) -> int:
        part = item.path.relative_to(TESTS).parts[0] if item.path.is_relative_to(TESTS) else ""
        return ORDER.index(part) if part in ORDER else len(ORDER)

    items.sort(key=floor)
    for item in items if PYTHON is None else ():
        if item.get_closest_marker("tensorflow"):
            item.add_marker(pytest.mark.skip(reason=NO_TENSORFLOW))


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last word of a run."""
    tell(config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips itself without the agreed words has failed: it would stay unseen otherwise."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if EXPECTED_SKIP not in reason:
            report.outcome = "failed"
            report.longrepr = f"unexpected skip ({reason}); a skip's reason begins with '{EXPECTED_SKIP} …'"
    return report
