"""Messages between the app and the layout's own process: a small JSON header, then raw array bytes. Never pickle.

A message is `<header length, u32 little endian><header, UTF-8 JSON><bytes of each array the header lists>`.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, fields
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gradviz.layout.model import Options, Request, Result

Array = NDArray[Any]
_LENGTH = struct.Struct("<I")
_DTYPES = ("<f4", "<i4")  # the only element types that travel
_MAX_HEADER = 1 << 20
_REQUEST_ARRAYS = ("widths", "heights", "tail", "head", "label_sizes", "group", "group_parent", "rank_hint")
_RESULT_ARRAYS = ("x", "y", "points", "offsets", "labels", "group_rects")


class WireError(Exception):
    """The other side closed the pipe in the middle of a message, or sent something that is not a message."""


def send(stream: IO[bytes], header: dict[str, Any], arrays: dict[str, Array]) -> None:
    listed = []
    bodies = []
    for name, array in arrays.items():
        flat = np.ascontiguousarray(array)
        flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
        listed.append({"name": name, "dtype": flat.dtype.str, "shape": list(flat.shape)})
        bodies.append(flat.tobytes())
    head = json.dumps({**header, "arrays": listed}).encode()
    stream.write(_LENGTH.pack(len(head)) + head)
    for body in bodies:
        stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], dict[str, Array]] | None:
    """One message, or None where the stream ends between two messages."""
    prefix = stream.read(_LENGTH.size)
    if not prefix:
        return None
    length = _LENGTH.unpack(_whole(prefix, _LENGTH.size))[0]
    if length > _MAX_HEADER:
        raise WireError(f"a header of {length} bytes")
    try:
        header = json.loads(_read(stream, length))
        listed = header.pop("arrays")
        arrays = {str(entry["name"]): _read_array(stream, entry) for entry in listed}
    except (ValueError, KeyError, TypeError) as error:
        raise WireError(f"not a message: {error}") from error
    return header, arrays


def _read_array(stream: IO[bytes], entry: dict[str, Any]) -> Array:
    if entry["dtype"] not in _DTYPES:
        raise WireError(f"an array of {entry['dtype']}")
    dtype = np.dtype(entry["dtype"])
    shape = tuple(int(size) for size in entry["shape"])
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(_read(stream, count * dtype.itemsize), dtype).reshape(shape)


def _read(stream: IO[bytes], size: int) -> bytes:
    return _whole(stream.read(size), size) if size else b""


def _whole(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise WireError("the stream ended inside a message")
    return data


def send_request(stream: IO[bytes], request: Request) -> None:
    arrays = {name: getattr(request, name) for name in _REQUEST_ARRAYS if getattr(request, name) is not None}
    send(stream, {"kind": "request", "options": asdict(request.options)}, arrays)


def request_of(header: dict[str, Any], arrays: dict[str, Array]) -> Request:
    known = {entry.name for entry in fields(Options)}
    options = {name: value for name, value in header["options"].items() if name in known}
    if options.get("viewport") is not None:
        options["viewport"] = tuple(options["viewport"])
    return Request(**{name: arrays[name] for name in _REQUEST_ARRAYS if name in arrays}, options=Options(**options))


def send_result(stream: IO[bytes], result: Result) -> None:
    header = {
        "kind": "result",
        "width": float(result.width),
        "height": float(result.height),
        "engine": result.engine,
        "note": result.note,
    }
    send(stream, header, {name: getattr(result, name) for name in _RESULT_ARRAYS})


def result_of(header: dict[str, Any], arrays: dict[str, Array]) -> Result:
    return Result(
        **{name: arrays[name] for name in _RESULT_ARRAYS},
        width=header["width"],
        height=header["height"],
        engine=header["engine"],
        note=header["note"],
    )
