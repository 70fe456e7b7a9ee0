"""One finding as plain text or Markdown: to print, to paste into an issue or a chat."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from gradviz.diagnose.finding import Finding, ShapeOrWords
from gradviz.diagnose.remedy import lines_to_write
from gradviz.diagnose.shapes import text as shape_text

WIDTH = 100
SEVERITIES = {"error": "Error", "warning": "Warning", "note": "Note"}
Lines = Callable[[str, int], str]  # (file, line) -> its source, "" unknown


def no_lines(file: str, line: int) -> str:
    """For who has no source at hand."""
    return ""


def finding_text(finding: Finding, source: Lines = no_lines, folder: str = "", tried: str = "") -> str:
    """Title, place with source line and caret, expected and received, why, the change; `folder` shortens paths,
    `tried` says what came of the change.
    """
    severity = SEVERITIES.get(finding.severity, finding.severity)
    parts = [f"{severity}: {finding.title or finding.message}  [{finding.rule}]"]
    parts += ["  " + where(finding, folder)]
    parts += excerpt(finding, source)
    if finding.expected_shape is not None or finding.received_shape is not None:
        parts.append(f"  expected {said(finding.expected_shape)}, received {said(finding.received_shape)}")
    if finding.title and finding.message:
        parts += wrapped(finding.message)
    parts += wrapped(finding.explanation)
    parts += change_lines(finding, folder)
    parts += wrapped(tried, "  Tried: ") if tried else []
    parts += ["  Also:" for _ in finding.effects[:1]]
    parts += [line for effect in finding.effects for line in wrapped(effect, "    - ", "      ")]
    return "\n".join(parts)


def finding_markdown(finding: Finding, source: Lines = no_lines, folder: str = "", tried: str = "") -> str:
    """The same for an issue tracker."""
    severity = SEVERITIES.get(finding.severity, finding.severity)
    title = escaped(finding.title or finding.message)
    parts = [f"### {severity}: {title} (`{finding.rule}`)", "", f"**Where:** {escaped(where(finding, folder))}"]
    line = source(finding.file, finding.line)
    if line:
        parts += ["", *fenced("python", [line.strip()])]
    if finding.expected_shape is not None or finding.received_shape is not None:
        parts += ["", "| expected | received |", "|---|---|"]
        parts += [f"| {cell(finding.expected_shape)} | {cell(finding.received_shape)} |"]
    for words in (finding.message if finding.title else "", finding.explanation):
        parts += ["", escaped(words)] if words else []
    changes = lines_to_write(finding)
    if finding.fix and not changes:
        parts += ["", f"**To mend it:** {escaped(finding.fix)}"]
    for change in changes:
        parts += ["", *fenced("diff", [f"- {old}" for old in change.old] + [f"+ {new}" for new in change.new])]
    parts += ["", f"**Tried:** {escaped(tried)}"] if tried else []
    if finding.effects:
        parts += ["", "Also:", *(f"- {escaped(effect)}" for effect in finding.effects)]
    return "\n".join(parts) + "\n"


def said(value: ShapeOrWords) -> str:
    """A shape or the words in its place; "nothing" where there is neither."""
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else shape_text(value)


def where(finding: Finding, folder: str = "") -> str:
    """'train.py:9, SubBackward0 (sub); shows at line 10; raised at line 12'."""
    text = f"{shortened(finding.file, folder)}:{finding.line}" if finding.file else "place unknown"
    if finding.node:
        text += f", {finding.node}" + (f" ({finding.op})" if finding.op else "")
    elif finding.op:
        text += f", {finding.op}"
    raised = (finding.raised_line, finding.raised_file or finding.file)
    if finding.symptom_line not in (None, finding.line) and (finding.symptom_line, finding.file) != raised:
        text += f"; shows at line {finding.symptom_line}"
    if finding.raised_line is not None and raised != (finding.line, finding.file):
        file = raised[1]
        text += f"; raised at {'line ' if file == finding.file else shortened(file, folder) + ':'}{finding.raised_line}"
    return text


def excerpt(finding: Finding, source: Lines) -> list[str]:
    """The source line with carets under the part that is meant."""
    line = source(finding.file, finding.line)
    if not line.strip():
        return []
    number = str(finding.line)
    shown = [f"    {number} | {line}"]
    raw = line.encode("utf-8", "surrogatepass")
    if 0 <= finding.column < len(raw):
        end = finding.end_column if finding.end_line in (0, finding.line) else len(raw)
        before = raw[: finding.column].decode("utf-8", "replace")
        marked = raw[finding.column : max(end, finding.column + 1)].decode("utf-8", "replace")
        gap = "".join("\t" if character == "\t" else " " * cells(character) for character in before)
        shown.append(f"    {' ' * len(number)} | {gap}{'^' * max(1, sum(cells(character) for character in marked))}")
    return shown


def cells(character: str) -> int:
    """Columns that a character takes in a terminal."""
    import unicodedata  # a table of a megabyte, wanted only where there is something to underline

    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def change_lines(finding: Finding, folder: str) -> list[str]:
    """What to write instead, as − and + lines."""
    if not finding.changes:
        return ["  To mend it:", f"    {finding.fix}"] if finding.fix else []
    lines = ["  Write instead:"]
    for change in finding.changes:
        if (change.file, change.line) != (finding.file, finding.line):
            lines.append(f"    {shortened(change.file, folder)}:{change.line}")
        lines += [f"    - {old.strip()}" for old in change.old] + [f"    + {new.strip()}" for new in change.new]
    return lines


def wrapped(text: str, first: str = "  ", rest: str = "  ") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)


def shortened(path: str, folder: str) -> str:
    """The path from `folder` where it lies inside, else as it is."""
    if folder and path.startswith(folder.rstrip("/\\") + os.sep):
        return str(Path(path).relative_to(folder))
    return path


def fenced(language: str, lines: Sequence[str]) -> list[str]:
    """A code block; its fence is longer than any inside."""
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return [fence + language, *lines, fence]


def escaped(text: str) -> str:
    """Text in which Markdown sees no markup: shapes in brackets, names with underscores and stars."""
    for sign in "\\`*_[]<>#|":
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def cell(value: ShapeOrWords) -> str:
    return "`" + said(value).replace("`", "'").replace("|", "\\|") + "`"
