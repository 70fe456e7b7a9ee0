"""The things a trace is made of, as frozen data: what diagnosis, scene and window speak of. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

Dim = Union[int, str]  # a symbolic or nested size is a string
Shape = tuple[Dim, ...]


@dataclass(frozen=True)
class Spec:
    """A tensor's description without its numbers."""

    shape: tuple[Dim, ...]
    dtype: str
    device: str
    layout: str


@dataclass(frozen=True)
class Frame:
    """One place in the user's code. `line` is 1-based, columns are UTF-8 byte offsets, -1 unknown."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str


Stack = tuple[Frame, ...]  # innermost first; () unknown


@dataclass(frozen=True)
class RunInfo:
    """The run as a whole; the fields are the columns of `run`."""

    gradviz: str
    target: str
    script: str | None
    function: str | None
    arguments: tuple[Any, ...]
    cwd: str
    interpreter: str
    python: str
    framework: str
    platform: str
    level: str
    seed_expression: str | None
    started: float
    seconds: float | None
    status: str
    exit_code: int | None
    signal: int | None
    dropped_output: int


@dataclass(frozen=True)
class Source:
    """A user's file as it was when it ran; `text` is decoded (undecodable bytes replaced), None when left out."""

    path: str
    text: str | None
    encoding: str


@dataclass(frozen=True)
class Module:
    """One nn.Module instance under one path."""

    id: int
    path: str
    class_name: str
    parent: int | None
    root_name: str | None
    parameters: int
    training: bool | None


@dataclass(frozen=True)
class ModuleCall:
    """One run of a module's forward."""

    number: int
    module: int
    parent: int  # call number, -1
    stack: Stack
    thread: int
    in_spec: Spec | None
    out_spec: Spec | None
    completed: bool


@dataclass(frozen=True)
class Value:
    """A tensor as an operand or result of a forward op. `number` -1 = unknown identity."""

    number: int
    spec: Spec
    version: int
    flags: int  # packing.VALUE_*
    name: str  # parameter name of the function, "" unknown; results: ""


@dataclass(frozen=True)
class Op:
    """One forward call."""

    number: int
    name: str
    stack: Stack
    call: int  # ModuleCall.number or -1
    thread: int
    seq_before: int
    seq_after: int
    flags: int  # packing.OP_*
    arguments: dict[str, Any]  # the non-tensor arguments, short
    operands: tuple[Value, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True)
class Stats:
    """Statistics of a tensor; counts are -1 and figures NaN where not taken. mean and norm are over all entries."""

    nans: int
    infs: int
    zeros: int
    min: float
    max: float
    mean: float
    norm: float


@dataclass(frozen=True)
class Leaf:
    """A tensor that gradients may be accumulated into, with the state of its `.grad` at the end of the run."""

    id: int
    value: int
    name: str
    kind: str  # parameter | variable
    module: int | None
    spec: Spec
    requires_grad: bool
    stack: Stack
    grad_spec: Spec | None
    grad_stats: Stats | None
    in_graph: bool


@dataclass(frozen=True)
class Port:
    """An output or an input of a backward pass: a tensor and the (node, slot) that its gradient enters by."""

    node: int  # index in the pass, -1 = the tensor has no grad_fn in this graph
    slot: int
    value: int
    spec: Spec
    requires_grad: bool


@dataclass(frozen=True)
class Seed:
    """A gradient handed to backward/grad."""

    value: int
    spec: Spec


@dataclass(frozen=True)
class Backward:
    """One backward pass; the fields are the columns of `backward`."""

    id: int
    parent: int | None
    thread: int
    entry: str
    stack: Stack
    retain_graph: bool
    create_graph: bool
    batched: bool
    allow_unused: bool
    roots: tuple[Port, ...]
    seeds: tuple[Seed | None, ...]
    inputs: tuple[Port, ...]
    outcome: str  # running | completed | refused | raised | interrupted
    exception: int | None
    failed_node: int | None
    running_node: int | None
    nodes: int
    edges: int
    steps: int
    duration: float | None
    structure: str
    repeats: int
    phase: str
    truncated: str | None


@dataclass(frozen=True)
class Node:
    """A node of a pass's graph. `expected` has one Spec per slot it receives a gradient in."""

    index: int
    name: str
    seq: int
    thread: int
    op: int  # Op.number or -1
    call: int
    leaf: int
    flags: int  # packing.NODE_*
    expected: tuple[Spec, ...]


@dataclass(frozen=True)
class Edge:
    """The gradient's way from `tail` (its grad_input `index`) to `head` (its `slot`)."""

    tail: int
    index: int
    head: int
    slot: int


@dataclass(frozen=True)
class Received:
    """One grad_output of a step; `spec` None = an undefined gradient."""

    spec: Spec | None
    version: int
    stats: Stats


@dataclass(frozen=True)
class Step:
    """One node executed; `number` counts from 0 in its pass. Times in nanoseconds."""

    number: int
    node: int
    start: int
    duration: int
    received: tuple[Received, ...]


@dataclass(frozen=True)
class Returned:
    """What a custom backward or a hook gave back itself, before the engine summed or cast it."""

    step: int
    index: int
    spec: Spec | None
    type: str  # Python type where it is neither a tensor nor None, else ""
    stats: Stats


@dataclass(frozen=True)
class Sample:
    """Kept numbers of a tensor: `data` little-endian, C order, `shape` its shape, `strides` the step per dimension."""

    pass_id: int | None
    step: int | None
    slot: int
    role: str
    spec: Spec
    strides: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    version: int
    data: bytes


@dataclass(frozen=True)
class SavedTensor:
    """A tensor that a node saved for backward."""

    node: int
    name: str
    spec: Spec | None
    version: int | None
    saved_version: int | None


@dataclass(frozen=True)
class ExceptionInfo:
    """An exception that the recorder saw; `stack` innermost user frame first."""

    id: int
    type: str
    message: str
    text: str
    stack: Stack
    raised_file: str | None
    raised_line: int | None
    thread: int
    phase: str  # start | forward | backward | user | thread
    caught: bool
    pass_id: int | None
    op: int | None
    detail: dict[str, Any]


@dataclass(frozen=True)
class Unreached:
    """A tensor with a grad_fn that no backward was called from."""

    value: int
    name: str
    spec: Spec
    grad_fn: str
    stack: Stack
    op: int | None


@dataclass(frozen=True)
class Note:
    """Something that recording changed or left out."""

    kind: str
    text: str
    stack: Stack
    detail: dict[str, Any]


@dataclass(frozen=True)
class OutputChunk:
    """A piece of what the script printed."""

    stream: str  # stdout | stderr
    time: float
    data: bytes
