"""Makes the README's pictures from the real window, driven for real: `python scripts/screenshots.py [NAME ...]`.

Each picture opens a program of the gallery, runs it through the recorder, goes where the picture is taken, and grabs
the window at 1440 × 900. Without a display it uses Qt's offscreen platform. The font is the platform's; where that is
only fontconfig's last resort (a bare server), a better one that is installed is taken.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import setup_tensorflow

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "screenshots"
SIZE = (1440, 900)
PATIENCE = 180.0  # seconds for one run, its framework's import included
GOOD_FONTS = ("Inter", "Cantarell", "Ubuntu", "Noto Sans", "Open Sans", "Liberation Sans")


@dataclass(frozen=True)
class Shot:
    """One picture: the program, and what to do once it has run."""

    name: str
    example: str  # "" = the welcome page
    theme: str = "light"
    act: Callable[[Stage], None] = lambda stage: None
    in_tensorflow: bool = False  # its program needs TensorFlow's interpreter


class Stage:
    """The window and how to wait for it."""

    def __init__(self, folder: Path) -> None:
        from gradviz.document.settings import Settings
        from gradviz.gui.app import make_application, make_window

        importlib.import_module("pyqtgraph")  # the window does it in a thread, and pictures don't wait for that
        self.application = make_application()
        self.window, self.theme = make_window(self.application, Settings(folder / "config"))
        self.window.resize(*SIZE)
        self.window.show()
        self.window.ready()
        self.pause(0.3)

    def pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.application.processEvents()
            time.sleep(0.005)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise SystemExit(f"screenshots.py: waited {PATIENCE:.0f} s in vain for {what}")
            self.pause(0.05)

    def run(self, example: str, interpreter: str = "", folder: str = "course") -> None:
        """Open a program of the gallery (or of another folder at home), run it, wait until all is shown."""
        document, path = self.window.document, Path.home() / folder / example
        if interpreter:
            settings = document.settings
            settings.remember_run(path, replace(settings.run_settings(path), interpreter=interpreter))
        self.window.open_path(path)
        self.window.commands["run"].trigger()
        self.until(lambda: document.state.phase == "ended" and not document.state.diagnosing, f"the end of {example}")
        self.until(self._drawn, "the graph")
        self.pause(1.0)

    def _drawn(self) -> bool:
        """The canvas shows this recording with these findings."""
        loaded, view = getattr(self.window.centre.canvas, "loaded", None), self.window.hub.view
        return loaded is not None and (loaded.order.trace, loaded.order.findings) == (view.trace, view.findings)

    def commands(self, *names: str) -> None:
        for name in names:
            self.window.commands[name].trigger()
        self.pause(1.0)

    def take(self, name: str, folder: Path = FOLDER) -> None:
        from gradviz.gui.panes.turns import Turns

        folder.mkdir(parents=True, exist_ok=True)
        self.until(Turns.of_application().quiet, "the panes")
        place = folder / f"{name}.png"
        self.window.grab().save(str(place))
        print(f"{place.relative_to(ROOT)}: {self.window.status.words()}", flush=True)

    def close(self) -> None:
        self.window.close()
        self.window.close_everything()


def steps(count: int) -> Callable[[Stage], None]:
    def act(stage: Stage) -> None:
        stage.window.docks.front("steps")
        stage.commands("first", *["step"] * count)
        stage.commands("fit")

    return act


def fitted(stage: Stage) -> None:
    stage.window.docks.front("steps")
    stage.commands("fit")


def transformer(opened: bool) -> Callable[[Stage], None]:
    def act(stage: Stage) -> None:
        from gradviz.document.hub import Selection
        from gradviz.gui.canvas.canvas import Canvas  # Qt's platform and fonts are chosen before it is imported

        canvas = stage.window.centre.canvas
        assert isinstance(canvas, Canvas)
        stage.window.docks.front("modules")
        stage.commands("fold_all", "last")
        stage.pause(2.0)
        if not opened or canvas.loaded is None:
            stage.commands("fit")
            return
        block = next(card for card in canvas.loaded.scene.draft.cards if card.path == "blocks.1")
        canvas.zoom_reset()
        canvas.folding.toggle(block.key)
        stage.pause(3.0)
        stage.window.hub.change(None, selection=Selection("group", path="blocks.1"))
        stage.pause(1.0)

    return act


def path_to_parameter(stage: Stage) -> None:
    """From the loss to a parameter of the second block, asked for in the palette."""
    from gradviz.gui.canvas.canvas import Canvas  # as above

    canvas = stage.window.centre.canvas
    assert isinstance(canvas, Canvas)
    stage.window.docks.front("modules")
    stage.commands("first")
    _typed(stage, "focus_path", "blocks.1.out.weight")
    assert canvas.loaded is not None
    canvas.folding.toggle(next(card.key for card in canvas.loaded.scene.draft.cards if card.path == "blocks.1"))
    stage.pause(3.0)
    stage.commands("fit")
    canvas.view.setFocus()
    stage.pause(2.0)


def searched(stage: Stage) -> None:
    _typed(stage, "find", "norm", goes=False)


def _typed(stage: Stage, command: str, text: str, goes: bool = True) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from gradviz.gui.palette.palette import Palette

    palette = stage.window.findChild(Palette)
    assert isinstance(palette, Palette)
    stage.commands(command)
    QTest.keyClicks(palette.field, text)
    stage.pause(1.0)
    if goes:
        QTest.keyClick(palette.field, Qt.Key.Key_Return)


SHOTS = (
    Shot("seed_mismatch", "seed_wrong_shape.py"),
    Shot("silent_broadcast", "silent_broadcast.py"),
    Shot("midstep", "mlp_training.py", act=steps(6)),
    Shot("transformer_folded", "tiny_transformer.py", act=transformer(opened=False)),
    Shot("transformer_open", "tiny_transformer.py", act=transformer(opened=True)),
    Shot("focus", "tiny_transformer.py", act=path_to_parameter),
    Shot("palette", "tiny_transformer.py", theme="dark", act=searched),
    Shot("outer_faulty", "nested_outer.py", act=fitted),
    Shot("outer_mended", "nested_outer_mended.py", act=fitted),
    Shot("eigenproblem_pytorch", "seed_wrong_shape_mended.py", act=steps(3)),
    Shot("eigenproblem_tensorflow", "eigenproblem_tensorflow.py", act=steps(3), in_tensorflow=True),
    Shot("dark", "mlp_training.py", theme="dark", act=steps(6)),
    Shot("welcome", ""),
)


def main(names: list[str]) -> int:
    unknown = set(names) - {shot.name for shot in SHOTS}
    if unknown:
        print(f"screenshots.py: there is no picture {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary))
        stage = Stage(Path(temporary))
        try:
            for shot in SHOTS:
                if not names or shot.name in names:
                    picture(stage, shot)
        finally:
            stage.close()
    return 0


def picture(stage: Stage, shot: Shot) -> None:
    interpreter = tensorflow_python() if shot.in_tensorflow else ""
    if shot.in_tensorflow and not interpreter:
        print(f"{shot.name}: not taken, no TensorFlow is here (scripts/test.py --tensorflow installs it)", flush=True)
        return
    stage.theme.set_mode(shot.theme)
    stage.until(lambda: not stage.theme.changing(), "the theme")
    if shot.example:
        stage.run(shot.example, interpreter)
        shot.act(stage)
    else:
        stage.window.document.close()
        stage.pause(0.5)
    stage.take(shot.name)


def tensorflow_python() -> str:
    """The interpreter that has TensorFlow; "" where there is none."""
    named = os.environ.get(setup_tensorflow.VARIABLE)
    python = Path(named) if named else setup_tensorflow.venv_python()
    return str(python) if python.exists() else ""


def prepare(folder: Path) -> None:
    """A home of its own, a platform, a font: all before Qt is imported. No picture shows a path of this machine."""
    shutil.copytree(ROOT / "resources" / "examples", folder / "home" / "course")
    os.environ["HOME"] = os.environ["USERPROFILE"] = str(folder / "home")
    os.environ["GRADVIZ_CONFIG_HOME"] = str(folder / "config")
    os.environ["GRADVIZ_DATA_HOME"] = str(folder / "data")
    headless = sys.platform.startswith("linux") and not os.environ.get("DISPLAY")
    if headless:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        font = _better_font()
        if font:
            os.environ["FONTCONFIG_FILE"] = str(_prefer(font, folder))


def _better_font() -> str:
    """A good interface font that is installed, where fontconfig would fall back to its last resort."""
    match, listing = shutil.which("fc-match"), shutil.which("fc-list")
    if match is None or listing is None:
        return ""
    usual = subprocess.run([match, "-f", "%{family}", "sans-serif"], capture_output=True, text=True).stdout
    if "DejaVu" not in usual:
        return ""
    families = subprocess.run([listing, ":", "family"], capture_output=True, text=True).stdout
    installed = {name.strip() for line in families.splitlines() for name in line.split(",")}
    return next((font for font in GOOD_FONTS if font in installed), "")


def _prefer(font: str, folder: Path) -> Path:
    rules = "".join(
        f'<match target="pattern"><test name="family"><string>{name}</string></test>'
        f'<edit name="family" mode="prepend" binding="strong"><string>{font}</string></edit></match>'
        for name in ("sans-serif", "Sans Serif", "Sans")
    )
    place = folder / "fonts.conf"
    include = "<include ignore_missing='yes'>/etc/fonts/fonts.conf</include>"
    place.write_text(f"<?xml version='1.0'?><fontconfig>{include}{rules}</fontconfig>", encoding="utf-8")
    return place


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
