"""The gallery: each program prints its value under plain Python, and gradviz finds its mistake and no other."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest

from gradviz.resources_path import resources_path
from tests.gradviz_command import Done, check, run_python

EXAMPLES = resources_path("examples")
GALLERY: list[dict[str, Any]] = json.loads((EXAMPLES / "gallery.json").read_text(encoding="utf-8"))["examples"]
FAULTY = [example["id"] for example in GALLERY if example["has_mistake"]]
# Run under an interpreter of its own: tests/process/test_tensorflow_cases.py.
ELSEWHERE = {example["id"] for example in GALLERY if example["framework"] == "tensorflow"}
HEALTHY = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem not in {*FAULTY, *ELSEWHERE})

# What a program prints, as a regular expression where the last digits may differ between machines.
PRINTED = {
    "batch_output": r"tensor\(\[\[ 9\.,  9\.\],\s+\[12\., 12\.\]\]\)",
    "bilinear_layer": r"torch\.Size\(\[4, 3\]\) torch\.Size\(\[2, 3, 3\]\)",
    "changed_in_place_mended": r"tensor\(\[0\.5000, 0\.3932\]\)",
    "custom_function_mended": r"tensor\(\[ 2\.1094, -1\.1366, -4\.1146\]\)",
    "detached_branch": r"encoder: None",
    "detached_branch_mended": r"encoder: torch\.Size\(\[8, 4\]\)",
    "forward_shapes_mended": r"torch\.Size\(\[4, 3, 3, 3\]\)",
    "grad_fn_name": r"PowBackward0 tensor\(6\.\)",
    "half_precision_float_seed": r"tensor\(\[2\., 2\.\], dtype=torch\.float16\)",
    "half_precision_seed": r"tensor\(\[2\., 2\.\], dtype=torch\.float16\)",
    "jacobian_eye_mended": r"tensor\(\[\[ 4\.,  0\.\],\s+\[ 0\., 27\.\]\]\)",
    "jacobian_rows": r"tensor\(\[\[ 4\.,  0\.\],\s+\[ 0\., 27\.\]\]\)",
    "matrix_output": r"tensor\(\[\[ 8\., 12\.\],\s+\[ 8\., 12\.\]\]\)",
    "mlp_training": r"step 0: loss 0\.701\d\nstep 1: loss 0\.692\d\nstep 2: loss 0\.68\d\d",
    "nan_is_born": r"tensor\(\[\[0\.6000, 0\.8000\],\s+\[   nan,    nan\]\]\)",
    "nan_is_born_mended": r"tensor\(\[\[0\.6000, 0\.8000\],\s+\[0\.0000, 0\.0000\]\]\)",
    "nested_outer_constant_mended": r"\(100,\)",
    "nested_outer_mended": r"\(100,\)",
    "scalar_output": r"tensor\(7\.\)",
    "second_backward": r"tensor\(\[2\., 0\.\]\)",  # and then it raises
    "second_backward_mended": r"tensor\(\[2\., 0\.\]\)\ntensor\(\[0\., 4\.\]\)",
    "seed_too_short_mended": r"tensor\(\[2\., 2\.\]\)",
    "seed_wrong_shape_mended": r"torch\.Size\(\[164\]\)",
    "silent_broadcast": r"slope -?0\.00, loss 1\.47",
    "silent_broadcast_mended": r"slope 2\.00, loss 0\.00",
    "symeig_removed_mended": r"tensor\(\[\[1\.0000, 0\.0000\],\s+\[0\.0000, 1\.0000\]\]\)",
    "tiny_transformer": r"loss 2\.95\d, 30 gradients",
    "triple_product_broadcast": r"\(100,\)",
    "triple_product_einsum": r"\(100,\)",
    "two_powers": r"tensor\(\[ 2\., 12\.\]\)",
    "vector_outputs": r"tensor\(\[0\.2000, 3\.6000\]\)",
    "vector_without_seed_mended": r"tensor\(\[2\., 2\.\]\)",
    "weighted_error": r"tensor\(\[2\., 2\.\]\)",
}
RAISED = {
    "changed_in_place": "modified by an inplace operation",
    "custom_function": "invalid gradient at index 0 - got [3] but expected shape compatible with [4, 3]",
    "forward_shapes": "mat1 and mat2 shapes cannot be multiplied (2x144 and 256x10)",
    "jacobian_eye": "Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 2])",
    "nested_outer": "shapes (100,100) and (10000,100) not aligned",
    "nested_outer_constant": "shapes (10000,) and (100,) not aligned",
    "second_backward": "Trying to backward through the graph a second time",
    "seed_too_short": "Mismatch in shape: grad_output[0] has a shape of torch.Size([1])",
    "seed_wrong_shape": "has a shape of torch.Size([164]) and output[0] has a shape of torch.Size([])",
    "symeig_removed": "torch.linalg.eigh",
    "vector_without_seed": "grad can be implicitly created only for scalar outputs",
}


@dataclass(frozen=True)
class Found:
    """Where a finding may point (parts of the line; the cause, or a defensible other), and the shapes it must name."""

    lines: tuple[str, ...]
    shapes: tuple[list[int], list[int]] | None = None  # expected, received


FOUND = {
    "changed_in_place": Found(("s.mul_(2)",)),
    "custom_function": Found(("return (grad_output * x).sum(0)", "def backward"), ([4, 3], [3])),
    "detached_branch": Found((".detach()",)),
    "forward_shapes": Found(("model(images)", "torch.nn.Linear(256, 10)")),
    "jacobian_eye": Found(("grad_outputs=torch.eye(2)",), ([2], [2, 2])),
    "nan_is_born": Found(("torch.sqrt(squares)",)),
    "nested_outer": Found(("np.outer(np.outer(X, X), X)",), ([100, 100], [10000])),
    "nested_outer_constant": Found(("np.outer(pairs, weights)",), ([100, 100], [10000])),
    "second_backward": Found(
        ("y = x**2", "y.backward(torch.tensor([1.0, 0.0]))", "y.backward(torch.tensor([0.0, 1.0]))")
    ),
    "seed_too_short": Found(("y.backward(",), ([2], [1])),
    "seed_wrong_shape": Found(("out.backward(z)",), ([], [164])),
    "silent_broadcast": Found(("error = y - model(x)",), ([20], [20, 1])),
    "symeig_removed": Found(("torch.symeig(a",)),
    "vector_without_seed": Found(("y.backward()", "y = 2 * x")),
}


def test_the_index_lists_every_program() -> None:
    listed = [name for example in GALLERY for name in (example["file"], example["mended"]) if name]

    assert sorted(listed) == sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert sorted(FAULTY) == sorted(FOUND)


def test_pictures_stay_in_their_box() -> None:
    for example in GALLERY:
        picture = example["picture"]
        for shape in [*picture["nodes"], *picture.get("cells", [])]:
            right, bottom = shape["x"] + shape["w"], shape["y"] + shape["h"]
            assert min(shape["x"], shape["y"]) >= 0 and right <= 120 and bottom <= 90, (example["id"], shape)
        for edge in picture["edges"]:
            assert {edge["from"], edge["to"]} <= set(range(len(picture["nodes"]))), (example["id"], edge)


@pytest.mark.parametrize("name", sorted({*PRINTED, *RAISED}))
def test_a_program_does_what_it_teaches(name: str) -> None:
    done = run_python(EXAMPLES / f"{name}.py")

    assert re.fullmatch(PRINTED.get(name, ""), done.stdout.strip()), done.stdout
    assert (RAISED[name] in done.stderr) if name in RAISED else done.exit_code == 0, done.stderr


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_raises_no_alarm(name: str) -> None:
    done = check(EXAMPLES / f"{name}.py")

    assert done.loud == []
    assert (done.exit_code, done.report["status"]) == (0, "ok")
    assert all(backward["completed"] for backward in done.report["backwards"])


@pytest.mark.parametrize("example", [example for example in GALLERY if example["has_mistake"]], ids=lambda e: e["id"])
def test_a_mistake_is_found_where_it_is(example: dict[str, Any]) -> None:
    script = EXAMPLES / example["file"]
    expected = FOUND[example["id"]]

    done = check(script)

    first = _only_loud(done)
    line = script.read_text(encoding="utf-8").splitlines()[first["line"] - 1]
    assert done.exit_code == 1
    assert first["rule"] == example["rule"]
    assert first["file"] == str(script)
    assert any(part in line for part in expected.lines), f"line {first['line']}: {line}"
    if expected.shapes is not None:
        shapes = [first["expected_shape"], first["received_shape"]]
        either_way = first["rule"] == "silent-broadcast"  # neither operand is the wrong one by itself
        assert shapes == list(expected.shapes) or (either_way and shapes[::-1] == list(expected.shapes))


def test_the_removed_function_is_named_with_its_replacement() -> None:
    first = _only_loud(check(EXAMPLES / "symeig_removed.py"))

    assert "torch.linalg.eigh" in first["message"] + first["explanation"] + first["fix"]


def test_the_seed_of_the_wrong_shape_is_recognised_as_an_input() -> None:
    first = _only_loud(check(EXAMPLES / "seed_wrong_shape.py"))

    assert first["node"] == "SumBackward0"
    assert "out.backward()" in first["fix"]
    assert "z" in first["message"] + first["explanation"]
    assert "z.grad" in first["explanation"] + first["fix"]


@pytest.mark.parametrize("name", ["nested_outer", "nested_outer_constant"])
def test_the_outer_call_is_named_and_the_target_called_a_constant(name: str) -> None:
    first = _only_loud(check(EXAMPLES / f"{name}.py"))

    assert (first["node"], first["op"]) == ("outer", "outer")
    assert "constant here: T" in first["explanation"]
    assert "np.ravel(" in first["fix"]


def _only_loud(done: Done) -> dict[str, Any]:
    """A fault is told once: the one loud finding, which comes first."""
    assert len(done.loud) == 1, done.findings
    assert done.findings[0] == done.loud[0]
    return done.loud[0]
