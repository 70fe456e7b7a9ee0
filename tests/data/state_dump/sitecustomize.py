"""On the path of a run under test: at its very end, writes what the script computed and drew at random to $STATE_DUMP."""

import atexit
import hashlib
import os
import random
import struct
import sys

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
    raw = torch.get_rng_state().numpy().tobytes()
    yield f"torch random numbers used {struct.unpack_from('<iiQ', raw, 8)}"
    if torch.initial_seed() < 2**32:  # set by the script: the system's own is longer
        yield f"next torch random numbers {torch.rand(8).tolist()}"


def dump():
    if os.getpid() != PID:
        return
    lines = [f"random {hashlib.sha256(repr(random.getstate()).encode()).hexdigest()}"]
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        lines.append(f"numpy position {numpy_random.get_state()[2]}")  # its seed comes from the system
    if hasattr(sys.modules.get("torch"), "get_rng_state"):
        lines += torch_state()
    with open(os.environ["STATE_DUMP"], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if "STATE_DUMP" in os.environ:
    random.seed(20)
    atexit.register(dump)
