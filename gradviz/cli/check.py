"""`gradviz check`: run, diagnose, report."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli.options import Options
from gradviz.cli.running import Examined, examined, make_request, run_script
from gradviz.cli.script_input import ScriptInput
from gradviz.cli.streams import say
from gradviz.document.recordings import Recordings
from gradviz.document.supervisor import Outcome
from gradviz.errors import NotStartedError

if TYPE_CHECKING:
    from gradviz.trace.model import RunInfo


def run(options: Options) -> int:
    """Exit code 1 when there is anything at warning or above."""
    if options.tries and options.recording is not None:
        raise NotStartedError(f"--try runs the script again; {options.recording} is a recording. Give the script.")
    given = ScriptInput(again=options.tries)
    path, outcome = options.recording, None
    if path is None:
        outcome = run_script(options, recording_place(options), given)
        path = outcome.trace
    from gradviz.cli.trying import trial_json, try_fixes  # here: loaded while the script ran
    from gradviz.export.report import json_report, text_report

    with examined(path) as result:
        tried = try_fixes(make_request(options, path), result.findings, given) if options.tries else {}
        if options.as_json:
            shown = options.target.shown if options.target is not None else str(path)
            report = json_report(result.trace, result.findings, shown, str(path), how_it_ended(result, outcome))
            for number, trial in tried.items():
                report["findings"][number]["tried"] = trial_json(trial, result.findings[number].fix)
            say(json.dumps(report, ensure_ascii=True) + "\n")
        else:
            messages = {number: each.message for number, each in tried.items()}
            say(text_report(result.trace, result.findings, messages, how_it_ended(result, outcome)))
        return result.exit_code


def how_it_ended(result: Examined, outcome: Outcome | None) -> RunInfo:
    """A run that ended just now is known better than by its recording, which lacks the end where its disk was full."""
    run = result.trace.run()
    if outcome is None:
        return run
    return replace(
        run, status=outcome.status, exit_code=outcome.exit_code, signal=outcome.signal, seconds=outcome.seconds
    )


def recording_place(options: Options) -> Path:
    """Among the unsaved recordings, where the window finds it; a temporary folder where that can't be written."""
    assert options.target is not None
    try:
        recordings = Recordings()
        recordings.expire()
        return recordings.new_path(options.target.stem)
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return Path(tempfile.mkdtemp(prefix="gradviz-")) / f"{options.target.stem}.gradviz"
