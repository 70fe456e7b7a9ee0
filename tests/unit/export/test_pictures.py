"""Exported files: what is in them, and what is said when they can't be written."""

from __future__ import annotations

import errno
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import networkx as nx
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from gradviz.draw.tokens import DARK, LIGHT
from gradviz.errors import ExportError
from gradviz.export import FORMATS, export, require_format
from gradviz.export import picture_file as picture_files
from gradviz.export.picture_file import Drawing, whole_area, write_picture
from gradviz.export.whole_file import whole_file
from gradviz.trace.reader import Trace
from tests import recordings
from tests.builders import TraceBuilder
from tests.example_findings import BROADCAST, SEED_MISMATCH
from tests.unit.draw.pictures import picture_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def eigh(tmp_path: Path, qapp: QApplication) -> Path:
    return recordings.eigh_seed_mismatch(tmp_path / "run.gradviz")


def texts_of(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter(f"{SVG}text")]


def test_svg_text_stays_text(eigh: Path, tmp_path: Path) -> None:
    write_picture(*picture_of(eigh, (SEED_MISMATCH,)), tmp_path / "graph.svg", Drawing(title="eigh & <co>"))
    texts = texts_of(tmp_path / "graph.svg")
    assert {"SumBackward0", "Seed gradient", "expected", "received", "[164]", "line 16 · G @ y", "same tensor"} <= {
        text.removeprefix("= ") for text in texts
    }
    title = ElementTree.parse(tmp_path / "graph.svg").find(f"{SVG}title")
    assert title is not None and title.text == "eigh & <co>"


def test_svg_holds_the_panel_of_a_silent_broadcast(tmp_path: Path, qapp: QApplication) -> None:
    made = picture_of(recordings.silent_broadcast(tmp_path / "run"), (BROADCAST,))
    write_picture(*made, tmp_path / "graph.svg")
    assert {"How the operands were stretched", "1 → 20", "+ 20", "stretched"} <= set(texts_of(tmp_path / "graph.svg"))


def test_a_hostile_name_makes_no_broken_svg(tmp_path: Path, qapp: QApplication) -> None:
    trace = TraceBuilder(tmp_path / "run")
    one = trace.backward(trace.at(1))
    path = one.root(one.node("</text><script>\x07&", [3]), [3]).end().save()
    for ending in ("svg", "graphml", "dot", "json"):
        write_picture(*picture_of(path), tmp_path / f"graph.{ending}")
    assert any("<script>" in text for text in texts_of(tmp_path / "graph.svg"))
    nx.read_graphml(tmp_path / "graph.graphml")


@pytest.mark.parametrize(("tokens", "transparent"), [(LIGHT, False), (DARK, False), (LIGHT, True)])
def test_png_has_its_ground(eigh: Path, tmp_path: Path, tokens: object, transparent: bool) -> None:
    assert tokens in (LIGHT, DARK)
    chosen = LIGHT if tokens is LIGHT else DARK
    write_picture(*picture_of(eigh), tmp_path / "graph.png", Drawing(chosen, 1.5, transparent))
    image = QImage(str(tmp_path / "graph.png"))
    corner = image.pixelColor(1, 1)
    assert corner.alpha() == 0 if transparent else corner == QColor(chosen.canvas)


def test_png_is_capped_with_a_word(eigh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_files, "LONGEST", 500)
    picture, states = picture_of(eigh)
    remark = write_picture(picture, states, tmp_path / "graph.png", Drawing(scale=4.0))
    image = QImage(str(tmp_path / "graph.png"))
    assert max(image.width(), image.height()) in (500, 501)
    assert "no side is over 500 pixels" in remark


def test_only_what_is_in_sight(eigh: Path, tmp_path: Path) -> None:
    picture, states = picture_of(eigh)
    left, top, _, _ = whole_area(picture)
    write_picture(picture, states, tmp_path / "part.svg", Drawing(area=(left, top, left + 400, top + 120)))
    assert "SumBackward0" in texts_of(tmp_path / "part.svg")
    assert "AccumulateGrad" not in texts_of(tmp_path / "part.svg")


def test_pdf_begins_as_one(eigh: Path, tmp_path: Path) -> None:
    write_picture(*picture_of(eigh), tmp_path / "graph.pdf")
    data = (tmp_path / "graph.pdf").read_bytes()
    assert data.startswith(b"%PDF-1.") and b"/ToUnicode" in data


def test_dot_can_be_read_and_drawn(tmp_path: Path, qapp: QApplication) -> None:
    import pygraphviz

    write_picture(*picture_of(recordings.mlp(tmp_path / "run")), tmp_path / "graph.dot")
    graph = pygraphviz.AGraph(str(tmp_path / "graph.dot"))
    labels = {node.attr["label"] for node in graph.nodes()}
    assert "ReluBackward0\\nline 19 · relu" in labels
    assert len(graph.edges()) == 11 and len(graph.subgraphs()) == 2


def test_graphml_and_json_say_the_same(eigh: Path, tmp_path: Path) -> None:
    made = picture_of(eigh, (SEED_MISMATCH,))
    for ending in ("graphml", "json"):
        write_picture(*made, tmp_path / f"graph.{ending}")
    graph = nx.read_graphml(tmp_path / "graph.graphml")
    whole = json.loads((tmp_path / "graph.json").read_text(encoding="utf-8"))
    assert {node["name"] for node in whole["nodes"]} == {data["name"] for _, data in graph.nodes(data=True)}
    assert len(whole["edges"]) == graph.number_of_edges() == 14
    wrong = next(edge for edge in whole["edges"] if edge["expected"])
    assert (wrong["expected"], wrong["shape"], wrong["state"]) == ("[\u2009]", "[164]", "failed")


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_is_written_without_a_window(eigh: Path, tmp_path: Path, ending: str) -> None:
    with Trace(eigh) as trace:
        assert export(trace, (SEED_MISMATCH,), tmp_path / f"graph.{ending}", {"theme": "dark"}) == ""
    assert (tmp_path / f"graph.{ending}").stat().st_size > 500
    assert {path.name for path in tmp_path.iterdir()} == {"run.gradviz", f"graph.{ending}"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.gif", "can't write GIF yet"),
        ("a.html", "can't write HTML yet"),
        ("a.bmp", "doesn't write .bmp files"),
        ("a", "has no ending"),
    ],
)
def test_other_formats_are_refused_in_a_sentence(name: str, words: str) -> None:
    with pytest.raises(ExportError, match=words) as caught:
        require_format(Path(name))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": "big"}, "scale"),
        ({"scale": "900"}, "scale"),
        ({"theme": "red"}, "theme"),
        ({"pass_number": "7"}, "pass 7"),
    ],
)
def test_bad_options_are_told(eigh: Path, tmp_path: Path, options: dict[str, str], words: str) -> None:
    with Trace(eigh) as trace, pytest.raises(ExportError, match=words):
        export(trace, (), tmp_path / "graph.svg", options)


def test_a_recording_without_backward_has_nothing_to_draw(tmp_path: Path, qapp: QApplication) -> None:
    path = TraceBuilder(tmp_path / "run").save()
    with Trace(path) as trace, pytest.raises(ExportError, match="no backward pass"):
        export(trace, (), tmp_path / "graph.svg")


def test_a_folder_that_is_not_there(eigh: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="there is no such folder"):
        write_picture(*picture_of(eigh), tmp_path / "nowhere" / "graph.svg")


def test_a_folder_of_that_name(eigh: Path, tmp_path: Path) -> None:
    (tmp_path / "graph.svg").mkdir()
    with pytest.raises(ExportError, match="there is a folder of that name"):
        write_picture(*picture_of(eigh), tmp_path / "graph.svg")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_full_disk_leaves_the_old_file(
    eigh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    # GIVEN a file from before, and a disk that fills up while the new one is written
    place = tmp_path / f"graph.{ending}"
    place.write_text("old")

    def full(_path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("gradviz.export.whole_file._flush", full)
    # WHEN it is exported again THEN that is told, the old file stands and nothing else is left
    with pytest.raises(ExportError, match="the disk is full"):
        write_picture(*picture_of(eigh), place)
    assert place.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"run.gradviz", place.name}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "a.txt") as place:
        place.write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_graph_can_be_exported_from_left_to_right(eigh: Path, tmp_path: Path) -> None:
    with Trace(eigh) as trace:
        for direction in ("down", "right"):
            options = {"direction": direction, "wrap": "0"}
            for ending in ("svg", "dot"):
                export(trace, (SEED_MISMATCH,), tmp_path / f"{direction}.{ending}", options)
    sizes = {}
    for direction in ("down", "right"):
        box = ElementTree.parse(tmp_path / f"{direction}.svg").getroot().get("viewBox", "").split()
        sizes[direction] = float(box[2]) / float(box[3])
    assert sizes["down"] < 1 and sizes["right"] > 4
    assert "rankdir=TB" in (tmp_path / "down.dot").read_text()
    assert "rankdir=LR" in (tmp_path / "right.dot").read_text()
    assert "same tensor" in {text.removeprefix("= ") for text in texts_of(tmp_path / "right.svg")}


def test_the_json_of_a_graph_tells_what_groups_say(tmp_path: Path, qapp: QApplication) -> None:
    write_picture(*picture_of(recordings.mlp(tmp_path / "run")), tmp_path / "graph.json")
    groups = json.loads((tmp_path / "graph.json").read_text())["groups"]
    assert [(each["parameters"], each["shapes"]) for each in groups if each["path"] == "0"] == [
        (1344, "[32, 20] → [32, 64]")
    ]
    assert all(each["gradient"].startswith("norm ") for each in groups if each["parameters"])
