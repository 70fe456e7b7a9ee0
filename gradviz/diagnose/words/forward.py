"""Words about forward calls that refuse what they are given."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "shape-linear": Phrase(
        "The layer was made for another number of features",
        "{layer} takes {wanted} features, but {name} has shape {given}: {have} in the last dimension.",
        "A linear layer multiplies the last dimension of its input with its weights, so that dimension must be its"
        " in_features, {wanted}. What comes before the layer makes {have}. Nothing was run backward.",
        "{new}",
    ),
    "shape-normalised": Phrase(
        "The layer was made for another number of features",
        "{layer} normalises {wanted} features, but {name} has shape {given}: {have} in dimension {dim}.",
        "Such a layer keeps numbers of its own for each feature, so it has to be made for as many of them as its"
        " input has in dimension {dim}: {have}. Nothing was run backward.",
        "{new}",
    ),
    "shape-channels": Phrase(
        "The convolution was made for another number of channels",
        "{layer} takes {wanted} channels, but {name} has shape {given}: {have} channels.",
        "A convolution expects its input as (batch, channels, ...). The second dimension must be its in_channels,"
        " {wanted}; here it is {have}.",
        "Make the layer for {have} channels, or give it an input with {wanted}.",
    ),
    "shape-channels-last": Phrase(
        "The image has its channels last",
        "{layer} takes {wanted} channels in dimension 1, but {name} has shape {given}: its channels stand last.",
        "torch expects images as (batch, channels, height, width); numpy and most image files keep the channels"
        " last. The sizes are the right ones, only in another order, so the dimensions have to be permuted, not"
        " reshaped.",
        "{new}",
    ),
    "shape-conv-rank": Phrase(
        "The convolution expects another number of dimensions",
        "{layer} takes an input with {rank} dimensions (or one less without a batch), but {name} has shape {given}.",
        "A convolution expects (batch, channels, ...), with one size for each direction it slides in. A dimension is"
        " missing here, or there is one too many.",
        "{name}.unsqueeze(1)  # where the channel dimension is missing",
    ),
    "shape-matmul": Phrase(
        "The inner sizes of a matrix product differ",
        "{first} {a} @ {second} {b}: the inner sizes are {left} and {right}.",
        "A matrix product pairs the last dimension of the first factor with the last but one of the second (its only"
        " one, if it is a vector). They must be equal; here they are {left} and {right}.",
        "{new}",
    ),
    "shape-view-count": Phrase(
        "The new shape holds another number of entries",
        "{name} has shape {given}, {entries} entries; {asked} would hold {wanted}.",
        "view and reshape only arrange the same entries in another way, so the product of the sizes must stay the"
        " same. The sizes asked for don't belong to the tensor that arrives here. Let one of them be worked out with"
        " -1.",
        "{new}",
    ),
    "shape-view-strides": Phrase(
        "view can't rearrange a transposed tensor",
        "{name}, shape {given}, is not contiguous in memory since {maker} on line {line}; view can't make {asked} of"
        " it.",
        "view never copies: it needs entries that lie one after the other. After a transpose or permute they don't."
        " reshape would copy them, but in their present order: bring the dimensions into the order you mean first.",
        "{new}",
    ),
    "shape-cat": Phrase(
        "Tensors of different shapes can't be joined",
        "{verb} along dim {dim}: {first} has shape {a}, {second} has shape {b}.",
        "Joined tensors may differ only in the dimension along which they are joined. An odd size that was halved"
        " and doubled again, or a layer without padding, often makes such a difference of one.",
        "{new}",
    ),
    "shape-expand": Phrase(
        "expand can only stretch dimensions of size 1",
        "{name} has shape {given} and can't be expanded to {asked}: {have} is neither 1 nor {wanted}.",
        "expand repeats a dimension of size 1 and puts new ones in front; it never changes another size. Sizes are"
        " compared from the right.",
        "Make {name} with {wanted} entries there, or with 1.",
    ),
    "shape-pairwise": Phrase(
        "The shapes don't fit each other",
        "{first} {a} and {second} {b} don't broadcast: {left} against {right} in dim {dim}.",
        "An operation entry by entry lines the shapes up at their right end. Two sizes must be equal, or one of them"
        " 1 or missing. Here they are {left} and {right}.",
        "{new}",
    ),
    "shape-loss": Phrase(
        "Prediction and target don't fit each other",
        "{loss} was given {first} {a} and {second} {b}.",
        "A loss compares each prediction with its target, so the shapes must belong together: expected {expected},"
        " received {received}. Look at which of the two lost or gained a dimension on the way.",
        "{new}",
    ),
    "shape-loss-batch": Phrase(
        "The batch grew on the way to the loss",
        "{loss} was given {first} {a} and {second} {b}; the batch changed at {maker} on line {line}, where it still"
        " was {before}.",
        "The first dimension is the batch, and each target needs one prediction. {maker} on line {line} made more"
        " (or fewer) rows out of it; the layers after it don't mind, only the loss does.",
        "{new}",
    ),
    "shape-mapped": Phrase(
        "vmap maps over an argument that has no batch",
        "vmap maps over the first dimension of every argument, but their sizes are {sizes}: {name} has {odd}, not"
        " {common}.",
        "vmap runs the function once for each entry of the mapped dimension, by default dimension 0 of ALL"
        " arguments. An argument that is the same for every run, such as the weights, must be left out of the"
        " mapping with None in in_dims.",
        "{new}",
    ),
    "shape-other-operands": Phrase(
        "A forward call refused its shapes",
        "{op} failed: {reason}. It was given {given}.",
        "The forward pass stopped here, so no backward pass could run. The shapes that arrived at this call are"
        " shown above; one of them is not what the call expects.",
        "Compare these shapes with what {op} expects, and correct the line that makes the odd one.",
    ),
    "shape-other": Phrase(
        "A forward call refused its shapes",
        "{op} failed: {reason}.",
        "The forward pass stopped here, so no backward pass could run. The message names the sizes that did not fit.",
        "Print the shapes just before this line, and correct the line that makes the odd one.",
    ),
}
