"""How a finding's sentences are set: shapes and names that the person wrote in the fixed-width font."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from gradviz.diagnose.finding import Finding
from gradviz.draw.tokens import CELL
from gradviz.gui.theme import Theme

SHAPE = re.compile(r"\[(?:[\d\s,?*]|\w+(?=[,\]]))*\]")


def sentence_html(words: str, theme: Theme, strong: bool) -> str:
    """The sentence with its shapes in the fixed-width font, bold where `strong`."""
    weight = "; font-weight: 600" if strong else ""
    style = f"font-family: '{theme.font(CELL).family()}'{weight}"
    parts, at = [], 0
    for match in SHAPE.finditer(words):
        parts.append(escape(words[at : match.start()]))
        parts.append(f'<span style="{style}; white-space: pre">{escape(match.group())}</span>')
        at = match.end()
    return "".join(parts) + escape(words[at:])


def place(file: str, line: int) -> str:
    return f"{Path(file).name}:{line}"


def differing_lines(finding: Finding) -> bool:
    """Whether cause, symptom and raise are worth a line of their own."""
    others = (finding.symptom_line, finding.raised_line)
    return any(line is not None and line != finding.line for line in others) or (
        finding.raised_file is not None and finding.raised_file != finding.file
    )
