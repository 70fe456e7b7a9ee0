"""Small texts and links that several Inspector pages share."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from gradviz.document.pass_facts import PassFacts
from gradviz.gui.panes.inspector_cells import CellWords
from gradviz.gui.panes.inspector_section import Row
from gradviz.scene.words import shape_text
from gradviz.trace.model import Frame, Spec, Stack

translate = QCoreApplication.translate


def cell_words() -> CellWords:
    return CellWords(
        dim=translate("Inspector", "dim {number}"),
        none=translate("Inspector", "no dimension"),
        extra=translate("Inspector", "≠ one too many"),
        missing=translate("Inspector", "≠ missing"),
        scalar=translate("Inspector", "scalar"),
        stretched=translate("Inspector", "{name} stretched"),
    )


def spec_words(spec: Spec | None) -> str:
    """'[32, 64] float32'; device and layout where they aren't the usual ones."""
    if spec is None:
        return "None"
    words = f"{shape_text(spec.shape)} {spec.dtype}"
    if spec.device != "cpu":
        words += f" {spec.device}"
    return words if spec.layout == "strided" else f"{words} {spec.layout}"


def place_link(frame: Frame) -> str:
    return f"line:{frame.line}:{frame.file}"


def place_words(frame: Frame) -> str:
    return f"{Path(frame.file).name}:{frame.line}"


def node_link(node: int) -> str:
    return f"node:{node}"


def place_row(label: str, stack: Stack) -> list[Row]:
    return [Row(label, place_words(stack[0]), place_link(stack[0]), mono=False)] if stack else []


def stack_rows(stack: Stack) -> list[Row]:
    """One row per user frame, innermost first."""
    return [Row(frame.function, place_words(frame), place_link(frame), mono=False) for frame in stack]


def node_words(facts: PassFacts, node: int) -> str:
    """'AccumulateGrad z' for a leaf, else the node's name."""
    name = facts.name(node)
    return f"{name.rest} {name.strong}".strip()


def time_words(nanoseconds: int) -> str:
    """'0.03 ms', '1.2 s'; "" unknown."""
    if nanoseconds < 0:
        return ""
    if nanoseconds >= 1_000_000_000:
        return f"{nanoseconds / 1e9:.2g} s"
    return f"{nanoseconds / 1e6:.2g} ms" if nanoseconds < 1e7 else f"{nanoseconds / 1e6:.0f} ms"
