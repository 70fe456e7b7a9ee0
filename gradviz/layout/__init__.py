"""Boxes and edges in, places and routes out. Floor 1: knows nothing of gradients, traces or Qt.

`arrange` and `LayoutProcess` run an engine in a process of its own; `model.py` has the data, `table.py` the engines.
"""

from gradviz.layout.model import Options, Request, Result
from gradviz.layout.process import LayoutProcess, arrange

__all__ = ["LayoutProcess", "Options", "Request", "Result", "arrange"]
