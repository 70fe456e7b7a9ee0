"""`gradviz check`: run, diagnose, report."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from gradviz.cli.options import Options
from gradviz.cli.running import examined, run_script
from gradviz.document.recordings import Recordings
from gradviz.export.report import json_report, text_report


def run(options: Options) -> int:
    """Exit code 1 when there is anything at warning or above."""
    path = options.recording
    if path is None:
        path = run_script(options, recording_place(options)).trace
    with examined(path) as result:
        if options.as_json:
            shown = options.target.shown if options.target is not None else str(path)
            report = json_report(result.trace, result.findings, shown, str(path))
            sys.stdout.write(json.dumps(report, ensure_ascii=True) + "\n")
        else:
            sys.stdout.flush()
            sys.stdout.write(text_report(result.trace, result.findings))
        return result.exit_code


def recording_place(options: Options) -> Path:
    """Among the unsaved recordings, where the window finds it; a temporary folder where that can't be written."""
    assert options.target is not None
    try:
        recordings = Recordings()
        recordings.expire()
        return recordings.new_path(options.target.stem)
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return Path(tempfile.mkdtemp(prefix="gradviz-")) / f"{options.target.stem}.gradviz"
