"""The panel 'How the operands were stretched' of a finding: rows, cells, sizes. Dimensions line up at the right."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.diagnose.finding import Finding, Operand
from gradviz.scene.sizes import Measure
from gradviz.scene.wording import Wording
from gradviz.scene.words import shape_text

CELL = 82.0
CELL_GAP = 8.0
CELL_HEIGHT = 26.0
ROW = 34.0
PAD = 16.0
HEAD = 62.0  # title and the row of dimension names
TEXT_LINE = 16.0
LEGEND = 26.0


@dataclass(frozen=True)
class Cell:
    """One dimension of one operand. `form`: given | stretched | added | result."""

    text: str
    form: str


@dataclass(frozen=True)
class PanelRow:
    name: str
    shape: str
    cells: tuple[Cell | None, ...]  # from the first shown dimension to the last


def panel_rows(finding: Finding, wording: Wording) -> tuple[PanelRow, ...]:
    """The operands, and the result that they give."""
    result = finding.result_shape if isinstance(finding.result_shape, tuple) else ()
    rank = max([len(result), *(len(operand.shape) for operand in finding.operands)])
    rows = [_row(operand, result, rank) for operand in finding.operands]
    if result:
        cells = tuple(Cell(str(size), "result") for size in result)
        rows.append(PanelRow(wording.result, shape_text(result), (None,) * (rank - len(result)) + cells))
    return tuple(rows)


def _row(operand: Operand, result: tuple[object, ...], rank: int) -> PanelRow:
    cells: list[Cell | None] = []
    for dim in range(-rank, 0):
        size = operand.shape[dim] if -dim <= len(operand.shape) else None
        out = result[dim] if -dim <= len(result) else size
        if size is None:
            cells.append(Cell(f"+ {out}", "added") if dim in operand.added or out is not None else None)
        elif dim in operand.stretched:
            cells.append(Cell(f"{size} → {out}", "stretched"))
        else:
            cells.append(Cell(str(size), "given"))
    return PanelRow(operand.name or "·", shape_text(operand.shape), tuple(cells))


def name_column(rows: tuple[PanelRow, ...], measure: Measure) -> float:
    return max([60.0, *(max(measure(row.name, "shape") * 1.1, measure(row.shape, "second")) for row in rows)]) + 24


def sentence_lines(finding: Finding, width: float, measure: Measure) -> tuple[str, ...]:
    """The finding's message, broken into at most three lines."""
    lines: list[str] = []
    line = ""
    for word in finding.message.split():
        longer = f"{line} {word}".strip()
        if measure(longer, "second") * 1.08 > width and line:
            lines.append(line)
            line = word
        else:
            line = longer
    lines.append(line)
    return tuple(lines[:3]) if len(lines) <= 3 else (*lines[:2], lines[2].rstrip(".,") + "…")


def panel_size(finding: Finding, measure: Measure, wording: Wording) -> tuple[float, float]:
    """Width and height in px, without the legend under it."""
    rows = panel_rows(finding, wording)
    columns = len(rows[0].cells) if rows else 0
    width = 2 * PAD + name_column(rows, measure) + columns * (CELL + CELL_GAP)
    width = max(width, measure(wording.panel_title, "name") + 2 * PAD, 300.0)
    lines = len(sentence_lines(finding, width - 2 * PAD, measure))
    return width, HEAD + len(rows) * ROW + 14 + lines * TEXT_LINE + PAD
