"""Takes pictures of models as people train them, from the real window: `python scripts/model_pictures.py [MODEL ...]`.

Of each: as it opens, its problem jumped to, one block opened by double clicks, and the whole with every group open.
They land in out/models, to be opened and judged; `--keep` puts those that the README shows into resources/screenshots.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from screenshots import FOLDER, ROOT, Stage, prepare

if TYPE_CHECKING:
    from gradviz.gui.canvas.canvas import Canvas

MODELS = ROOT / "tests" / "data" / "models"
ALIKE = 18  # of 765, between two colours that a picture is kept with
PICTURES = ROOT / "out" / "models"


@dataclass(frozen=True)
class Model:
    """`block`: the module whose group is opened. `theme`: of all its pictures."""

    name: str
    block: str
    theme: str = "light"


ALL = (
    Model("resnet50", "layer3.0"),
    Model("transformer", "blocks.5"),
    Model("gpt2", "h.5"),
    Model("unet", "up2"),
    Model("lstm", "cell"),
    Model("vae", "decoder"),
)
OF_THE_README = ("resnet50_first", "gpt2_first", "unet_finding", "lstm_finding")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Take pictures of models from the real window, into out/models.")
    parser.add_argument("models", nargs="*", choices=[[], *(model.name for model in ALL)], metavar="MODEL")
    parser.add_argument("--keep", action="store_true", help="copy the README's into resources/screenshots")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary))
        shutil.copytree(MODELS, Path.home() / "models")
        stage = Stage(Path(temporary))
        try:
            for model in ALL:
                if not options.models or model.name in options.models:
                    pictures(stage, model)
        finally:
            stage.close()
    for name in OF_THE_README if options.keep else ():
        keep(name)
    return 0


def keep(name: str) -> None:
    """With a palette of its most frequent colours, none of them like another: nothing is seen of it, and the file is a
    third.
    """
    import numpy as np
    from PySide6.QtGui import QImage

    picture = QImage(str(PICTURES / f"{name}.png")).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits(), np.uint32)
    colors, count = np.unique(pixels, return_counts=True)
    channels = np.stack([colors >> shift & 255 for shift in (16, 8, 0)], axis=1).astype(np.int64)
    left = np.argsort(-count, kind="stable")
    palette: list[int] = []
    while len(left) and len(palette) < 256:
        palette.append(int(colors[left[0]]))
        left = left[np.abs(channels[left] - channels[left[0]]).sum(axis=1) > ALIKE]
    picture.convertToFormat(QImage.Format.Format_Indexed8, palette).save(str(FOLDER / f"{name}.png"))


def pictures(stage: Stage, model: Model) -> None:
    """The four of one model."""
    stage.theme.set_mode(model.theme)
    stage.until(lambda: not stage.theme.changing(), "the theme")
    stage.run(f"{model.name}.py", folder="models")
    canvas = canvas_of(stage)
    assert canvas.loaded is not None
    stage.window.docks.front("modules")
    stage.take(f"{model.name}_first", PICTURES)
    opened, seen = canvas.loaded.build.opened, canvas.view.view
    stage.commands("next_finding")
    settle(stage)
    stage.take(f"{model.name}_finding", PICTURES)
    canvas.show_opened(opened)
    settle(stage)
    canvas.view.set_view(seen)
    open_block(stage, model.block)
    stage.take(f"{model.name}_block", PICTURES)
    canvas.folding.open_all()
    settle(stage)
    stage.commands("fit")
    stage.take(f"{model.name}_whole", PICTURES)


def canvas_of(stage: Stage) -> Canvas:
    from gradviz.gui.canvas.canvas import Canvas  # Qt's platform and fonts are chosen before it is imported

    canvas = stage.window.centre.canvas
    assert isinstance(canvas, Canvas)
    return canvas


def settle(stage: Stage) -> None:
    """Until the scene that was asked for stands, and nothing moves."""
    canvas = canvas_of(stage)
    stage.until(lambda: not canvas.busy and not canvas.view.morph.running, "the groups")
    stage.pause(1.0)


def open_block(stage: Stage, path: str) -> None:
    """By double clicks, as a person does it: first on what it is folded away in, then on itself."""
    canvas = canvas_of(stage)
    for _ in range(8):  # groups in groups
        box = folded_box(canvas, path)
        if box < 0:
            return
        double_click(stage, canvas, box)
        settle(stage)
    raise SystemExit(f"model_pictures.py: {path} can't be opened")


def folded_box(canvas: Canvas, path: str) -> int:
    """The box of the module's first group, or of the one that hides it; -1 where it is open."""
    assert canvas.loaded is not None
    draft = canvas.loaded.scene.draft
    boxes = {int(card): box for box, card in enumerate(draft.card.tolist()) if card >= 0}
    at = next(at for at, card in enumerate(draft.cards) if card.path == path and not card.copies)
    while at >= 0 and at not in boxes:
        at = draft.cards[at].parent
    return boxes.get(at, -1)


def double_click(stage: Stage, canvas: Canvas, box: int) -> None:
    """Brought into sight first, as one would."""
    from PySide6.QtCore import QPoint, Qt
    from PySide6.QtTest import QTest

    assert canvas.loaded is not None
    canvas.view.centre_on(box, glide=False)
    stage.pause(0.3)
    scene, view = canvas.loaded.scene, canvas.view.view
    at = QPoint(round((scene.x[box] - view.x) * view.zoom), round((scene.y[box] - view.y) * view.zoom))
    QTest.mouseClick(canvas.view, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(canvas.view, Qt.MouseButton.LeftButton, pos=at)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
