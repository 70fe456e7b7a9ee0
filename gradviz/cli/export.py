"""`gradviz export`: run if need be, draw the graph into a file."""

from __future__ import annotations

from gradviz.cli.check import recording_place
from gradviz.cli.options import Options
from gradviz.cli.running import examined, require_place, run_script
from gradviz.cli.streams import tell
from gradviz.export import export, require_format, require_room


def run(options: Options) -> int:
    """Exit code as for check: 1 when there is anything at warning or above."""
    place = require_place(options)
    require_format(place)
    require_room(place)
    path = options.recording
    if path is None:
        path = run_script(options, recording_place(options)).trace
    with examined(path) as result:
        remark = export(result.trace, result.findings, place, dict(options.drawing))
        tell(". ".join(filter(None, (f"Wrote {place}", remark))))
        return result.exit_code
