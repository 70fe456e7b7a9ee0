"""`python -m gradviz` is the `gradviz` command."""

from __future__ import annotations

import sys

from gradviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
