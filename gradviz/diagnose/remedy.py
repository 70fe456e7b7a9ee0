"""What kind of remedy a fix is: lines to write, or words that say what to do."""

from __future__ import annotations

import ast

from gradviz.diagnose.finding import Change, Finding
from gradviz.trace.syntax import parse_module


def lines_to_write(finding: Finding) -> tuple[Change, ...]:
    """The change that mends it, as lines of code; none where the fix is in words."""
    if finding.changes or not is_code(finding.fix):
        return finding.changes
    return (Change(finding.file, finding.line, (), (finding.fix,)),)


def is_code(fix: str) -> bool:
    """Whether it can be pasted as it is: a line of Python, without dots that stand for what is to be filled in."""
    for text in (fix, f"{fix}\n    pass"):  # the head of a with block is a line, too
        try:
            tree = parse_module(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        indexes = {part for node in ast.walk(tree) if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
        dots = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value is ...]
        return bool(tree.body) and all(node in indexes for node in dots)
    return False


def is_command(fix: str) -> bool:
    """Whether it is for a terminal."""
    return " -m pip install " in fix


def can_be_copied(finding: Finding) -> bool:
    """Whether there is something to paste."""
    return bool(lines_to_write(finding)) or is_command(finding.fix)
