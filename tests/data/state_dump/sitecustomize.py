"""On the path of a run under test: seeds all random numbers, and at the very end writes to $STATE_DUMP what the script
computed and how far it got in drawing them.
"""

import atexit
import hashlib
import importlib.util
import os
import random
import sys
from _thread import _count

PID = os.getpid()


def digest(value):
    """Shape, type and a hash of the bytes; for a tensor of a kind without bytes, its kind."""
    torch = sys.modules["torch"]
    try:
        if value.layout != torch.strided or value.is_nested or value.device.type == "meta":
            return f"{value.layout} {value.device} {value.dtype}"
        data = value.detach().contiguous().cpu()
        data = torch.view_as_real(data) if data.is_complex() else data
        raw = data.reshape(-1).view(torch.uint8).numpy().tobytes()
        return f"{tuple(value.shape)} {value.dtype} {hashlib.sha256(raw).hexdigest()}"
    except Exception as error:  # functorch and other wrappers: both runs must say the same
        return type(error).__name__


def tensors():
    torch = sys.modules["torch"]
    for name, value in sorted(sys.modules["__main__"].__dict__.items()):
        if isinstance(value, torch.nn.Module):
            for inner, parameter in value.named_parameters():
                yield f"{name}.{inner}", parameter
        elif isinstance(value, torch.Tensor):
            yield name, value


def torch_state():
    torch = sys.modules["torch"]
    yield f"grad mode {torch.is_grad_enabled()}, default dtype {torch.get_default_dtype()}"
    for name, value in tensors():
        yield f"{name} = {digest(value)}"
        if value.is_leaf and value.requires_grad:
            yield f"{name}.grad = {None if value.grad is None else digest(value.grad)}"
    with torch.no_grad():
        yield f"next random numbers of torch {torch.rand(8).tolist()}"


def dump():
    if os.getpid() != PID:
        return
    # One of ours that outlives the script could crash the interpreter as it goes.
    lines = [f"threads left {_count()}", f"random {hashlib.sha256(repr(random.getstate()).encode()).hexdigest()}"]
    if "numpy.random" in sys.modules:
        lines.append(f"next random numbers of numpy {sys.modules['numpy.random'].rand(8).tolist()}")
    if hasattr(sys.modules.get("torch"), "get_rng_state"):
        lines += torch_state()
    with open(os.environ["STATE_DUMP"], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


class Seeder:
    """Seeds a package that has just been imported; the system would seed it differently each time."""

    seeds = {"torch": lambda module: module.manual_seed(20), "numpy": lambda module: module.random.seed(20)}

    def find_spec(self, name, path=None, target=None):
        seed = self.seeds.pop(name, None)
        if seed is None:
            return None
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_seed(module):
            load(module)
            seed(module)

        spec.loader.exec_module = load_and_seed
        return spec


if "STATE_DUMP" in os.environ:
    random.seed(20)
    sys.meta_path.insert(0, Seeder())
    atexit.register(dump)
