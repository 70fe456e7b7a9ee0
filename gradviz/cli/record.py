"""`gradviz record`: run, keep the recording."""

from __future__ import annotations

from gradviz.cli.options import Options
from gradviz.cli.running import examined, require_place, run_script
from gradviz.cli.streams import tell
from gradviz.errors import NotStartedError
from gradviz.export.report import backward_passes, numbers_up_to
from gradviz.trace.kept import passes_not_kept


def run(options: Options) -> int:
    """Exit code as for check: 1 when there is anything at warning or above."""
    place = require_place(options)
    if options.recording is not None and not options.recording.exists():
        raise NotStartedError(f"There is no file {options.recording}.")
    if options.target is None:
        raise NotStartedError(f"{options.recording} is a recording already; gradviz record wants a script.")
    if place.suffix != ".gradviz":
        raise NotStartedError(f"A recording's name ends in .gradviz, not {place.name}.")
    outcome = run_script(options, place)
    with examined(outcome.trace) as result:
        kept = backward_passes(result.trace)
        ran, count = sum(each.repeats for each in kept), len(result.findings)
        counted = f"{ran:,} backward pass{'' if ran == 1 else 'es'}"
        if ran > len(kept):
            counted += f" ({len(kept)} kept)"
        counted += f", {count} finding{'' if count == 1 else 's'}"
        left_out = passes_not_kept(result.trace)
        if left_out:
            counted += f" (--passes {options.passes} kept none of those that ran; it takes {numbers_up_to(left_out)})"
        tell(f"Recorded {options.target.shown}: {counted}. Open it with: gradviz {outcome.trace}")
        return 2 if outcome.trouble else result.exit_code
