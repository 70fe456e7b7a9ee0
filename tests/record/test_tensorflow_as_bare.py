"""What a TensorFlow script computes, prints and raises is the same under the recorder."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.document.run_request import Target
from gradviz.trace.reader import Trace
from tests.record.tensorflow_scripts import TENSORFLOW_SCRIPTS
from tests.tensorflow_python import PYTHON, assert_same_but_for_times, needs_tensorflow
from tests.transparency import run_bare, run_recorded


@needs_tensorflow
@pytest.mark.parametrize("name", TENSORFLOW_SCRIPTS)
def test_a_tensorflow_script_runs_as_if_bare(name: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(TENSORFLOW_SCRIPTS[name], encoding="utf-8")
    target = Target("script", "script.py")
    assert PYTHON is not None

    bare = run_bare(target, tmp_path, python=PYTHON)
    recorded = run_recorded(target, tmp_path, tmp_path / "run.gradviz", python=PYTHON)

    assert_same_but_for_times(bare, recorded.seen)
    with Trace(tmp_path / "run.gradviz") as trace:
        assert trace.passes()
        assert not [note.text for note in trace.notes() if note.kind == "recorder-fault"]
