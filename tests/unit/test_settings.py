"""What is remembered between sessions, and what happens when it can't be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from gradviz.document.places import CONFIG_VARIABLE, config_folder
from gradviz.document.recordings import KEPT_DAYS, YOUNG_SECONDS, Recordings
from gradviz.document.saving import save_recording, without_code
from gradviz.document.settings import RECENT_LIMIT, RunSettings, Settings
from gradviz.errors import NotStartedError

SCRIPT = Path("/home/me/train.py")
ALL_FIELDS = RunSettings(
    interpreter="/usr/bin/python3",
    arguments="--epochs 3",
    stdin_kind="text",
    stdin="7\n",
    cwd="/tmp",
    environment=(("A", "1"), ("B", "x=y")),
    level="values",
    passes="0,2",
    timeout=30.0,
    function="loss",
    function_arguments={"loss": {"x": "torch.ones(3)"}},
    seed_expressions={"loss": "torch.ones(3)"},
)


def test_the_folder_can_be_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path))
    assert config_folder() == tmp_path


def test_run_settings_come_back_as_they_were(tmp_path: Path) -> None:
    Settings(tmp_path).remember_run(SCRIPT, ALL_FIELDS)
    assert Settings(tmp_path).run_settings(SCRIPT) == ALL_FIELDS
    assert Settings(tmp_path).run_settings(Path("/other.py")) == RunSettings()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"/home/me/train.py": 3}', '{"/home/me/train.py": {"level": 7}}'])
def test_a_spoilt_file_counts_as_empty(tmp_path: Path, content: str) -> None:
    (tmp_path / "scripts.json").write_text(content)
    assert Settings(tmp_path).run_settings(SCRIPT) == RunSettings()


@given(some.recursive(some.none() | some.booleans() | some.integers() | some.text(), lambda inner: some.lists(inner)))
def test_nothing_in_a_field_stops_the_program(value: object) -> None:
    from gradviz.document.settings import _run_settings

    for name in ("interpreter", "environment", "function_arguments", "seed_expressions", "timeout", "level"):
        assert isinstance(_run_settings({name: value}), RunSettings)


def test_recent_files_are_few_and_newest_first(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    for number in range(RECENT_LIMIT + 5):
        settings.remember_recent(Path(f"/f{number}.py"))
    settings.remember_recent(Path("/f9.py"), outcome="error", count=2)
    recent = settings.recent()
    assert len(recent) == RECENT_LIMIT
    assert (recent[0].path, recent[0].outcome, recent[0].count) == ("/f9.py", "error", 2)
    settings.clear_recent()
    assert settings.recent() == ()


def test_a_folder_that_can_not_be_written_is_no_obstacle(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    Settings(blocked / "config").remember_choice("theme", "dark")
    assert Settings(blocked / "config").choice("theme", "system") == "system"


def test_old_recordings_go_and_large_ones_by_age(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    now = 1_000_000_000.0
    ages = {"old": (KEPT_DAYS + 1) * 86400.0, "young": 60.0, "yesterday": YOUNG_SECONDS + 3600.0}
    for name, age in ages.items():
        path = recordings.new_path(name)
        path.write_bytes(b"x")
        path.with_name(path.name + "-wal").write_bytes(b"y")
        for each in path.parent.glob(f"{path.name}*"):
            os.utime(each, (now - age, now - age))
    # WHEN
    assert recordings.expire(now) == 1
    # THEN companions went too
    left = sorted(each.name.split("-")[0] for each in recordings.folder.iterdir())
    assert left == ["yesterday", "yesterday", "young", "young"]
    assert recordings.kept().count == 2
    assert recordings.clear() == 2
    assert recordings.kept().size == 0


def test_two_recordings_never_share_a_path(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    first = recordings.new_path("a b/脚本")
    first.write_bytes(b"")
    assert recordings.new_path("a b/脚本") != first
    assert recordings.holds(first)


def test_a_traceback_without_its_code() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/a.py", line 3, in <module>\n'
        "    secret = model(x)\n"
        "             ^^^^^^^^\n"
        "RuntimeError: no\n"
    )
    assert without_code(text) == (
        'Traceback (most recent call last):\n  File "/a.py", line 3, in <module>\nRuntimeError: no\n'
    )


def test_saving_is_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(NotStartedError, match="could not be saved"):
        save_recording(tmp_path / "missing.gradviz", tmp_path / "kept.gradviz", True)
    assert list(tmp_path.iterdir()) == []


def test_settings_files_are_plain_json(tmp_path: Path) -> None:
    Settings(tmp_path).remember_run(SCRIPT, ALL_FIELDS)
    assert str(SCRIPT) in json.loads((tmp_path / "scripts.json").read_text(encoding="utf-8"))
