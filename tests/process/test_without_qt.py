"""`gradviz check` on a server: no Qt installed, and none needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gradviz.resources_path import resources_path
from tests.source_imports import ROOT

WITHOUT_QT = """
import sys
from tests.without_qt import NoQt
sys.meta_path.insert(0, NoQt())
from gradviz.cli.main import main
sys.exit(main())
"""


def test_check_needs_no_qt(tmp_path: Path) -> None:
    script = resources_path("examples", "seed_wrong_shape.py")

    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_QT, "check", str(script)],
        capture_output=True, text=True, encoding="utf-8", cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=180,
    )  # fmt: skip

    assert "seed-shape-mismatch" in done.stdout, done.stderr
    assert done.returncode == 1
