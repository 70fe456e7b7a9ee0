"""Started by path under the user's Python: `PYTHON boot.py CONFIG -- TARGET ARGS`. Becomes the script, recorded.

CONFIG is a JSON file that the supervisor wrote: trace, kind (script | module | function), function, arguments,
seed_gradient, level, passes, address and authkey of the control channel, own_group. Nothing of it is left where the
script could see it.
"""

from __future__ import annotations

import sys
from pathlib import Path


def _make_importable() -> None:
    """Only gradviz.{record,trace,errors}, by a finder of our own: our folder leaves the script's path."""
    import importlib.util

    here = Path(__file__).absolute().parent
    if sys.path and Path(sys.path[0] or ".").absolute() == here:
        del sys.path[0]
    name = "gradviz.record.importing"
    spec = importlib.util.spec_from_file_location(name, here / "importing.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    sys.meta_path.insert(0, module.OwnFinder())


def main() -> None:
    """Run the target; what follows is its ending, as Python would have it."""
    before = set(sys.modules)
    _make_importable()
    from gradviz.record.launch import prepare

    launch = prepare(sys.argv, before)
    try:
        launch.run()
    except SystemExit as error:
        launch.exited(error)
        raise
    except BaseException as error:  # noqa: BLE001  # the script's own: printed, and the end, as Python does it
        launch.raised(error)
    launch.ended()


main()
