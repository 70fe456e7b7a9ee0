"""Words about gradients that arrive, but say nothing."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "zero-step": Phrase(
        "A step function makes every gradient zero",
        "{op} on line {line} is flat, so {parameters} got a gradient of exactly zero.",
        "{op} jumps from one value to the next and is flat in between. Its slope is 0 everywhere, and everything"
        " behind it is multiplied with that 0: backward runs without an error, and nothing is learned.",
        "Use {name} itself in the loss; or a straight-through estimator: {name} + ({op}({name}) - {name}).detach()",
    ),
    "zero-one-entry": Phrase(
        "A softmax over one entry is always 1",
        "{op} on line {line} runs over a dimension of size 1, so {parameters} got a gradient of exactly zero.",
        "softmax divides each entry by the sum over the dimension. Where that has one entry, the result is 1 whatever"
        " goes in: it has no slope, and everything behind it is multiplied with 0. Backward runs without an error, and"
        " nothing is learned.",
        "torch.sigmoid({name}), for a probability of one thing; or a last layer with one output per class",
    ),
    "zero-one-class": Phrase(
        "A softmax over one class is always 1",
        "{op} on line {line} is given one class only, so {parameters} got a gradient of exactly zero.",
        "The cross entropy takes a softmax over the classes. Where there is one, its probability is 1 whatever goes in:"
        " the loss is 0 and has no slope. Backward runs without an error, and nothing is learned.",
        "torch.nn.functional.binary_cross_entropy_with_logits, for what is or isn't so; or an output per class",
    ),
    "zero-underflow": Phrase(
        "The gradient is too small for its dtype",
        "{node} (line {line}) received a gradient and handed on exact zeros: they are too small for {dtype}.",
        "{dtype} holds no number between 0 and about 6e-8 (float16), so a product of small numbers becomes 0. The"
        " gradient exists, but not in this precision.",
        "Compute in float32 or bfloat16, or scale the loss up with torch.amp.GradScaler",
    ),
    "vanishing": Phrase(
        "The gradient dies out on its way back",
        "The gradient shrinks at every turn of line {line} until nothing is left of it at {node}.",
        "Each turn multiplies the gradient with the same small factor. After many turns the product is smaller than"
        " any number that the dtype holds, so the first turns learn nothing from the loss.",
        "Use an LSTM or GRU cell, an orthogonal start for the recurrent weights, or a shorter sequence",
    ),
    "vanishing-depth": Phrase(
        "The gradient dies out on its way back",
        "The gradient shrinks at every layer of line {line} until next to nothing is left of it at {node}.",
        "Each layer multiplies the gradient with a small factor, as a sigmoid's slope of at most 0.25. Behind so many"
        " layers the product is next to nothing, so the first layers learn nothing from the loss.",
        "Use nn.ReLU or nn.GELU between the layers, a normalisation, or x + layer(x) in place of layer(x)",
    ),
}
