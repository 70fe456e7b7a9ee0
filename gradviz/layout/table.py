"""The table of engines, and which of them a request goes to."""

from __future__ import annotations

from dataclasses import replace

from gradviz.layout.dot_engines import BundledDotEngine, DotEngine
from gradviz.layout.model import Engine, Request, Result
from gradviz.layout.own.engine import OwnEngine
from gradviz.layout.simple import SimpleEngine

# The first is "auto", for every size: measured on ResNet, GPT, LSTM and GRU graphs of 14 to 880 nodes, the own engine
# has about as many crossings as dot, no line through a box, no label over one, twice as many straight edges and a lower
# drawing, in less time. It alone folds a tall drawing into columns. graphlay 0.3 draws as well, up to half as tall
# again, without groups, and takes minutes on wide layers: not worth a dependency. dot stays for those who ask for it.
ENGINES: tuple[Engine, ...] = (OwnEngine(), DotEngine(), BundledDotEngine(), SimpleEngine())


def engine_named(name: str) -> Engine | None:
    return next((engine for engine in ENGINES if engine.name == name), None)


def choose(request: Request) -> tuple[Engine, str]:
    """The engine for this request, and a sentence where it is not the one that was asked for."""
    wanted = request.options.engine
    if wanted == "auto":
        return ENGINES[0], ""
    engine = engine_named(wanted)
    if engine is None:
        return ENGINES[0], f"There is no layout engine “{wanted}”, so {ENGINES[0].name} arranged the graph."
    if not engine.available():
        return ENGINES[0], f"The layout engine “{wanted}” isn't installed, so {ENGINES[0].name} arranged the graph."
    count = len(request.widths)
    if count > engine.limit:
        return ENGINES[0], f"“{wanted}” takes too long for {count:,} nodes, so {ENGINES[0].name} arranged the graph."
    return engine, ""


def run(request: Request) -> Result:
    """Arrange in this process, without a time limit; an engine that fails hands over to the next simpler one."""
    engine, note = choose(request)
    try:
        result = engine.arrange(request)
    except Exception as error:  # engines call foreign programs and libraries
        if engine.name == "simple":
            raise
        simpler = "simple" if engine is ENGINES[0] else ENGINES[0].name
        result = run(replace(request, options=replace(request.options, engine=simpler)))
        note = f"The layout engine “{engine.name}” failed ({_short(error)}), so {result.engine} arranged the graph."
    return replace(result, note=note or result.note)


def _short(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:120]}" if text else type(error).__name__
