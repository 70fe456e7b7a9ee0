"""Words about forward calls that refuse for other reasons than shape, and about hooks."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "dtype-mismatch": Phrase(
        "The dtypes don't fit",
        "{op} on line {line} expected {expected}, but {name} is {received}.",
        "torch does not convert between dtypes in such a call. numpy makes float64 by default, torch's layers are"
        " float32, and class labels are int64. Convert the data once, where they are made.",
        "{new}",
    ),
    "dtype-no-gradient": Phrase(
        "Whole numbers have no gradient",
        "{reason}.",
        "A gradient says what a tiny change does, and a whole number can't change by a tiny amount. Only"
        " floating-point and complex tensors can require grad.",
        "Make the tensor with floats: torch.tensor([1.0, 2.0], requires_grad=True)",
    ),
    "index-bounds": Phrase(
        "An index is out of range",
        "Index {index} was asked for in dimension {dim}, which has {size} entries: 0 to {last}.",
        "Indices begin at 0, so the last one is one less than the size. A length that was taken from somewhere else"
        " than the tensor itself, or labels that begin at 1, are the usual reasons.",
        "Keep the index between 0 and {last}; take the number of rows from the tensor itself with len().",
    ),
    "index-embedding": Phrase(
        "An index is out of the embedding's range",
        "{name} holds an index that the embedding, with {rows} rows, doesn't have.",
        "An embedding looks up one row for each index, so indices must lie between 0 and the number of rows less"
        " one. The table must be made as large as the vocabulary, special tokens included.",
        "nn.Embedding(int({name}.max()) + 1, ...)  # or correct the index",
    ),
    "index-target": Phrase(
        "A class label is out of range",
        "{name} holds the label {index}, but there are scores for {classes} classes: 0 to {last}.",
        "The loss takes the label as an index into the scores. Labels must begin at 0, and the last layer must have"
        " one output for each class.",
        "Let the labels run from 0 to {last}, or give the last layer more outputs.",
    ),
    "index-other": Phrase(
        "An index is out of range",
        "{op} failed: {reason}.",
        "Indices begin at 0 and end one below the size of the dimension. Print the largest and the smallest index"
        " just before this line.",
        "Bring the index into range, or make the table larger.",
    ),
    "hook-on-no-grad": Phrase(
        "A hook on a tensor that gets no gradient",
        "{name} does not require grad, so there will be no gradient for a hook to see.",
        "A hook is called when the gradient of its tensor has been worked out. That happens only for tensors that"
        " require grad or were computed from some that do.",
        "{name}.requires_grad_()  # before the hook is registered",
    ),
    "hook-shape": Phrase(
        "A hook changes the shape of the gradient",
        "The hook {name} was given a gradient of shape {expected} and returned {got}.",
        "What a hook returns takes the place of the gradient and goes on down the graph, so it must have the same"
        " shape. To only look at the gradient, return nothing.",
        "{new}",
    ),
    "hook-kind": Phrase(
        "A hook changes the kind of the gradient",
        "The hook {name} returned a gradient of another {what} than it was given.",
        "What a hook returns takes the place of the gradient and goes on down the graph, so its {what} must stay the"
        " same.",
        "{new}",
    ),
    "hook-return": Phrase(
        "A module hook returns the wrong thing",
        "The backward hook must return a tuple of {want} gradient(s), or nothing; it returned {written}.",
        "A module hook is given a tuple with one gradient for each input, and must return one of the same length. A"
        " bare tensor is taken apart along its first dimension, as if each row were a gradient.",
        "{new}",
    ),
    "checkpoint-mismatch": Phrase(
        "The checkpoint's second run differs from the first",
        "The checkpointed function made other tensors when it was run again: expected {expected}, received {received}.",
        "A checkpoint saves no tensors in forward; backward runs the function again and takes what it then makes."
        " Both runs must make the same tensors: no counters, no state that changes, no random numbers of its own.",
        "Make the result of the function depend on its arguments alone.",
    ),
    "sparse-gradient": Phrase(
        "The optimiser can't use sparse gradients",
        "{optimizer} was given a sparse gradient, made by the embedding on line {line}.",
        "With sparse=True an embedding gives a gradient that holds only the rows that were used. The gradient is"
        " right, but this optimiser needs a dense one.",
        "{new}",
    ),
}
