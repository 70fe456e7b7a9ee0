"""Words about shapes that fit although the dimensions mean something else."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "axis-softmax": Phrase(
        "The softmax runs over the batch",
        "{op} over dim 0 of {name} {shape} makes the {rows} rows compete; the {classes} classes stand in dim 1.",
        "A softmax makes the entries along its dimension add up to 1. Along dim 0 these are the samples of the"
        " batch, so the probability of one sample depends on all others. A class is then picked from each row, whose"
        " entries don't add up to 1.",
        "{new}",
    ),
    "axis-attention": Phrase(
        "The softmax runs over another dimension than the product sums over",
        "{op} over dim {dim} of {name} {shape} makes the weights add up to 1 along dim {dim}; the product with the"
        " values sums over dim {right}.",
        "A softmax makes the entries along its dimension add up to 1. The product that follows is a weighted average"
        " only where it sums over that same dimension; over another the weights of one average add up to anything, and"
        " what stands side by side in dim {dim} competes instead. The shapes fit either way, so nothing is raised.",
        "{new}",
    ),
    "axis-batch-first": Phrase(
        "The recurrent layer takes the batch for time",
        "{name} has shape {shape}; without batch_first=True the layer runs over its first dimension, {steps} steps.",
        "nn.LSTM, nn.GRU and nn.RNN expect (time, batch, features) unless batch_first=True is given. The output is"
        " then read as if the batch came first ([:, -1]). Everything runs, but each sample is a time step of the"
        " others.",
        "{new}",
    ),
    "axis-scramble": Phrase(
        "{op} does not swap dimensions",
        "{name}.{op} turns {before} into {after}: the sizes change places, the entries keep their order in memory.",
        "view and reshape only read the same entries in another grouping. To swap two dimensions the entries have to"
        " change places too, as transpose and permute do. The shape is right either way, so nothing is raised; the"
        " contents are mixed up.",
        "{new}",
    ),
    "axis-scramble-merged": Phrase(
        "{op} does not swap dimensions",
        "{name}.{op} turns {before} into {after} without bringing the dimensions into the order {turned} first.",
        "view and reshape only read the same entries in another grouping: they merge dimensions that stand side by side"
        " in memory. Others have to be brought side by side before, as transpose and permute do. The shape is right"
        " either way, so nothing is raised; the contents are mixed up.",
        "{new}",
    ),
}
