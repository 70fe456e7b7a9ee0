"""Writes a file whole or not at all: beside its place first, then moved there."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gradviz.errors import ExportError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EACCES: "you may not write there",
    errno.EPERM: "you may not write there",
    errno.EROFS: "the disk is read-only",
    errno.ENOENT: "there is no such folder",
    errno.ENOTDIR: "there is no such folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EISDIR: "there is a folder of that name",
}


def require_room(path: Path) -> None:
    """Raises ExportError where `whole_file` would at once: a script shan't run for hours first."""
    path = Path(path)
    if path.is_dir():
        raise ExportError(f"{path} can't be written: there is a folder of that name.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ExportError:
    return ExportError(f"{path} can't be written: {_REASONS.get(error.errno or 0, error.strerror or str(error))}.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write to; on leaving well it becomes `path`, otherwise it is gone. Raises ExportError."""
    path = Path(path)
    if path.is_dir():
        raise ExportError(f"{path} can't be written: there is a folder of that name.")
    beside: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem[:40]}-", suffix=path.suffix, dir=path.parent)
        beside = Path(name)
        os.close(handle)
        yield beside
        _flush(beside)
        beside.chmod(0o666 & ~_umask())  # mkstemp keeps others out; an export is a file like any
        beside.replace(path)
        beside = None
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """A disk that is full may say so only now."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
