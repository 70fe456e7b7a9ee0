"""Graphviz as an engine: the system's `dot`, or the libraries that come with pygraphviz's wheels."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec

from gradviz.layout.dot_text import result, source
from gradviz.layout.model import Request, Result

_LIMIT = 1500  # nodes; dot takes 20 s at 3,500 and grows with their square and more
_SHARE = 0.6  # of the time limit; the rest is left for the engine that takes over


class DotEngine:
    """The system's `dot`, killed when it takes too long."""

    name = "dot"
    limit = _LIMIT

    def available(self) -> bool:
        return shutil.which("dot") is not None

    def arrange(self, request: Request) -> Result:
        done = subprocess.run(
            ["dot", "-Tjson"],
            input=source(request).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SHARE * request.options.time_limit,
            check=True,
        )
        return result(request, done.stdout, self.name)


class BundledDotEngine:
    """The same program as a library. It holds the interpreter and can't be stopped but with its process."""

    name = "pygraphviz"
    limit = _LIMIT

    def available(self) -> bool:
        return find_spec("pygraphviz") is not None

    def arrange(self, request: Request) -> Result:
        import pygraphviz  # loads 30 MB of libraries, which no other engine needs

        graph = pygraphviz.AGraph(string=source(request))
        return result(request, graph.draw(format="json", prog="dot"), self.name)
