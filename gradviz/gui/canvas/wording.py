"""The scene's words in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.scene.wording import Wording

translate = QCoreApplication.translate


def translated() -> Wording:
    """Made anew whenever the language may have changed. Names of nodes and dtypes are never translated."""

    return Wording(
        line=translate("Scene", "line {line}"),
        seed=translate("Scene", "Seed gradient"),
        constant=translate("Scene", "constant"),
        call=translate("Scene", "call"),
        raised=translate("Scene", "raised here"),
        expected=translate("Scene", "expected"),
        received=translate("Scene", "received"),
        same_tensor=translate("Scene", "same tensor"),
        none="None",
        nan_of=translate("Scene", "NaN {count} of {all}"),
        inf_of=translate("Scene", "Inf {count} of {all}"),
        parameters=translate("Scene", "{count} parameters"),
        panel_title=translate("Scene", "How the operands were stretched"),
        result=translate("Scene", "result"),
        stretched=translate("Scene", "stretched"),
        added=translate("Scene", "added in front"),
        as_given=translate("Scene", "as given"),
        iteration=translate("Scene", "iteration {number}"),
        iterations=translate("Scene", "iterations {first}–{last}"),
        rounds_of=translate("Scene", "rounds {first}–{last} of {loop}"),
        rounds_each=translate("Scene", "{where}, {count} rounds each"),
        lines=translate("Scene", "lines {first}–{last}"),
        part=translate("Scene", "part {number} of {count}"),
        norm=translate("Scene", "norm {norm}"),
        no_gradient=translate("Scene", "no gradient"),
        frozen=translate("Scene", "frozen"),
    )
