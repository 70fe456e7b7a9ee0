"""The floors of the program, held by reading its import statements. Runs before all other tests."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys

import pytest

from tests.source_imports import ROOT, Module, all_modules

# Imports point down only; packages on the same floor are strangers.
FLOORS = {
    "errors": 0,
    "background": 0,
    "resources_path": 1,
    "trace": 1,
    "layout": 1,
    "record": 2,
    "diagnose": 2,
    "scene": 3,
    "draw": 4,
    "export": 5,
    "document": 6,
    "gui": 7,
    "cli": 8,
    "api": 8,
    "gradviz": 9,  # the package itself: its __getattr__ reaches api
    "__main__": 9,
}
QT_MODULES = {
    "draw": {"QtCore", "QtGui", "QtSvg"},
    "export": {"QtCore", "QtGui", "QtSvg"},
}
FRAMEWORKS = {"torch", "autograd", "tensorflow"}
LONGEST = 400
# What runs in the recorded script's own interpreter besides gradviz.record: these, and what they import.
RECORDER_OLDEST_PYTHON = (3, 9)
NEWER_DATACLASS_OPTIONS = {"slots", "kw_only", "match_args"}

MODULES = all_modules()


def recorder_side() -> list[Module]:
    """gradviz.record and all that it reaches, packages on the way included."""
    reached: set[str] = set()
    waiting = [name for name, module in MODULES.items() if module.place == "record"]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in MODULES:
            continue
        reached.add(name)
        waiting += [target for target, _ in MODULES[name].own_modules(MODULES)]
        parent = name.rpartition(".")[0]
        if parent.count("."):  # gradviz itself isn't run there: the recorder starts by path
            waiting.append(parent)
    return [MODULES[name] for name in sorted(reached)]


def test_every_module_has_a_floor() -> None:
    strangers = sorted({module.place for module in MODULES.values()} - set(FLOORS))
    assert not strangers, f"give them a floor in FLOORS: {strangers}"


def test_imports_point_down_only() -> None:
    broken = []
    for module in MODULES.values():
        for target, line in module.own_modules(MODULES):
            place = target.split(".")[1] if "." in target else "gradviz"
            if place == module.place or FLOORS.get(place, 99) < FLOORS.get(module.place, -1):
                continue
            broken.append(f"{module.at(line)}: {module.place} imports {target}")
    assert not broken, "\n".join(broken)


def test_imports_are_absolute() -> None:
    broken = [module.at(item.line) for module in MODULES.values() for item in module.imports if item.relative]
    assert not broken, "\n".join(broken)


def test_no_import_cycles() -> None:
    """Within a package too. A part may name its owner for the type checker: that import is never carried out."""
    edges = {
        name: {target for target, _ in module.own_modules(MODULES, carried_out=True) if target != name}
        for name, module in MODULES.items()
    }
    try:
        tuple(graphlib.TopologicalSorter(edges).static_order())
    except graphlib.CycleError as error:
        pytest.fail("a cycle: " + " -> ".join(error.args[1]))


def test_qt_is_imported_only_where_something_is_painted() -> None:
    broken = []
    for module in MODULES.values():
        if module.place == "gui":
            continue
        for item in module.imports:
            if item.top == "pyqtgraph":
                broken.append(f"{module.at(item.line)}: pyqtgraph belongs to gui")
            if item.top != "PySide6" or (item.module, item.name) == ("PySide6", None):
                continue  # the bare package loads nothing of Qt, but tells its version
            part = item.module.split(".")[1] if "." in item.module else item.name
            if part not in QT_MODULES.get(module.place, set()):
                broken.append(f"{module.at(item.line)}: {module.place} may not import PySide6.{part}")
    assert not broken, "\n".join(broken)


def test_frameworks_are_imported_only_by_the_recorder() -> None:
    broken = [
        f"{module.at(item.line)}: imports {item.top}"
        for module in MODULES.values()
        for item in module.imports
        if item.top in FRAMEWORKS and module.place != "record"
    ]
    assert not broken, "\n".join(broken)


def test_only_the_api_imports_the_recorder() -> None:
    broken = [
        f"{module.at(line)}: imports {target}"
        for module in MODULES.values()
        if module.place not in ("record", "api")
        for target, line in module.own_modules(MODULES)
        if target.startswith("gradviz.record")
    ]
    assert not broken, "\n".join(broken)


def test_the_recorder_needs_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"gradviz"}
    broken = []
    for module in recorder_side():
        own = allowed | FRAMEWORKS if module.place == "record" else allowed
        broken += [f"{module.at(item.line)}: {item.top}" for item in module.imports if item.top not in own]
    assert not broken, "\n".join(broken)


def test_the_recorder_runs_on_old_python() -> None:
    broken = []
    for module in recorder_side():
        try:
            ast.parse(module.source, feature_version=RECORDER_OLDEST_PYTHON)
        except SyntaxError as error:
            broken.append(f"{module.at(error.lineno or 0)}: {error.msg}")
        if "from __future__ import annotations" not in module.source and module.tree.body[1:]:
            broken.append(f"{module.at(1)}: no 'from __future__ import annotations'")
        for call in ast.walk(module.tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "dataclass":
                new = NEWER_DATACLASS_OPTIONS & {keyword.arg for keyword in call.keywords}
                broken += [f"{module.at(call.lineno)}: dataclass({option}=)" for option in new]
    assert not broken, "\n".join(broken)


def test_no_module_is_named_like_a_package_it_imports() -> None:
    broken = [
        f"{module.at(item.line)}: {module.path.name} imports {item.top}"
        for module in MODULES.values()
        for item in module.imports
        if not item.relative and item.top == module.path.stem
    ]
    assert not broken, "\n".join(broken)


def test_every_module_says_what_it_is_for() -> None:
    broken = [module.at(1) for module in MODULES.values() if not (ast.get_docstring(module.tree) or "").strip(" .")]
    assert not broken, "\n".join(broken)


def test_no_module_grows_past_reading() -> None:
    lengths = {module.at(1): module.source.count("\n") for module in MODULES.values()}
    broken = [f"{place}: {lines} lines" for place, lines in lengths.items() if lines > LONGEST]
    assert not broken, "\n".join(broken)


def test_no_text_speaks_of_one_machine() -> None:
    # Assembled here, so that this file doesn't hold what it looks for.
    words = re.compile(r"(?<![\w.~-])/(?:wo" + r"rk|ro" + r"ot)/|sub" + r"agent|/tmp/de" + r"v\b", re.IGNORECASE)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode != 0:
        pytest.skip("not on this copy, an unpacked source archive: it holds what was checked when it was made")
    broken = []
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if not name or not path.is_file() or path.suffix in (".png", ".gradviz", ".pdf", ".gif", ".ttf", ".qm"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if words.search(line):
                broken.append(f"{name}:{number}: {line.strip()[:80]}")
    assert not broken, "\n".join(broken)
