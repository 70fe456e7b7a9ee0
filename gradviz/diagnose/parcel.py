"""Findings as JSON and back, for a diagnosis that runs in a process of its own. Nothing of them is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from gradviz.diagnose.finding import Finding
from gradviz.errors import GradvizError


def packed(findings: Sequence[Finding], trouble: str = "") -> str:
    """All findings in one text, or the sentence that says why there are none."""
    return json.dumps({"trouble": trouble, "findings": [asdict(finding) for finding in findings]})


def unpacked(text: str) -> tuple[Finding, ...]:
    """What `packed` was given: GradvizError with the trouble's sentence; ValueError where it is no parcel."""
    try:
        parcel = json.loads(text)
        trouble, findings = parcel["trouble"], tuple(_made(Finding, entry) for entry in parcel["findings"])
    except (KeyError, TypeError, StopIteration) as error:
        raise ValueError(f"not a parcel of findings: {error}") from error
    if trouble:
        raise GradvizError(trouble)
    return findings


def _made(kind: Any, value: Any) -> Any:
    """A JSON value as the type that its field is declared with: JSON has neither tuples nor classes."""
    if isinstance(value, dict):
        made = next(each for each in _alternatives(kind) if isinstance(each, type) and is_dataclass(each))
        hints = get_type_hints(made)
        return made(**{name: _made(hints[name], part) for name, part in value.items()})
    if isinstance(value, list):
        made = next(each for each in _alternatives(kind) if get_origin(each) is tuple)
        parts = get_args(made)
        kinds = [parts[0]] * len(value) if parts[1:] == (...,) else parts
        return tuple(_made(each, part) for each, part in zip(kinds, value))
    if kind is Finding:
        raise TypeError(f"{value!r} is no finding")
    return value


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The members of a union; a type that is none stands alone."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
