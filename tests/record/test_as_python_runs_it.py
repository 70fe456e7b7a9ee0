"""A recorded script can't tell: what it prints, how it ends and what it computes are those of a bare run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.run_request import Target
from tests.record.scripts import BYTES, FOLDERS, SCRIPTS
from tests.transparency import assert_same, run_bare, run_recorded

OTHER_PYTHONS = ("3.9", "3.10", "3.12", "3.13", "3.14")


def other_pythons() -> list[str]:
    """Interpreters of other versions that this machine happens to have, one of each."""
    found = {}
    for folder in (Path.home() / ".pyenv" / "versions", Path("/opt/hostedtoolcache/Python")):
        for version in OTHER_PYTHONS:
            for python in sorted(folder.glob(f"{version}.*/bin/python")) + sorted(
                folder.glob(f"{version}.*/*/bin/python")
            ):
                found[version] = str(python)
    return list(found.values())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_as_if_bare(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPTS[name], encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path, ["one", "--two"], stdin=b"first\nsecond\n")
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz", ["one", "--two"], stdin=b"first\nsecond\n")

    assert_same(bare, recorded.seen)


@pytest.mark.parametrize("name", BYTES)
def test_bytes_are_read_as_python_reads_them(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_bytes(BYTES[name])
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz")

    assert_same(bare, recorded.seen)


@pytest.mark.parametrize("name", FOLDERS)
def test_modules_are_found_as_if_bare(name: str, tmp_path: Path) -> None:
    target, files = FOLDERS[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    bare = run_bare(target, tmp_path, ["x"])
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz", ["x"])

    assert_same(bare, recorded.seen)


@pytest.mark.parametrize("given", ["./script.py", "inner/../script.py", "{}/script.py"])
def test_the_path_stays_as_it_was_given(given: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "script.py").write_text("import sys\nprint(__file__, sys.argv, sys.path[0])\n1 / 0\n", encoding="utf-8")
    target = Target("script", given.format(tmp_path))

    bare = run_bare(target, tmp_path)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz")

    assert_same(bare, recorded.seen)


@pytest.mark.parametrize("folder", ["with space", "中文目录", "ünïcode & 'quotes'"])
def test_any_folder_will_do(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    place.mkdir()
    (place / "脚本 1.py").write_text("print(__file__)\nraise ValueError('x')\n", encoding="utf-8")
    target = Target("script", "脚本 1.py")

    bare = run_bare(target, place)
    recorded = run_recorded(target, place, place / "aufnahme ö.gradviz")

    assert_same(bare, recorded.seen)
    assert recorded.outcome.trace == place / "aufnahme ö.gradviz"
    assert recorded.outcome.trace.is_file()


@pytest.mark.parametrize("name", [name for name in SCRIPTS if "3.11" not in name])
@pytest.mark.parametrize("python", other_pythons(), ids=lambda path: Path(path).parts[-3])
def test_under_other_pythons(name: str, python: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPTS[name], encoding="utf-8")
    target = Target("script", "script.py")

    bare = run_bare(target, tmp_path, stdin=b"first\nsecond\n", python=python)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz", stdin=b"first\nsecond\n", python=python)

    assert_same(bare, recorded.seen)
    assert recorded.outcome.status != "not-run"
