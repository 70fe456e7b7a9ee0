"""The panel 'How the operands were stretched', tied to its node by a line."""

from __future__ import annotations

from gradviz.draw.fonts import Measurer
from gradviz.draw.looks import SEVERITY_INK, SEVERITY_SOFT
from gradviz.draw.nearby import Area
from gradviz.draw.surface import Surface, fitted
from gradviz.draw.tokens import CAPTION, CELL, CELL_HEIGHT, GROUP_RADIUS, LIST, NODE_LINE, NODE_NAME, RADIUS, SHAPE
from gradviz.scene.model import Panel, Scene
from gradviz.scene.panel import CELL as CELL_WIDTH
from gradviz.scene.panel import CELL_GAP, HEAD, PAD, ROW, TEXT_LINE, Cell, name_column, panel_rows, sentence_lines
from gradviz.scene.wording import Wording

TIE_IN = 24.0  # from the left border of a panel that stands below its node


def area_with_panel(scene: Scene, box: int) -> Area | None:
    """Of a box and the panels that explain it; None where there is none."""
    panels = [panel for panel in scene.panels if panel.box == box]
    if not panels:
        return None
    x, y, width, height = scene.rect(box)
    return (
        min(x, *(panel.x for panel in panels)),
        min(y, *(panel.y for panel in panels)),
        max(x + width, *(panel.x + panel.width for panel in panels)),
        max(y + height, *(panel.y + panel.height for panel in panels)),
    )


def draw_panel(surface: Surface, scene: Scene, panel: Panel, wording: Wording, measure: Measurer) -> None:
    """Hatched = stretched, dashed = added in front, plain = as given, framed = result."""
    ink, soft = SEVERITY_INK[panel.finding.severity], SEVERITY_SOFT[panel.finding.severity]
    x, y, width, height = panel.x, panel.y, panel.width, panel.height
    box_x, box_y, box_width, box_height = scene.rect(panel.box)
    middle = box_y + box_height / 2
    tie = [(box_x + box_width + 5, middle), (x, middle)] if x > box_x else [(box_x - 5, middle), (x + width, middle)]
    if scene.draft.across:
        tie = [(x + TIE_IN, box_y + box_height + 5), (x + TIE_IN, y)]
    surface.poly(tie, stroke=ink, pen=1.5)
    surface.rect(x, y, width, height, GROUP_RADIUS, "pane", ink, 1.5)
    surface.text(x + PAD, y + 22, wording.panel_title, NODE_NAME, "text")
    rows = panel_rows(panel.finding, wording)
    first = x + PAD + name_column(rows, measure)
    columns = len(rows[0].cells) if rows else 0
    for column in range(columns):
        centre = first + column * (CELL_WIDTH + CELL_GAP) + CELL_WIDTH / 2
        surface.text(centre, y + 48, f"dim −{columns - column}", CAPTION, "text2", "center", 400)
    top = y + HEAD
    for row in rows:
        is_result = any(cell is not None and cell.form == "result" for cell in row.cells)
        if is_result:
            surface.poly([(x + PAD, top), (x + width - PAD, top)], stroke="border")
            top += 6
        surface.text(x + PAD, top + 7, fitted(row.name, SHAPE, first - x - PAD - 8, 600), SHAPE, "text", "left", 600)
        surface.text(x + PAD, top + 21, row.shape, NODE_LINE, "text2")
        for column, cell in enumerate(row.cells):
            if cell is not None:
                draw_cell(surface, first + column * (CELL_WIDTH + CELL_GAP), top, CELL_WIDTH, cell, ink, soft)
        top += ROW
    top += 14
    for line in sentence_lines(panel.finding, width - 2 * PAD, measure):
        surface.text(x + PAD, top, line, LIST, "text")
        top += TEXT_LINE
    _draw_legend(surface, x, y + height + 16, ink, soft, wording, measure)


def draw_cell(surface: Surface, x: float, y: float, width: float, cell: Cell, ink: str, soft: str) -> None:
    """One dimension."""
    if cell.form == "given":
        surface.rect(x, y, width, CELL_HEIGHT, RADIUS, "node", "control", 1.0)
        surface.text(x + width / 2, y + CELL_HEIGHT / 2, cell.text, CELL, "text", "center")
        return
    if cell.form == "added":
        surface.rect(x, y, width, CELL_HEIGHT, RADIUS, "node", ink, 1.5, (5.0, 3.0))
    else:
        surface.rect(x, y, width, CELL_HEIGHT, RADIUS, soft, ink, 2.0 if cell.form == "result" else 1.5)
    if cell.form == "stretched":
        surface.hatch(x, y, width, CELL_HEIGHT, ink)
        plate = 6.0 + 7.4 * len(cell.text)
        surface.rect(x + (width - plate) / 2, y + 4, plate, CELL_HEIGHT - 8, 2, soft)
    surface.text(x + width / 2, y + CELL_HEIGHT / 2, cell.text, CELL, ink, "center", 600)


def _draw_legend(
    surface: Surface, x: float, middle: float, ink: str, soft: str, wording: Wording, measure: Measurer
) -> None:
    for form, words in (("stretched", wording.stretched), ("added", wording.added), ("given", wording.as_given)):
        if form == "given":
            surface.rect(x, middle - 6, 20, 12, 2, "node", "control", 1.0)
        elif form == "added":
            surface.rect(x, middle - 6, 20, 12, 2, "node", ink, 1.25, (4.0, 2.5))
        else:
            surface.rect(x, middle - 6, 20, 12, 2, soft, ink, 1.0)
            surface.hatch(x, middle - 6, 20, 12, ink)
        surface.text(x + 27, middle, words, CAPTION, "text2", "left", 400)
        x += 27 + measure(words, "second") + 16
