"""Which parts of a line of Python have which colour; of other lines it knows only the string that goes on."""

from __future__ import annotations

import keyword
import re

KEYWORD, STRING, NUMBER, COMMENT = "code_keyword", "code_string", "code_number", "code_comment"
OPENING = re.compile(r"""(?P<quote>\"{3}|'{3})|\#[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""")
CLOSING = {quote: re.compile(r"(?:[^\\]|\\.)*?" + quote, re.DOTALL) for quote in ('"' * 3, "'" * 3)}
PARTS = re.compile(
    r"""(?P<comment>\#.*)
    |(?P<string>\b[rRbBuUfF]{0,2}(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)
    |(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?j?)\b|(?<![\w.])\.\d+)
    |(?P<word>\b[A-Za-z_]\w*\b)""",
    re.VERBOSE,
)
WORDS = frozenset(keyword.kwlist) | {"self", "cls"}
Span = tuple[int, int, str]  # start, length, token


def open_strings(text: str) -> dict[int, str]:
    """For each line (from 0) that begins inside a triple-quoted string: its quotes."""
    inside: dict[int, str] = {}
    at, line, counted = 0, 0, 0
    while (match := OPENING.search(text, at)) is not None:
        quote = match.group("quote")
        if quote is None:
            at = match.end()
            continue
        end = closing(text, match.end(), quote)
        first = line + text.count("\n", counted, match.start())
        last = first + text.count("\n", match.start(), end)
        inside.update(dict.fromkeys(range(first + 1, last + 1), quote))
        line, counted, at = last, end, end
    return inside


def closing(text: str, at: int, quote: str) -> int:
    """Where the string ends: behind its closing quotes, or the end of the text."""
    match = CLOSING[quote].match(text, at)
    return match.end() if match is not None else len(text)


def spans(line: str, quote: str = "") -> list[Span]:
    """Coloured parts of a line; `quote` says which triple-quoted string it begins in."""
    found: list[Span] = []
    at = 0
    if quote:
        end = closing(line, 0, quote)
        found.append((0, end, STRING))
        at = end
    while at < len(line):
        match = PARTS.search(line, at)
        if match is None:
            break
        start, kind = match.start(), match.lastgroup
        triple = re.match(r"[rRbBuUfF]{0,2}(\"{3}|'{3})", line[start:]) if kind == "string" else None
        if triple is not None:
            end = closing(line, start + triple.end(), triple.group(1))
            found.append((start, end - start, STRING))
            at = end
            continue
        at = max(match.end(), start + 1)
        if kind == "word":
            if match.group() in WORDS:
                found.append((start, at - start, KEYWORD))
        elif kind is not None:
            found.append((start, at - start, {"comment": COMMENT, "string": STRING, "number": NUMBER}[kind]))
    return found
