"""The table of engines, and which of them a request goes to."""

from __future__ import annotations

from dataclasses import replace

from gradviz.layout.model import Engine, Request, Result
from gradviz.layout.own.engine import OwnEngine
from gradviz.layout.simple import SimpleEngine

ENGINES: tuple[Engine, ...] = (OwnEngine(), SimpleEngine())


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
    return engine, ""


def run(request: Request) -> Result:
    """Arrange in this process, without a time limit; an engine that fails hands over to the simple one."""
    engine, note = choose(request)
    try:
        result = engine.arrange(request)
    except Exception as error:  # noqa: BLE001 - engines call foreign programs and libraries
        result = SimpleEngine().arrange(request)
        note = f"The layout engine “{engine.name}” failed ({_short(error)}), so the simple layout took over."
    return replace(result, note=note or result.note)


def _short(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:120]}" if text else type(error).__name__
