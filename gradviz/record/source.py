"""Compiles a script's bytes as `python file` reads them, which refuses some that `compile` accepts."""

from __future__ import annotations

import tokenize
import warnings
from collections.abc import Iterator
from types import CodeType

COMPILE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)  # ValueError: null bytes


def compiled(data: bytes, file: str) -> CodeType:
    """The code, with the compiler's warnings shown once. Raises one of COMPILE_ERRORS, and then nothing was shown."""
    _refuse_undecodable(data, file)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        code = _compile(data, file)
    return _compile(data, file) if caught else code  # the second time for the warnings: an error may be among them


def _compile(data: bytes, file: str) -> CodeType:
    code = compile(data, file, "exec", dont_inherit=True)
    assert isinstance(code, CodeType)
    return code


def _refuse_undecodable(data: bytes, file: str) -> None:
    """Reading a file, Python decodes every line, comments too."""
    if data.isascii():
        return
    lines: Iterator[bytes] = iter(data.splitlines(keepends=True))
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    except SyntaxError as error:
        if not str(error).startswith("invalid or missing"):
            raise SyntaxError(str(error), (file, 1, 0, None)) from None
        encoding = "utf-8"  # none is declared, and the first lines aren't: told below, as Python tells it
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if encoding.startswith("utf-8"):
            reason = (
                f"Non-UTF-8 code starting with '\\x{data[error.start]:02x}' in file {file} on line {line}, "
                "but no encoding declared; see https://peps.python.org/pep-0263/ for details"
            )
        else:
            reason = f"(unicode error) {error}"
        raise SyntaxError(reason, (file, line, 0, None)) from None
