"""The formats of exports by the ending of the file's name. No Qt."""

from __future__ import annotations

from pathlib import Path

from gradviz.errors import ExportError

FORMATS = {
    "svg": "SVG picture, text stays text",
    "png": "PNG picture",
    "pdf": "PDF page",
    "dot": "Graphviz source",
    "graphml": "GraphML",
    "json": "the graph as JSON",
}
PICTURES = ("svg", "png", "pdf")
NOT_BUILT = ("html", "gif")


def require_format(path: Path) -> str:
    """The format that a file's name asks for. Raises ExportError where there is none, before anything is run."""
    ending = Path(path).suffix.lstrip(".").lower()
    if ending in FORMATS:
        return ending
    known = ", ".join(FORMATS)
    if ending in NOT_BUILT:
        raise ExportError(f"gradviz can't write {ending.upper()} yet. It writes {known}.")
    if not ending:
        raise ExportError(f"The name {Path(path).name} has no ending that says what to write: one of {known}.")
    raise ExportError(f"gradviz doesn't write .{ending} files. It writes {known}.")
