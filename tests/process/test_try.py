"""`gradviz check --try`: a second run with another seed at the call, for every kind of rewrite; the real recorder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.gradviz_command import Done, gradviz_command, run_gradviz

HEAD = "import torch\nx = torch.ones(3, requires_grad=True)\n"
# name -> script, kind, gradients as (name, shape), what the fix says
HELPED: dict[str, tuple[str, str, list[tuple[str, list[int]]], str]] = {
    "left out": (
        HEAD + "out = (x * 2).sum()\nout.backward(x)\nassert x.grad.tolist() == [2.0] * 3\n",
        "none",
        [("x", [3])],
        "out.backward()",
    ),
    "ones": (
        HEAD + "y = x * 2\ny.backward(torch.ones(4))\nassert x.grad.tolist() == [2.0] * 3\n",
        "ones",
        [("x", [3])],
        "ones_like(y)",
    ),
    "a loss averaged": (
        HEAD + "loss = (x - 1) ** 2 + x\nloss.backward()\nassert torch.allclose(x.grad, torch.ones(3) / 3)\n",
        "mean",
        [("x", [3])],
        "loss.mean().backward()",
    ),
    "ones where none was given": (
        HEAD + "y = x * 2\ny.backward()\nassert x.grad.tolist() == [2.0] * 3\n",
        "ones",
        [("x", [3])],
        "y.sum().backward()",
    ),
    "reshaped": (
        "import torch\nx = torch.ones(3, 1, requires_grad=True)\ny = x * 2\nw = torch.arange(3.0)\ny.backward(w)\n"
        "assert x.grad.tolist() == [[0.0], [2.0], [4.0]]\n",
        "reshape",
        [("x", [3, 1])],
        "w.reshape(y.shape)",
    ),
    "expanded": (
        "import torch\nx = torch.ones(4, 2, requires_grad=True)\ny = x * 2\nw = torch.full((1,), 0.5)\ny.backward(w)\n"
        "assert x.grad.eq(1).all()\n",
        "expand",
        [("x", [4, 2])],
        "w.expand_as(y)",
    ),
    "a stack of seeds": (
        HEAD + "y = x ** 2\n(j,) = torch.autograd.grad(y, x, torch.eye(3))\nassert torch.equal(j, 2 * torch.eye(3))\n",
        "batched",
        [("x", [3, 3])],
        "is_grads_batched=True",
    ),
    "no stack of seeds": (
        HEAD + "y = x ** 2\nv = torch.ones(3)\n(g,) = torch.autograd.grad(y, x, v, is_grads_batched=True)\n"
        "assert g.tolist() == [2.0] * 3\n",
        "unbatched",
        [("x", [3])],
        "torch.autograd.grad(y, x, v)",
    ),
    "row by row": (
        HEAD + "y = x ** 2\nrows = torch.ones(4, 3)\ny.backward(rows)\nassert x.grad.tolist() == [8.0] * 3\n",
        "rows",
        [("x", [3])],
        "for row in rows",
    ),
    "a seed for each output": (
        HEAD + "a, b = x * 2, x.sum()\ntorch.autograd.backward([a, b], [torch.ones(3)])\n"
        "assert x.grad.tolist() == [3.0] * 3\n",
        "ones",
        [("x", [3])],
        "[torch.ones_like(a), torch.ones_like(b)]",
    ),
    "one of several seeds": (
        HEAD + "a, b = x ** 2, (x ** 3).sum()\n"
        "(g,) = torch.autograd.grad([a, b], [x], grad_outputs=[torch.ones(2), None])\nassert g.tolist() == [5.0] * 3\n",
        "ones",
        [("x", [3])],
        "[torch.ones_like(a), None]",
    ),
    "the real part": (
        "import torch\nz = torch.ones(3, dtype=torch.cfloat, requires_grad=True)\nloss = (z * z.conj()).sum()\n"
        "loss.backward()\nassert z.grad.tolist() == [2] * 3\n",
        "ones",
        [("z", [3])],
        "loss.real.backward()",
    ),
    "a complex seed": (
        HEAD + "y = x * 2\nw = torch.ones(3, dtype=torch.cfloat)\ny.backward(w)\nassert x.grad.tolist() == [2.0] * 3\n",
        "cast",
        [("x", [3])],
        "y.backward(w.real)",
    ),
    "a real seed": (
        "import torch\nz = torch.ones(3, dtype=torch.cfloat, requires_grad=True)\ny = z * 2\nw = torch.ones(3)\n"
        "y.backward(w)\nassert z.grad.tolist() == [2] * 3\n",
        "cast",
        [("z", [3])],
        "y.backward(w.to(y.dtype))",
    ),
    "in a thread": (
        HEAD + "import threading\ndef work():\n    out = (x * 2).sum()\n    out.backward(x)\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()\nassert x.grad is not None\n",
        "none",
        [("x", [3])],
        "out.backward()",
    ),
    "the sixth call of a loop": (
        HEAD + "for i in range(12):\n    seed = torch.ones(3) if i < 5 else torch.ones(3, 1)\n"
        "    (x * 2).backward(seed)\nassert x.grad.tolist() == [24.0] * 3\n",
        "reshape",
        [("x", [3])],
        "seed.reshape(",
    ),
}


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADVIZ_DATA_HOME", str(tmp_path / "data"))


def tried(source: str, folder: Path, *options: str, stdin: str = "") -> tuple[Done, list[dict[str, Any]]]:
    """The command, and the `tried` of each finding that has one."""
    (folder / "script.py").write_text(source, encoding="utf-8")
    done = run_gradviz("check", "script.py", "--try", "--json", *options, cwd=folder, stdin=stdin)
    return done, [finding["tried"] for finding in done.findings if "tried" in finding]


@pytest.mark.parametrize("name", HELPED)
def test_a_fix_that_helps(name: str, tmp_path: Path) -> None:
    # GIVEN a script whose last line asserts the gradient that the written fix gives
    source, kind, gradients, fix = HELPED[name]
    # WHEN
    done, trials = tried(source, tmp_path)
    # THEN the call completes, and so does the script
    assert done.exit_code == 1
    (trial,) = trials
    assert (trial["outcome"], trial["status"], trial["exit_code"]) == ("completed", "ok", 0), trial
    assert trial["finding"] is None
    assert [(each["name"], each["shape"]) for each in trial["gradients"]] == gradients
    assert trial["replaced"]["kind"] == kind
    assert fix in trial["replaced"]["fix"] == done.findings[0]["fix"]
    assert trial["message"].startswith(f"With this, {trial['replaced']['function']} completes and ")
    assert str(gradients[0][1]) in trial["message"]


BAD_BACKWARD = """
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g[:1].expand(2)

y = Bad.apply(x)
y.backward()
"""


def test_a_fix_that_does_not_help_says_with_what_it_fails(tmp_path: Path) -> None:
    done, (trial,) = tried(HEAD + BAD_BACKWARD, tmp_path)
    assert done.exit_code == 1
    assert (trial["outcome"], trial["status"], trial["gradients"]) == ("failed", "raised", [])
    assert (trial["finding"]["rule"], trial["finding"]["line"]) == ("custom-backward-wrong-shape", 11)
    assert trial["message"].startswith("With this, backward still fails, at line 11: Bad.backward returned [2]")


def test_what_fails_further_on_is_told(tmp_path: Path) -> None:
    _, (trial,) = tried(HEAD + "(x * 2).sum().backward(x)\nraise TypeError('later')\n", tmp_path)
    assert (trial["outcome"], trial["status"]) == ("completed", "raised")
    assert trial["message"].endswith("Further on the script raises TypeError at line 4: later")


def test_a_run_that_goes_another_way_is_told(tmp_path: Path) -> None:
    # GIVEN a script whose second run ends early: what it does besides is its own
    source = "import os, sys\nif os.path.exists('mark'):\n    sys.exit(0)\nopen('mark', 'w').close()\n" + HEAD
    _, (trial,) = tried(source + "(x * 2).sum().backward(x)\n", tmp_path)
    assert (trial["outcome"], trial["status"], trial["finding"]) == ("not-reached", "ok", None)


@pytest.mark.parametrize(("before", "outcome"), [(False, "completed"), (True, "timeout")])
def test_an_endless_second_run_is_ended(before: bool, outcome: str, tmp_path: Path) -> None:
    # GIVEN a script that goes on for ever the second time, before the call or behind it
    endless = "import os\nwhile os.path.exists('mark'):\n    pass\n"
    call = "open('mark', 'w').close()\n" + HEAD + "(x * 2).sum().backward(x)\n"
    source = endless + call if before else call.replace("open('mark', 'w').close()\n", "") + "while True:\n    pass\n"
    # WHEN
    done, (trial,) = tried(source, tmp_path, "--timeout", "25")
    # THEN
    assert done.exit_code == 1 and done.report["status"] == "raised"
    assert (trial["outcome"], trial["status"]) == (outcome, "timeout")
    assert "after 25 s" in trial["message"].lower()


def test_a_healthy_script_runs_once(tmp_path: Path) -> None:
    source = HEAD + "(x * 2).sum().backward()\nopen('ran', 'a').write('once ')\n"
    done, trials = tried(source, tmp_path)
    assert (done.exit_code, trials, done.findings) == (0, [], [])
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "once "
    assert "runs once more" not in done.stderr
    assert "--try had nothing to try: nothing was found." in done.stderr


def test_where_nothing_can_be_tried_a_line_says_so(tmp_path: Path) -> None:
    done, trials = tried(HEAD + "x.detach().sum().backward()\n", tmp_path)
    assert done.exit_code == 1 and done.loud
    assert trials == [] and "tried" not in done.stdout
    assert "no finding here is mended by that" in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_both_runs_read_the_same_input(kind: str, tmp_path: Path) -> None:
    # GIVEN a script that reads its stdin, has arguments, and a name in its environment
    source = "import os, sys\nwords = (input(), sys.argv[1:], os.environ['COLOUR'], os.getcwd())\n" + HEAD
    source += "open('seen', 'a').write(repr(words) + '\\n')\n(x * 2).sum().backward(x)\n"
    (tmp_path / "script.py").write_text(source, encoding="utf-8")
    (tmp_path / "given").write_text("seven\n", encoding="utf-8")
    command = [gradviz_command(), "check", "script.py", "--try", "--json", "--", "a", "b c"]
    environment = {**os.environ, "COLOUR": "green"}
    # WHEN it is tried
    if kind == "file":
        with (tmp_path / "given").open("rb") as file:
            done = subprocess.run(command, stdin=file, cwd=tmp_path, env=environment, capture_output=True, timeout=180)
    else:
        done = subprocess.run(
            command, input=b"seven\n", cwd=tmp_path, env=environment, capture_output=True, timeout=180
        )
    # THEN both runs saw the same
    assert b'"outcome": "completed"' in done.stdout, done
    first, second = (tmp_path / "seen").read_text(encoding="utf-8").splitlines()
    assert first == second == repr(("seven", ["a", "b c"], "green", str(tmp_path)))


def test_in_words_and_the_rest_stays_as_it_is(tmp_path: Path) -> None:
    # GIVEN
    script = tmp_path / "script.py"
    script.write_text(HEAD + "out = (x * 2).sum()\nprint('printed')\nout.backward(x)\n", encoding="utf-8")
    before = script.read_bytes()
    # WHEN
    done = run_gradviz("check", "script.py", "--try", cwd=tmp_path)
    # THEN the report tells it under the fix; the script's output is there once
    assert done.exit_code == 1
    assert "  Tried: With this, backward completes and x.grad has shape [3].\n" in done.stdout
    assert done.stdout.count("printed\n") == 1 and done.stderr.count("Traceback") == 1
    # AND it was said beforehand that the script runs once more
    assert "gradviz: Trying the fix of seed-shape-mismatch. The script runs once more" in done.stderr
    # AND the file is what it was; one recording is kept, with the call as it was
    assert script.read_bytes() == before
    (recording,) = (tmp_path / "data").rglob("*.gradviz")
    again = run_gradviz("check", str(recording), "--json", cwd=tmp_path)
    assert [each["completed"] for each in again.report["backwards"]] == [False]


def test_a_function_is_tried_with_its_seed_expression_left_out(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text("def energy(x):\n    return (x ** 2).sum()\n", encoding="utf-8")
    arguments = ["--arg", "x=torch.ones(3, requires_grad=True)", "--seed-gradient", "torch.ones(3)"]
    (tmp_path / "work.py").write_text("import torch\n" + (tmp_path / "work.py").read_text(encoding="utf-8"))
    done = run_gradviz("check", "work.py::energy", *arguments, "--try", "--json", cwd=tmp_path)
    assert [finding["tried"]["outcome"] for finding in done.findings if "tried" in finding] == ["completed"], done


def test_a_module_is_tried_in_the_file_that_calls(tmp_path: Path) -> None:
    # GIVEN a package whose call is made in another module than the one that runs
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "steps.py").write_text("def step(loss, w):\n    loss.backward(w)\n", encoding="utf-8")
    main = "import torch\nfrom pack.steps import step\nx = torch.ones(3, requires_grad=True)\nstep((x * 2).sum(), x)\n"
    (package / "main.py").write_text(main, encoding="utf-8")
    # WHEN
    done = run_gradviz("check", "-m", "pack.main", "--try", "--json", cwd=tmp_path)
    # THEN
    (trial,) = [finding["tried"] for finding in done.findings if "tried" in finding]
    assert (trial["outcome"], trial["status"]) == ("completed", "ok"), done
    assert (trial["replaced"]["file"], trial["replaced"]["line"]) == (str(package / "steps.py"), 2)


def test_a_recording_cannot_be_tried(tmp_path: Path) -> None:
    done = run_gradviz("check", "run.gradviz", "--try", "--json", cwd=tmp_path)
    assert done.exit_code == 2 and "Give the script" in done.report["error"]
