"""What Modules says of a module's gradients: a figure or a word in the row, a clause in State, all of it in the tip."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.document.leaf_gradients import Fate
from gradviz.document.module_tree import Branch
from gradviz.scene.words import number_text

translate = QCoreApplication.translate

NOT_KEPT = "—"
NONE = "None"


def figure(branch: Branch) -> str:
    """The norm, or the one word in its place; "" without parameters."""
    fate = branch.fate
    if fate == Fate.MEASURED and branch.norm is not None:
        return number_text(branch.norm)
    if fate is None:
        return ""
    return {
        Fate.ZERO: translate("Modules", "zero"),
        Fate.UNKNOWN: NOT_KEPT,
        Fate.ELSEWHERE: NOT_KEPT,
        Fate.FROZEN: translate("Modules", "frozen"),
        Fate.MISSING: NONE,
        Fate.INFINITE: "Inf",
        Fate.NAN: "NaN",
    }.get(fate, NOT_KEPT)


def state_words() -> dict[Fate, str]:
    """What is said where all tensors of a module met one fate."""
    return {
        Fate.NAN: translate("Modules", "NaN"),
        Fate.INFINITE: translate("Modules", "Inf"),
        Fate.MISSING: translate("Modules", "no gradient"),
        Fate.ZERO: translate("Modules", "zero"),
        Fate.FROZEN: translate("Modules", "frozen"),
        Fate.ELSEWHERE: translate("Modules", "not in this pass"),
        Fate.UNKNOWN: translate("Modules", "not measured"),
    }


def filter_words() -> dict[Fate, str]:
    """What a filter may ask for: the words of State, and the one that stands in the figure's place."""
    words = state_words()
    return {**words, Fate.MISSING: f"{words[Fate.MISSING]}\n{NONE}"}


def state(branch: Branch) -> str:
    """What is out of the ordinary; "" where every parameter got a gradient."""
    some = {
        Fate.NAN: translate("Modules", "NaN in {count} of {all}"),
        Fate.INFINITE: translate("Modules", "Inf in {count} of {all}"),
        Fate.MISSING: translate("Modules", "{count} of {all} without gradient"),
        Fate.ZERO: translate("Modules", "{count} of {all} zero"),
        Fate.FROZEN: translate("Modules", "{count} of {all} frozen"),
        Fate.ELSEWHERE: translate("Modules", "{count} of {all} not in this pass"),
        Fate.UNKNOWN: translate("Modules", "{count} of {all} not measured"),
    }
    parts = []
    for fate, word in state_words().items():
        count = branch.fates[fate]
        if count:
            of_all = some[fate].format(count=f"{count:,}", all=f"{branch.tensors:,}")
            parts.append(word if count == branch.tensors else of_all)
    return ", ".join(parts)


def is_wrong(branch: Branch) -> bool:
    """Told in the colour of errors."""
    return branch.fate in (Fate.NAN, Fate.INFINITE, Fate.MISSING)


def tool_tip(branch: Branch) -> str:
    """Path and class, shapes, parameters, gradients."""
    module = branch.module
    lines = [f"{module.path or branch.name}  {module.class_name}", branch.shapes]
    if branch.calls > 1:
        lines.append(translate("Modules", "called {count} times in this pass").format(count=f"{branch.calls:,}"))
    if module.parameters:
        words = translate("Modules", "{count} parameters in {tensors} tensors")
        lines.append(words.format(count=f"{module.parameters:,}", tensors=f"{branch.tensors:,}"))
        if branch.own != module.parameters:
            lines.append(translate("Modules", "{count} of its own").format(count=f"{branch.own:,}"))
    if branch.norm is not None and branch.fate in (Fate.MEASURED, Fate.ZERO):
        lines.append(translate("Modules", "gradient norm {norm}").format(norm=number_text(branch.norm)))
    lines.append(state(branch))
    return "\n".join(line for line in lines if line)


def spoken(branch: Branch) -> str:
    """For a screen reader."""
    return ", ".join(tool_tip(branch).splitlines())
