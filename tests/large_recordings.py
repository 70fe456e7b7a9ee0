"""Recordings of the size of real training code: a transformer with its modules, an unrolled LSTM of any length."""

from __future__ import annotations

from pathlib import Path

from tests.builders import PassBuilder, Shape, TraceBuilder

TRANSFORMER_SCRIPT = "/home/me/train_lm.py"
BATCH, WORDS, WIDTH, INNER = 8, 128, 256, 1024
CELL = 13  # nodes of one LSTM step


class LayerWriter:
    """Writes one transformer layer after the other, from the input upwards."""

    def __init__(self, trace: TraceBuilder, one: PassBuilder, root: int) -> None:
        self.trace = trace
        self.one = one
        self.root = root
        self.nodes: list[int] = []

    def node(self, name: str, shape: Shape, to: list[int], call: int, line: int) -> int:
        at = self.trace.at(line)
        op = self.trace.op(name.replace("Backward0", "").lower(), at, (), [(self.trace.value(), shape)], call=call)
        self.nodes.append(self.one.node(name, shape, op=op, call=call, to=to, seq=op))
        return self.nodes[-1]

    def linear(self, path: str, parent: int, outer: int, below: int, sizes: tuple[int, int], line: int) -> int:
        """nn.Linear on a flattened input: weight, bias, its transpose, Addmm between two views."""
        given, returned = sizes
        module = self.trace.module(path, "Linear", given * returned + returned, parent)
        rows = BATCH * WORDS
        call = self.trace.call(module, self.trace.at(line), [BATCH, WORDS, given], [BATCH, WORDS, returned], outer)
        weight = self.leaf(f"{path}.weight", [returned, given], module, call)
        bias = self.leaf(f"{path}.bias", [returned], module, call)
        turned = self.node("TBackward0", [given, returned], [weight], call, line)
        flat = self.node("ViewBackward0", [rows, given], [below], call, line)
        product = self.node("AddmmBackward0", [rows, returned], [bias, flat, turned], call, line)
        return self.node("ViewBackward0", [BATCH, WORDS, returned], [product], call, line)

    def leaf(self, name: str, shape: Shape, module: int, call: int) -> int:
        stats = (0, 0, 0, -0.1, 0.1, 0.0, 0.5 + len(self.nodes) % 7)
        leaf = self.trace.leaf(name, shape, self.trace.at(3), module=module, stats=stats)
        self.nodes.append(self.one.node("AccumulateGrad", shape, leaf=leaf, call=call))
        return self.nodes[-1]

    def norm(self, path: str, parent: int, outer: int, below: int, line: int) -> int:
        module = self.trace.module(path, "LayerNorm", 2 * WIDTH, parent)
        shape = [BATCH, WORDS, WIDTH]
        call = self.trace.call(module, self.trace.at(line), shape, shape, outer)
        weight = self.leaf(f"{path}.weight", [WIDTH], module, call)
        bias = self.leaf(f"{path}.bias", [WIDTH], module, call)
        return self.node("NativeLayerNormBackward0", shape, [below, weight, bias], call, line)

    def attention(self, path: str, parent: int, outer: int, below: int) -> int:
        module = self.trace.module(path, "MultiheadAttention", 4 * WIDTH * (WIDTH + 1), parent)
        shape, heads = [BATCH, WORDS, WIDTH], [BATCH, 8, WORDS, WIDTH // 8]
        call = self.trace.call(module, self.trace.at(12), shape, shape, outer)
        parts = []
        for part in ("q", "k", "v"):
            made = self.linear(f"{path}.{part}_proj", module, call, below, (WIDTH, WIDTH), 12)
            split = self.node("UnsafeViewBackward0", [BATCH, WORDS, 8, WIDTH // 8], [made], call, 12)
            parts.append(self.node("TransposeBackward0", heads, [split], call, 12))
        scaled = self.node("MulBackward0", heads, [parts[0]], call, 12)
        turned = self.node("TransposeBackward0", [BATCH, 8, WIDTH // 8, WORDS], [parts[1]], call, 12)
        scores = self.node("BmmBackward0", [BATCH, 8, WORDS, WORDS], [scaled, turned], call, 12)
        weights = self.node("SoftmaxBackward0", [BATCH, 8, WORDS, WORDS], [scores], call, 12)
        mixed = self.node("BmmBackward0", heads, [weights, parts[2]], call, 12)
        joined = self.node("ViewBackward0", shape, [mixed], call, 12)
        return self.linear(f"{path}.out_proj", module, call, joined, (WIDTH, WIDTH), 12)

    def layer(self, number: int, parent: int, outer: int, below: int) -> int:
        path, shape = f"encoder.layers.{number}", [BATCH, WORDS, WIDTH]
        module = self.trace.module(path, "TransformerEncoderLayer", 789_760, parent)
        call = self.trace.call(module, self.trace.at(11), shape, shape, outer)
        normed = self.norm(f"{path}.norm1", module, call, below, 11)
        attended = self.attention(f"{path}.self_attn", module, call, normed)
        middle = self.node("AddBackward0", shape, [below, attended], call, 13)
        normed = self.norm(f"{path}.norm2", module, call, middle, 14)
        wide = self.linear(f"{path}.linear1", module, call, normed, (WIDTH, INNER), 14)
        bent = self.node("ReluBackward0", [BATCH, WORDS, INNER], [wide], call, 14)
        narrow = self.linear(f"{path}.linear2", module, call, bent, (INNER, WIDTH), 14)
        return self.node("AddBackward0", shape, [middle, narrow], call, 15)


def transformer(path: Path, layers: int = 15) -> Path:
    """About 900 nodes (60 a layer) in nested modules, all of them run."""
    trace = TraceBuilder(path, TRANSFORMER_SCRIPT, "# a language model\n" * 30)
    one = trace.backward(trace.at(28))
    root = trace.module("", "LanguageModel", 12_000_000, root="model")
    writer = LayerWriter(trace, one, root)
    shape = [BATCH, WORDS, WIDTH]
    outer = trace.call(root, trace.at(26), [BATCH, WORDS], [BATCH, WORDS, 1000])
    embedding = trace.module("embed", "Embedding", 1000 * WIDTH, root)
    call = trace.call(embedding, trace.at(9), [BATCH, WORDS], shape, outer)
    table = writer.leaf("embed.weight", [1000, WIDTH], embedding, call)
    top = writer.node("EmbeddingBackward0", shape, [table], call, 9)
    encoder = trace.module("encoder", "TransformerEncoder", layers * 789_760, root)
    inside = trace.call(encoder, trace.at(10), shape, shape, outer)
    stack = trace.module("encoder.layers", "ModuleList", layers * 789_760, encoder)
    for number in range(layers):
        top = writer.layer(number, stack, inside, top)
    top = writer.linear("head", root, outer, top, (WIDTH, 1000), 16)
    top = writer.node("LogSoftmaxBackward0", [BATCH * WORDS, 1000], [top], -1, 27)
    top = writer.node("NllLossBackward0", [], [top], -1, 27)
    one.root(top, []).seed(None)
    return one.steps(writer.nodes[::-1]).end().save()


def rounds(path: Path, count: int = 100) -> Path:
    """One cell with a name of its own, called `count` times, two nodes a call."""
    trace = TraceBuilder(path, "/home/me/rnn.py", "for t in range(T):\n    h = cell(x[t], h)\nh.sum().backward()\n")
    cell = trace.module("", "RNNCell", 576, root="cell")
    one = trace.backward(trace.at(3))
    shape: Shape = [4, 16]
    weight = one.node("AccumulateGrad", [16, 16], leaf=trace.leaf("weight", [16, 16], trace.at(1), module=cell))
    previous = weight
    for number in range(count):
        call = trace.call(cell, trace.at(2), shape, shape)
        for name in ("AddmmBackward0", "TanhBackward0"):
            op = trace.op(name[:5].lower(), trace.at(2), (), [(trace.value(), shape)], call=call)
            to = [previous, weight] if name[0] == "A" and number else [previous]
            previous = one.node(name, shape, op=op, call=call, to=to, seq=2 * number + (name[0] == "T"))
    one.root(previous, shape).seed(shape)
    return one.steps(range(previous, -1, -1)).end().save()


def lstm(path: Path, nodes: int = 20_000, ended: bool = True) -> Path:
    """An LSTM cell unrolled until there are about `nodes` nodes; all steps share its four parameters."""
    trace = TraceBuilder(path, "/home/me/unrolled.py", "h, c = cell(x[t], (h, c))\n" * 12)
    module = trace.module("cell", "LSTMCell", 2_112, root="cell")
    line = trace.at(5)
    call = trace.call(module, line, [4, 16], [4, 16])
    op = trace.op("lstm_cell", line, (), [(trace.value(), [4, 16])], call=call)
    one = trace.backward(trace.at(12))
    shapes: dict[str, Shape] = {"weight_ih": [64, 16], "weight_hh": [64, 16], "bias_ih": [64], "bias_hh": [64]}
    leaves = [
        one.node("AccumulateGrad", shape, leaf=trace.leaf(name, shape, trace.at(1), module=module), call=call)
        for name, shape in shapes.items()
    ]
    hidden, cell = -1, -1
    state: Shape = [4, 16]
    turned = [one.node("TBackward0", [16, 64], op=op, call=call, to=[leaf]) for leaf in leaves[:2]]

    def made(name: str, shape: Shape, *to: int | tuple[int, int]) -> int:
        return one.node(name, shape, op=op, call=call, to=[t for t in to if t != -1])

    count = len(leaves) + len(turned)
    while count + CELL < nodes:
        given = made("AddmmBackward0", [4, 64], leaves[2], turned[0])
        kept = made("AddmmBackward0", [4, 64], leaves[3], hidden, turned[1])
        gates = made("AddBackward0", [4, 64], given, kept)
        chunks = one.node("UnsafeChunkBackward0", state, state, state, state, op=op, call=call, to=[gates])
        inner, forget, out = (made("SigmoidBackward0", state, (chunks, slot)) for slot in (0, 1, 3))
        new = made("TanhBackward0", state, (chunks, 2))
        product = made("MulBackward0", state, inner, new)
        old = made("MulBackward0", state, forget, cell)
        cell = made("AddBackward0", state, old, product)
        bent = made("TanhBackward0", state, cell)
        hidden = made("MulBackward0", state, out, bent)
        count += CELL
    top = made("SumBackward0", [], hidden)
    one.root(top, []).seed(None)
    if ended:
        one.steps(range(top, -1, -1))
    else:
        one.steps(range(top, top // 2, -1))
    return one.end("completed" if ended else "running").save()
