"""Every handed case, faulty or mended: same output, end, gradients and random numbers with and without recording."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from gradviz.document.run_request import Target
from tests.source_imports import ROOT
from tests.transparency import assert_same, run_bare, run_recorded

CASES = ROOT / "tests" / "data" / "cases"
MODULES = {"torch": "torch", "hips": "autograd", "tf": "tensorflow"}
HANDED: list[dict[str, Any]] = json.loads((CASES / "cases.json").read_text(encoding="utf-8"))
# Named exceptions: recorded, torch.compile runs eagerly. The bare run is asked for the same.
NAMED = {"m23_compile_default_healthy": {"TORCHDYNAMO_DISABLE": "1"}}


@pytest.mark.parametrize("case", HANDED, ids=lambda case: str(case["id"]).replace("/", "-"))
def test_a_case_runs_as_if_bare(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = MODULES[case["framework"]]
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"not on this machine: {module}")
    for name, value in NAMED.get(case["id"], {}).items():
        monkeypatch.setenv(name, value)
    run = case.get("run") or {}
    script = CASES / case["file"]
    arguments, stdin = run.get("argv") or (), (run.get("stdin") or "").encode()
    target = Target("script", script.name)

    bare = run_bare(target, script.parent, arguments, stdin)
    recorded = run_recorded(target, script.parent, tmp_path / "run.gradviz", arguments, stdin)

    assert_same(bare, recorded.seen)
