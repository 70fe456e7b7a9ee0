"""The command line's contract: what is asked for, exit codes, streams, and one clear sentence for each bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.gradviz_command import Done, gradviz_command, run_gradviz

HEALTHY = """
import torch
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
print("on stdout")
import sys
print("on stderr", file=sys.stderr)
"""
FAULTY = """
import torch
x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward(torch.ones(4))
"""


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recording of a test's ends up among the person's."""
    monkeypatch.setenv("GRADVIZ_DATA_HOME", str(tmp_path / "data"))


def script(folder: Path, source: str, name: str = "script.py") -> str:
    (folder / name).write_text(source, encoding="utf-8")
    return name


def first_finding(done: Done) -> tuple[str, str, int]:
    found = done.findings[0]
    return found["rule"], found["severity"], found["line"]


def test_check_is_quiet_on_a_healthy_script(tmp_path: Path) -> None:
    done = run_gradviz("check", script(tmp_path, HEALTHY), "--json", cwd=tmp_path)

    report = done.report
    assert done.exit_code == 0
    assert (report["format"], report["status"], report["exit_code"]) == (1, "ok", 0)
    assert report["target"] == "script.py"
    assert report["framework"].startswith("torch ")
    assert report["findings"] == []
    [passed] = report["backwards"]
    assert (passed["index"], passed["completed"], passed["line"]) == (0, True, 4)
    assert passed["file"] == str(tmp_path / "script.py")
    assert Path(report["trace"]).is_file()


def test_with_json_the_script_speaks_on_stderr_alone(tmp_path: Path) -> None:
    done = run_gradviz("check", script(tmp_path, HEALTHY), "--json", cwd=tmp_path)

    assert isinstance(json.loads(done.stdout), dict)
    assert "on stdout" in done.stderr
    assert "on stderr" in done.stderr


def test_without_json_its_output_passes_and_the_report_follows(tmp_path: Path) -> None:
    done = run_gradviz("check", script(tmp_path, HEALTHY), cwd=tmp_path)

    assert done.stdout.startswith("on stdout\n")
    assert "No problems found" in done.stdout
    assert done.stderr == "on stderr\n"


def test_a_finding_is_exit_code_1(tmp_path: Path) -> None:
    done = run_gradviz("check", script(tmp_path, FAULTY), "--json", cwd=tmp_path)

    assert done.exit_code == 1
    assert first_finding(done) == ("seed-shape-mismatch", "error", 4)
    assert done.report["status"] == "raised"
    assert done.report["exception"]["type"] == "RuntimeError"


def test_a_recording_is_kept_and_checked_again(tmp_path: Path) -> None:
    done = run_gradviz("record", script(tmp_path, FAULTY), "-o", "kept.gradviz", cwd=tmp_path)
    again = run_gradviz("check", "kept.gradviz", "--json", cwd=tmp_path)

    assert done.exit_code == 1
    assert done.stdout == ""
    assert str(tmp_path / "kept.gradviz") in done.stderr
    assert first_finding(again) == ("seed-shape-mismatch", "error", 4)
    assert again.report["trace"] == str(tmp_path / "kept.gradviz")


def test_arguments_and_standard_input_are_the_scripts(tmp_path: Path) -> None:
    source = "import sys\nprint(sys.argv[1:], input(), sys.stdin.isatty())\n"

    done = run_gradviz("check", script(tmp_path, source), "--", "-x", "--json", "--", cwd=tmp_path, stdin="typed\n")

    assert done.stdout.startswith("['-x', '--json', '--'] typed False\n")
    assert done.exit_code == 0


def test_the_working_folder_is_the_callers_unless_named(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    script(tmp_path / "inner", "import os, sys\nprint(os.getcwd(), sys.argv)\n")

    here = run_gradviz("check", "inner/script.py", cwd=tmp_path)
    there = run_gradviz("check", "script.py", "--cwd", "inner", cwd=tmp_path)

    assert here.stdout.startswith(f"{tmp_path} ['inner/script.py']\n")
    assert there.stdout.startswith(f"{tmp_path / 'inner'} ['script.py']\n")


def test_a_module_runs_as_with_m(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    script(tmp_path / "package", "", "__init__.py")
    script(tmp_path / "package", "from . import part\nprint(__name__, part.x)\n", "tool.py")
    script(tmp_path / "package", "x = 3\n", "part.py")

    done = run_gradviz("check", "-m", "package.tool", cwd=tmp_path)

    assert done.stdout.startswith("__main__ 3\n")
    assert done.exit_code == 0


FUNCTIONS = """
import torch
print(__name__)
def scaled(x, factor=2.0, *, shift):
    return (x * factor + shift).sum()
class Model:
    @staticmethod
    def wide(x):
        return x * 2
if __name__ == "__main__":
    raise SystemExit("the main block ran")
"""


def test_a_function_runs_alone_and_backward_follows(tmp_path: Path) -> None:
    script(tmp_path, FUNCTIONS, "work.py")
    arguments = ["--arg", "x=torch.ones(3, requires_grad=True)", "--arg", "shift=1"]

    done = run_gradviz("check", "work.py::scaled", *arguments, "--json", cwd=tmp_path)

    assert done.exit_code == 0, done.stderr
    assert done.stderr == "work\n"
    assert [each["completed"] for each in done.report["backwards"]] == [True]


@pytest.mark.parametrize(("seed", "exit_code"), [("torch.tensor([1., 2., 3.])", 0), ("torch.ones(4)", 1)])
def test_a_static_method_takes_a_seed(seed: str, exit_code: int, tmp_path: Path) -> None:
    script(tmp_path, FUNCTIONS, "work.py")
    arguments = ["--arg", "x=torch.ones(3, requires_grad=True)", "--seed-gradient", seed]

    done = run_gradviz("check", "work.py::Model.wide", *arguments, "--json", cwd=tmp_path)

    assert done.exit_code == exit_code, done.stdout
    for finding in done.findings:
        assert (finding["rule"], finding["line"]) == ("seed-shape-mismatch", 8)
        assert "--seed-gradient" in finding["explanation"] and seed in finding["message"]


def test_arguments_that_ask_for_no_gradient_are_told(tmp_path: Path) -> None:
    script(tmp_path, FUNCTIONS, "work.py")

    done = run_gradviz("check", "work.py::Model.wide", "--arg", "x=torch.ones(3)", "--json", cwd=tmp_path)

    (finding,) = done.findings
    assert (done.exit_code, finding["rule"], finding["severity"], finding["line"]) == (1, "detached", "warning", 8)
    assert "wide() was given no tensor with requires_grad=True (x)" in finding["message"]
    assert finding["fix"] == "x = torch.ones(3, requires_grad=True)"


WIDE = ["work.py::Model.wide", "--arg", "x=torch.ones(3, requires_grad=True)"]
BAD_INPUT = {
    "no such file": (["nothing.py"], "There is no file"),
    "a folder": (["."], "is a folder, not a script"),
    "not Python": (["image.png"], "is not a Python script"),
    "binary data": (["data.bin"], "data.bin is not a Python script, it isn't text"),
    "data without a zero": (["data"], "data is not a Python script, it isn't text"),
    "no target": ([], "needs one TARGET"),
    "an unknown option": (["ok.py", "--fast"], "--fast"),
    "a level that isn't": (["ok.py", "--level", "most"], "most"),
    "passes that aren't": (["ok.py", "--passes", "some"], "--passes is all, first, last"),
    "a timeout that isn't": (["ok.py", "--timeout", "soon"], "soon"),
    "no interpreter": (["ok.py", "--python", "nowhere/python"], "There is no interpreter nowhere/python"),
    "an interpreter that isn't": (["ok.py", "--python", "ok.py"], "ok.py"),
    "no working folder": (["ok.py", "--cwd", "nowhere"], "There is no folder"),
    "no module": (["-m", "nothing.here"], "nothing.here can't be run"),
    "no function": (["work.py::nothing"], "It has: scaled, Model.wide"),
    "a missing argument": (["work.py::scaled", "--arg", "x=1"], "needs shift: give --arg shift=EXPR"),
    "an unknown argument": (["work.py::Model.wide", "--arg", "x=1", "--arg", "y=2"], "has no parameter y"),
    "an argument without a value": (["work.py::Model.wide", "--arg", "x"], "--arg wants NAME=EXPR"),
    "an argument that fails": (["work.py::Model.wide", "--arg", "x=1/0"], "The argument x = 1/0 failed: ZeroDiv"),
    "an argument that is no expression": (["work.py::Model.wide", "--arg", "x=(1"], "The argument x is no Python"),
    "a seed that fails": ([*WIDE, "--seed-gradient", "seeds"], "--seed-gradient seeds failed: NameError"),
    "a seed that is no expression": ([*WIDE, "--seed-gradient", "(1"], "--seed-gradient is no Python expression"),
    "a seed that is no tensor": ([*WIDE, "--seed-gradient", "'a'"], "--seed-gradient 'a' failed"),
    "an argument for a script": (["ok.py", "--arg", "x=1"], "belongs to a function"),
    "no recording": (["none.gradviz"], "none.gradviz"),
    "a recording that isn't": (["text.gradviz"], "text.gradviz"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_told_in_a_sentence(name: str, tmp_path: Path) -> None:
    arguments, words = BAD_INPUT[name]
    script(tmp_path, "", "ok.py")
    script(tmp_path, FUNCTIONS, "work.py")
    script(tmp_path, "hello", "text.gradviz")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "data.bin").write_bytes(b"\x7fELF\2\1\0\0\xe9\xff")
    (tmp_path / "data").write_bytes(b"\x93\xa4\xd0\n")

    done = run_gradviz("check", *arguments, "--json", cwd=tmp_path)

    assert done.exit_code == 2
    assert (done.report["format"], done.report["status"]) == (1, "not-run")
    assert words in done.report["error"]
    assert f"gradviz: {done.report['error']}" in done.stderr.splitlines()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("made", "words"), [(False, "There is no file"), (True, "is a recording already")])
def test_only_a_recording_that_is_there_is_one_already(made: bool, words: str, tmp_path: Path) -> None:
    if made:
        script(tmp_path, "", "run.gradviz")

    done = run_gradviz("record", "run.gradviz", "-o", "other.gradviz", cwd=tmp_path)

    assert done.exit_code == 2
    assert f"{words}" in done.stderr and str(tmp_path / "run.gradviz") in done.stderr


def test_paths_are_told_without_detours(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    script(tmp_path, HEALTHY)

    recorded = run_gradviz("record", "../script.py", "-o", "../deep/../run.gradviz", cwd=tmp_path / "deep")
    drawn = run_gradviz("export", "../run.gradviz", "-o", "../run.svg", cwd=tmp_path / "deep")
    checked = run_gradviz("check", "../run.gradviz", "--json", cwd=tmp_path / "deep")

    assert f"Open it with: gradviz {tmp_path / 'run.gradviz'}\n" in recorded.stderr
    assert f"Wrote {tmp_path / 'run.svg'}" in drawn.stderr
    assert checked.report["trace"] == str(tmp_path / "run.gradviz")


UNREADABLE = {
    "a letter of another coding": (b"x = 1\ny = '\xe9'\n", "not UTF-8", 2),
    "on the first line": (b"y = '\xe9'\n", "not UTF-8", 1),
    "a coding that isn't": (b"# coding: nope\n'\xe9'\n", "unknown encoding: nope", 1),
    "a null byte": (b"x = 1\ny = 2\n\0", "script.py is not Python text", 3),
    "binary data": (b"\x7fELF\2\1\0\0\xe9\xff", "script.py is not Python text", 1),
    "text in UTF-16": ("x = 1\ny = 2\n".encode("utf-16"), "saved in UTF-16", 1),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_text_that_python_cant_read_is_told_at_its_own_line(name: str, tmp_path: Path) -> None:
    data, words, line = UNREADABLE[name]
    (tmp_path / "script.py").write_bytes(data)

    done = run_gradviz("check", "script.py", "--json", cwd=tmp_path)

    (finding,) = done.findings
    assert (done.exit_code, finding["rule"]) == (1, "syntax-error")
    assert (finding["file"], finding["line"]) == (str(tmp_path / "script.py"), line)
    assert words.lower() in (finding["message"] + finding["explanation"]).lower()


FAILING = {
    "a syntax error": ("x = (1,\ny = 2\n", "syntax-error", 1),
    "a missing import": ("\nimport nothing_of_this_name\n", "missing-import", 2),
    "a relative import": ("from . import other\n", "relative-import", 1),
    "a need for input": ("\n\nname = input('name? ')\n", "needs-input", 3),
    "an error of its own": ("def f():\n    raise KeyError('x')\nf()\n", "uncaught-exception", 2),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_script_that_fails_is_a_finding(name: str, tmp_path: Path) -> None:
    source, rule, line = FAILING[name]

    done = run_gradviz("check", script(tmp_path, source), "--json", cwd=tmp_path)

    assert done.exit_code == 1
    assert first_finding(done) == (rule, "error", line)
    assert done.report["status"] == "raised"


def test_an_exit_status_of_its_own_is_a_note(tmp_path: Path) -> None:
    done = run_gradviz("check", script(tmp_path, "import sys\nsys.exit(4)\n"), "--json", cwd=tmp_path)

    assert done.exit_code == 0
    assert (done.report["status"], done.report["exit_code"]) == ("exited", 4)
    assert done.loud == []


def test_an_endless_script_is_ended_and_reported_on(tmp_path: Path) -> None:
    source = FAULTY.replace("x = ", "try:\n    x = ").replace("(x *", "    (x *")
    source += "except RuntimeError:\n    pass\nwhile True:\n    pass\n"

    done = run_gradviz("check", script(tmp_path, source), "--json", "--timeout", "15", cwd=tmp_path)

    assert done.report["status"] == "timeout"
    assert done.exit_code == 1
    assert first_finding(done)[0] == "seed-shape-mismatch"


def test_an_interpreter_without_torch_is_named(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    python = next(path for path in (tmp_path / "bare").glob("*/python*") if path.stem == "python")

    done = run_gradviz("check", script(tmp_path, "import torch\n"), "--json", "--python", str(python), cwd=tmp_path)

    assert done.exit_code == 1
    assert first_finding(done) == ("missing-import", "error", 1)
    finding = done.findings[0]
    assert str(python) in finding["message"] + finding["explanation"] + finding["fix"]
    assert "--python" in finding["explanation"] + finding["fix"]


def test_an_unwritable_place_is_told_before_the_run(tmp_path: Path) -> None:
    name = script(tmp_path, "print('ran')\n")

    done = run_gradviz("record", name, "-o", "nowhere/out.gradviz", cwd=tmp_path)

    assert done.exit_code == 2
    assert "There is no folder" in done.stderr
    assert "ran" not in done.stdout


def test_help_and_version(tmp_path: Path) -> None:
    assert "gradviz check TARGET" in run_gradviz("--help", cwd=tmp_path).stdout
    assert run_gradviz("--version", cwd=tmp_path).stdout.startswith("gradviz ")
    for command in ("check", "record", "export"):
        assert "--seed-gradient" in run_gradviz(command, "--help", cwd=tmp_path).stdout


def test_the_app_never_imports_a_framework(tmp_path: Path) -> None:
    code = "import sys\nimport gradviz.cli.main as command\ncommand.main(['check', 'script.py'])\n"
    code += "print([name for name in sys.modules if name == 'torch'])\n"
    (tmp_path / "caller.py").write_text(code, encoding="utf-8")
    script(tmp_path, HEALTHY)

    done = run_gradviz("check", "caller.py", "--python", sys.executable, cwd=tmp_path)

    assert "[]" in done.stdout.splitlines()


FIVE = "import torch\nx = torch.ones(3, requires_grad=True)\nfor _ in range(5):\n    (x * 2).sum().backward()\n"


def test_passes_that_were_not_kept_are_told(tmp_path: Path) -> None:
    # GIVEN a script with five passes WHEN none of them is asked for
    name = script(tmp_path, FIVE)
    done = run_gradviz("check", name, "--passes", "9", cwd=tmp_path)

    # THEN the report says that they ran, and which numbers there are
    assert done.exit_code == 0
    assert "5 backward passes ran, numbered 0 to 4; --passes kept none of them." in done.stdout
    assert "none of the backward passes was kept: --passes takes 0 to 4 here." in done.stdout
    assert "no backward pass ran" not in done.stdout


def test_the_report_numbers_passes_as_the_option_takes_them(tmp_path: Path) -> None:
    name = script(tmp_path, FIVE)
    done = run_gradviz("check", name, "--passes", "3", cwd=tmp_path)

    assert "Backward passes (numbered from 0, as --passes takes them)\n" in done.stdout
    assert "\n     3  script.py:4 " in done.stdout
    help_text = run_gradviz("check", "--help", cwd=tmp_path).stdout
    assert "numbers count from 0, as in the report" in " ".join(help_text.split())


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_enough_is_no_failure(options: list[str], tmp_path: Path) -> None:
    # GIVEN a reader that closes the pipe before the report comes, as `head` does
    script(tmp_path, FAULTY)
    command = [gradviz_command(), "check", "script.py", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        told = process.stderr.read().decode()

    # THEN it says nothing of it, and the exit code is the check's
    assert process.returncode == 1
    # (the project's own name may well be that of the folder that torch lies in)
    assert not any(word in told for word in ("gradviz:", "gradviz/cli", "BrokenPipe")), told


def test_a_script_whose_name_begins_with_a_dash_follows_two_dashes(tmp_path: Path) -> None:
    script(tmp_path, "import sys\nprint(sys.argv[1:])\n", "-dash.py")

    refused = run_gradviz("check", "-dash.py", cwd=tmp_path)
    done = run_gradviz("check", "--", "-dash.py", "--", "-a", "b", cwd=tmp_path)
    broken = script(tmp_path, "x = (\n", "-broken.py")
    syntax = run_gradviz("check", "--json", "--", broken, cwd=tmp_path)

    assert refused.exit_code == 2 and "gradviz check -- -dash.py" in refused.stderr
    assert done.exit_code == 0 and done.stdout.startswith("['-a', 'b']\n")
    assert first_finding(syntax) == ("syntax-error", "error", 1)


@pytest.mark.parametrize("place", ["nowhere/x.svg", "folder.svg"])
def test_a_place_for_a_picture_is_tried_before_the_script_runs(place: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('it ran')\n", encoding="utf-8")
    (tmp_path / "folder.svg").mkdir()

    done = run_gradviz("export", "script.py", "-o", place, cwd=tmp_path)

    assert done.exit_code == 2 and "can't be written" in done.stderr
    assert "it ran" not in done.stdout + done.stderr


FULL = Path("/dev/full")
NO_ROOM = "gradviz: The output can't be written: No space left on device."
full_disk = pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")


def into(stdout: str, stderr: str, *arguments: str, cwd: Path) -> tuple[int, str]:
    """Exit code and stderr of a command whose streams go to these files."""
    (cwd / "ok.py").write_text("print('hello')\n")
    (cwd / "wrong.py").write_text("x = (1,\n")
    with Path(stdout).open("wb") as out, Path(stderr).open("wb") as err:
        code = subprocess.run([sys.executable, "-m", "gradviz", *arguments], stdout=out, stderr=err, cwd=cwd).returncode
    return code, Path(stderr).read_text() if stderr != str(FULL) else ""


@full_disk
@pytest.mark.parametrize("json_too", [(), ("--json",)])
@pytest.mark.parametrize(("name", "exit_code"), [("ok.py", 0), ("wrong.py", 1), ("none.py", 2)])
def test_a_full_disk_is_told_in_a_line(name: str, exit_code: int, json_too: tuple[str, ...], tmp_path: Path) -> None:
    code, said = into(str(FULL), str(tmp_path / "said"), "check", name, *json_too, cwd=tmp_path)

    assert code == exit_code
    assert said.count(NO_ROOM) == (1 if json_too or name != "none.py" else 0)
    assert "gradviz failed" not in said and "OSError" not in said


@full_disk
@pytest.mark.parametrize(("name", "exit_code"), [("ok.py", 0), ("wrong.py", 1), ("none.py", 2)])
def test_nowhere_to_say_anything_changes_no_exit_code(name: str, exit_code: int, tmp_path: Path) -> None:
    code, _ = into(str(FULL), str(FULL), "check", name, cwd=tmp_path)

    assert code == exit_code


@full_disk
def test_the_self_test_goes_by_what_it_saw(tmp_path: Path) -> None:
    assert into(str(FULL), str(tmp_path / "said"), "selftest", cwd=tmp_path) == (0, f"{NO_ROOM}\n")


@pytest.mark.parametrize("json_too", [(), ("--json",)])
@pytest.mark.parametrize(("name", "exit_code"), [("ok.py", 0), ("wrong.py", 1)])
def test_a_reader_who_has_gone_changes_no_exit_code(
    name: str, exit_code: int, json_too: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "ok.py").write_text("print('hello')\n")
    (tmp_path / "wrong.py").write_text("x = (1,\n")
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "gradviz", "check", name, *json_too]

    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    os.close(write)

    assert done.returncode == exit_code
    assert "gradviz" not in done.stderr and "BrokenPipe" not in done.stderr
