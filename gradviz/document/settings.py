"""What is remembered: how each script was run last, recent files with their outcome, and the window's own choices.

Three JSON files in the config folder. A file that can't be read counts as empty, and one that can't be written is
forgotten at the end: settings never stand in the way of work.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from gradviz.document.places import config_folder

RECENT_LIMIT = 12
SCRIPTS_LIMIT = 400  # scripts whose settings are kept; the ones run longest ago go first
LEVELS = ("shapes", "summaries", "values")
STDIN_KINDS = ("none", "text", "file", "typed")


@dataclass(frozen=True)
class RunSettings:
    """How one script is run. Empty means: the usual choice."""

    interpreter: str = ""  # "" = the app's own, or the one found beside the script
    arguments: str = ""  # as typed, split like a command line
    stdin_kind: str = "typed"  # none | text | file | typed (asked for in Output while it runs)
    stdin: str = ""  # the text, or the file's path
    cwd: str = ""  # "" = the script's folder
    environment: tuple[tuple[str, str], ...] = ()
    level: str = "summaries"
    passes: str = "all"
    timeout: float = 0.0  # seconds, 0 = never
    function: str = ""  # "" = the whole script
    function_arguments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # function -> name -> expression
    seed_expressions: Mapping[str, str] = field(default_factory=dict)  # function ("" = script) -> expression

    def arguments_of(self, function: str) -> Mapping[str, str]:
        return self.function_arguments.get(function, {})

    def seed_of(self, function: str) -> str:
        return self.seed_expressions.get(function, "")


@dataclass(frozen=True)
class Recent:
    """A file opened before. `outcome` is one of error | warning | ok | stopped | "" (never run), `count` findings."""

    path: str
    function: str = ""
    outcome: str = ""
    count: int = 0
    when: float = 0.0


class Settings:
    """Reads and writes what is remembered. Every write reads the file first: two windows don't undo each other."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder if folder is not None else config_folder()

    # -- how a script is run
    def run_settings(self, script: Path) -> RunSettings:
        stored = self._read("scripts.json").get(str(script), {})
        return _run_settings(stored if isinstance(stored, dict) else {})

    def remember_run(self, script: Path, settings: RunSettings) -> None:
        scripts = self._read("scripts.json")
        scripts.pop(str(script), None)
        scripts[str(script)] = asdict(settings)
        for key in list(scripts)[: max(0, len(scripts) - SCRIPTS_LIMIT)]:
            del scripts[key]
        self._write("scripts.json", scripts)

    # -- recent files
    def recent(self) -> tuple[Recent, ...]:
        entries = self._read("recent.json").get("files", [])
        found = [_recent(entry) for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        return tuple(entry for entry in found if entry.path)[:RECENT_LIMIT]

    def remember_recent(self, path: Path, function: str = "", outcome: str = "", count: int = 0) -> None:
        entry = Recent(str(path), function, outcome, count, time.time())
        others = [old for old in self.recent() if (old.path, old.function) != (entry.path, entry.function)]
        self._write("recent.json", {"files": [asdict(each) for each in [entry, *others][:RECENT_LIMIT]]})

    def clear_recent(self) -> None:
        self._write("recent.json", {"files": []})

    # -- the window's own choices
    def choice(self, name: str, default: str = "") -> str:
        value = self._read("window.json").get(name, default)
        return value if isinstance(value, str) else default

    def remember_choice(self, name: str, value: str) -> None:
        choices = self._read("window.json")
        if choices.get(name) != value:
            choices[name] = value
            self._write("window.json", choices)

    # -- files
    def _read(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, name: str, content: Mapping[str, Any]) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, ensure_ascii=False, indent=1)
            Path(temporary).replace(self.folder / name)
        except OSError:
            return  # a read-only home or a full disk: this session still works, the next one starts afresh


def _run_settings(stored: Mapping[str, Any]) -> RunSettings:
    """Settings from JSON that may come from an older version or from an editor: what doesn't fit is left out."""
    plain = RunSettings()
    kept: dict[str, Any] = {}
    for each in fields(RunSettings):
        value, usual = stored.get(each.name), getattr(plain, each.name)
        if isinstance(usual, str) and isinstance(value, str):
            kept[each.name] = value
        elif isinstance(usual, float) and isinstance(value, (int, float)):
            kept[each.name] = float(value)
    pairs = stored.get("environment", [])
    if isinstance(pairs, list):
        kept["environment"] = tuple((str(p[0]), str(p[1])) for p in pairs if isinstance(p, list) and len(p) == 2)
    given = stored.get("function_arguments", {})
    if isinstance(given, dict):
        kept["function_arguments"] = {str(k): _strings(v) for k, v in given.items() if isinstance(v, dict)}
    seeds = stored.get("seed_expressions", {})
    kept["seed_expressions"] = _strings(seeds) if isinstance(seeds, dict) else {}
    for name, allowed in (("level", LEVELS), ("stdin_kind", STDIN_KINDS)):
        if kept.get(name) not in allowed:
            kept.pop(name, None)
    return RunSettings(**kept)


def _strings(stored: Mapping[Any, Any]) -> dict[str, str]:
    return {str(key): value for key, value in stored.items() if isinstance(value, str)}


def _recent(stored: Mapping[str, Any]) -> Recent:
    def text(name: str) -> str:
        value = stored.get(name, "")
        return value if isinstance(value, str) else ""

    count, when = stored.get("count", 0), stored.get("when", 0.0)
    return Recent(
        text("path"),
        text("function"),
        text("outcome"),
        count if isinstance(count, int) else 0,
        float(when) if isinstance(when, (int, float)) else 0.0,
    )
