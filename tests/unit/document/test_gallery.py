"""The gallery tells its own programs from a person's."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from gradviz.document.gallery import is_example, load_gallery


def test_its_programs_are_examples_faulty_and_mended() -> None:
    for example in load_gallery().examples:
        assert is_example(example.path)
        assert example.mended is None or is_example(example.mended)


def test_a_persons_script_is_none(tmp_path: Path) -> None:
    assert not is_example(tmp_path / "seed_wrong_shape.py")
    assert not is_example(load_gallery().examples[0].path.with_name("gallery.json"))


@pytest.mark.parametrize("is_there", [True, False])
def test_a_program_tells_whether_its_framework_is_there(is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    example = next(each for each in load_gallery().examples if each.framework == "tensorflow")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if is_there else None)

    assert example.is_available is is_there
    assert example.framework_name == "TensorFlow"
