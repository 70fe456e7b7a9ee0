"""The scene's words in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.scene.wording import Wording


def translated() -> Wording:
    """Made anew whenever the language may have changed. Names of nodes and dtypes are never translated."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("Scene", text)

    return Wording(
        line=tr("line {line}"),
        seed=tr("Seed gradient"),
        constant=tr("constant"),
        call=tr("call"),
        raised=tr("raised here"),
        expected=tr("expected"),
        received=tr("received"),
        same_tensor=tr("same tensor"),
        none="None",
        nan_of=tr("NaN {count} of {all}"),
        inf_of=tr("Inf {count} of {all}"),
        parameters=tr("{count} parameters"),
        panel_title=tr("How the operands were stretched"),
        result=tr("result"),
        stretched=tr("stretched"),
        added=tr("added in front"),
        as_given=tr("as given"),
    )
