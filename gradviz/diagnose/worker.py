"""Diagnoses one recording in a process of its own: `python -m gradviz.diagnose.worker FILE` prints a parcel.

A diagnosis of tens of thousands of nodes holds the interpreter for a third of a second, in which a window that shares
it answers in fits and starts.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gradviz.background import stand_back
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.parcel import packed
from gradviz.errors import GradvizError
from gradviz.trace.reader import Trace


def main() -> None:
    stand_back()
    try:
        with Trace(Path(sys.argv[1])) as trace:
            told = packed(diagnose(trace))
    except GradvizError as error:
        told = packed((), str(error))
    sys.stdout.buffer.write(told.encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
