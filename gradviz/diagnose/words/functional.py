"""Words about torch.nn.functional's calls: no layer was made for another size, the tensors are the person's own."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "functional-features": Phrase(
        "Input and weight have different numbers of features",
        "{call} was given {name} {given} and {weight} {size}: {have} features against {wanted}.",
        "{call} takes its weight as (out features, in features), and multiplies the last dimension of {name} with"
        " the last one of {weight}. They must be equal; here they are {have} and {wanted}. Nothing was run backward.",
        "{new}",
    ),
    "functional-channels": Phrase(
        "Input and weight have different numbers of channels",
        "{call} was given {name} {given} and {weight} {size}: {have} channels against {wanted}.",
        "{call} takes its input as (batch, channels, ...) and its weight as {order}. The channels of {name} must be"
        " those that {weight} is for, {wanted}; here they are {have}.",
        "{new}",
    ),
    "functional-weight-rank": Phrase(
        "The weight has another number of dimensions",
        "{call} takes a weight with {rank} dimensions, but {weight} has shape {size}.",
        "A convolution takes its weight as {order}, with one kernel size for each direction it slides in. A"
        " dimension is missing here, or there is one too many.",
        "{new}",
    ),
    "functional-operand": Phrase(
        "One operand doesn't fit the others",
        "{call} was given {name} {given} for {argument}; beside {other} {shape} it has to be {wanted}.",
        "{call} uses {argument} once for each {unit}, and there are {count} of them by {other}. {name} was made for"
        " another number.",
        "{new}",
    ),
    "functional-normalized": Phrase(
        "The normalised shape is not that of the last dimensions",
        "{call} was to normalise dimensions {asked}, but {name} has shape {given}.",
        "{call} takes the sizes of the last dimensions, over which it works out mean and variance, or one of them."
        " They must be exactly the last sizes of {name}: {wanted}.",
        "{new}",
    ),
    "functional-groups": Phrase(
        "The channels can't be divided into so many groups",
        "{call} was to divide the {have} channels of {name} {given} into {groups} groups.",
        "The second dimension of {name} holds its channels. Each group gets an equal number of them, so {have} has to"
        " be a multiple of the number of groups.",
        "{new}",
    ),
    "functional-index": Phrase(
        "An index is out of the table's range",
        "{name} holds an index that {weight}, with {rows} rows, doesn't have.",
        "{call} takes one row of {weight} for each index in {name}, so indices must lie between 0 and {last}. The"
        " table must have a row for each of them.",
        "{new}",
    ),
    "functional-swapped": Phrase(
        "The indices and the table are exchanged",
        "{call} was given {first}, {kind}, for its indices and {second}, {other}, for its table.",
        "{call} takes the indices first, whole numbers, and then the table whose rows it looks up. Here they stand"
        " the other way round.",
        "{new}",
    ),
}
