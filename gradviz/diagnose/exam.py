"""What every rule is handed: the recording and the writer of findings."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.diagnose.build import Writer
from gradviz.diagnose.case import Case


@dataclass(frozen=True)
class Examination:
    """One run of the rules over one recording."""

    case: Case
    writer: Writer
