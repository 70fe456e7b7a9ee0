"""Pictures and reports of a recording. Importing this needs no Qt: `check` on a bare server reports without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gradviz.diagnose.finding import Finding
from gradviz.export.formats import FORMATS, require_format
from gradviz.export.whole_file import require_room
from gradviz.trace.reader import Trace

__all__ = ["FORMATS", "export", "require_format", "require_room"]


def export(trace: Trace, findings: Sequence[Finding], path: Path, options: Mapping[str, str] | None = None) -> str:
    """Draw one pass of a recording into a file; the ending of its name says how. Returns a remark, or "".

    Options: theme (light | dark), scale (of a PNG), transparent ("1"), pass_number (from 0), groups (auto | open |
    folded), shapes, wrap ("0" to leave out), direction (down | right). Raises ExportError with one sentence; no
    half-written file stays.
    """
    from gradviz.export.whole import export_pass  # here, because it brings Qt

    return export_pass(trace, tuple(findings), Path(path), dict(options or {}))
