"""Snippets, shapes and counts as they are written."""

from __future__ import annotations

import pytest

from gradviz.scene.snippets import first_argument, short_piece, source_piece
from gradviz.scene.words import change_text, count_text, plain_text, shape_text
from gradviz.trace.model import Frame, Spec


@pytest.mark.parametrize(
    ("piece", "short"),
    [
        ("top.pow(2).sum(1)", ".sum(1)"),
        ("torch.linalg.eigh(lap)", "eigh"),
        ("F.cross_entropy(logits, target)", "cross_entropy"),
        ("torch.diag(2 * z - w.sum(1)) + w", "… + w"),
        ("e * v", "e * v"),
        ("x[:, -3:]", "x[:, -3:]"),
        ("model(x)", "model(x)"),
        ("loss = a +", "loss = a +"),
        ("", ""),
        ("x.view(first_dimension, second_dimension)", ".view(…)"),
    ],
)
def test_a_piece_of_source_is_shortened(piece: str, short: str) -> None:
    assert short_piece(piece) == short


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        ("out.backward(z)", "z"),
        ("out.backward(gradient=seed)", "seed"),
        ("torch.autograd.grad(y, x, grad_outputs=v)", "v"),
        ("out.backward()", ""),
        ("out.backward(torch.ones(3))", ""),
        ("broken(", ""),
    ],
)
def test_the_seed_is_named_as_the_call_names_it(piece: str, name: str) -> None:
    assert first_argument(piece) == name


def test_spans_count_bytes_not_letters() -> None:
    text = "größe = 1\nц = größe * größe\n"
    line = "ц = größe * größe"
    frame = Frame("a.py", 2, 2, len("ц = ".encode()), len(line.encode()), "<module>")
    assert source_piece(text, frame) == "größe * größe"


@pytest.mark.parametrize("frame", [Frame("a.py", 9, 9, 0, 3, ""), Frame("a.py", 1, 1, -1, -1, "")])
def test_an_unknown_span_gives_nothing(frame: Frame) -> None:
    assert source_piece("x = 1\n", frame) == ""


def test_shapes_and_changes() -> None:
    def spec(shape: tuple[int, ...], dtype: str = "float32") -> Spec:
        return Spec(shape, dtype, "cpu", "strided")

    assert shape_text(()) == "[\u2009]" and shape_text((32, "s0")) == "[32, s0]"
    assert change_text(spec((20, 20)), spec((20, 1))) == "Σ [20, 20] → [20, 1]"
    assert change_text(spec((3,), "float64"), spec((3,))) == "f64 → f32"
    assert change_text(spec((3,)), spec((3,))) == ""


@pytest.mark.parametrize(("number", "text"), [(650, "650"), (1344, "1,344"), (38_600_000, "38.6 M"), (12_000, "12 K")])
def test_counts_are_short(number: int, text: str) -> None:
    assert count_text(number) == text


def test_control_characters_go() -> None:
    assert plain_text("a\x00b\u2009c") == "a\ufffdb\u2009c"
