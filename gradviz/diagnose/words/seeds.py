"""Words about the gradient that a backward pass starts from."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "seed-is-input": Phrase(
        "The seed gradient has the wrong shape",
        "{root} has shape {expected}, but {call} was given {seed}, shape {received}, as its gradient.",
        "The argument of {function}() is the gradient with respect to {root}: a weight for each entry of {root}, so"
        " it must have the shape of {root}. It does not choose the variable to differentiate by. {seed} is an input"
        " of this graph, so its gradient arrives in {seed}.grad by itself.",
        "{new}  # then read {seed}.grad",
    ),
    "seed-for-scalar": Phrase(
        "The seed gradient has the wrong shape",
        "{root} is a scalar, shape {expected}, but its seed gradient {seed} has shape {received}.",
        "Backward starts from the gradient with respect to {root}, which must have exactly the shape of {root}:"
        " {expected}. A shape of {received} is not the same as no dimension at all. For a scalar the seed can be"
        " left out; it is then 1.",
        "{new}",
    ),
    "seed-of-option": Phrase(
        "The seed gradient that was given has the wrong shape",
        "{function}() returned shape {expected}, but the seed gradient given for it, {seed}, has shape {received}.",
        "Backward starts from the gradient with respect to what {function}() returned: one weight for each of its"
        " entries, in the same shape. Give another, {seed_field}; output stands for"
        " what {function}() returned, and without a seed gradient it is ones.",
        "{new}",
    ),
    "seed-is-stack": Phrase(
        "Several seeds were given as one",
        "{root} has shape {expected}, but its seed gradient {seed} has shape {received}: {count} seeds stacked.",
        "A seed gradient weighs the entries of {root}, so it has the shape of {root}. {seed} holds {count} of them,"
        " one per row, as for a whole Jacobian. Only with is_grads_batched=True does autograd take the first"
        " dimension as a number of seeds.",
        "{new}",
    ),
    "seed-not-batched": Phrase(
        "is_grads_batched expects a stack of seeds",
        "With is_grads_batched=True the seed for {root} must have shape {expected}, but {seed} has shape {received}.",
        "is_grads_batched=True adds a dimension in front of the seed: it runs one backward pass for each entry of"
        " that dimension. It has nothing to do with the batch of the data. {seed} holds a single seed for {root}, so"
        " the flag is not wanted here.",
        "{new}",
    ),
    "seed-same-count": Phrase(
        "The seed gradient has the wrong shape",
        "{root} has shape {expected}, but its seed gradient {seed} has shape {received}.",
        "The seed is the gradient with respect to {root}: one weight for each entry, in the same arrangement. {seed}"
        " has as many entries as {root}, but in another shape, and autograd does not rearrange it.",
        "{new}",
    ),
    "seed-expands": Phrase(
        "The seed gradient has the wrong shape",
        "{root} has shape {expected}, but its seed gradient {seed} has shape {received}.",
        "Backward starts from the gradient with respect to {root}: one weight for each of its entries, so the seed"
        " must have the shape {expected}. {seed} would fit by broadcasting, but autograd does not broadcast a seed:"
        " it has to be expanded first.",
        "{new}",
    ),
    "seed-other": Phrase(
        "The seed gradient has the wrong shape",
        "{root} has shape {expected}, but its seed gradient {seed} has shape {received}.",
        "Backward starts from the gradient with respect to {root}: one weight for each of its entries, so the seed"
        " must have the shape {expected}. autograd does not broadcast it. Ones give the plain sum of all entries.",
        "{new}",
    ),
    "seed-is-number": Phrase(
        "The seed gradient is a plain number",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}, a Python number ({type}).",
        "Backward starts from the gradient with respect to {root}: a tensor with one weight for each of its entries."
        " torch makes no tensor of a number by itself. Give a tensor in the shape of {root} that holds the number.",
        "{new}",
    ),
    "seed-is-one": Phrase(
        "The seed gradient is a plain number",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}, a Python number ({type}).",
        "Backward starts from the gradient with respect to {root}, and torch makes no tensor of a number by itself."
        " {root} is a scalar: its seed is 1 when none is given, so leave it out, or write torch.tensor({seed}).",
        "{new}",
    ),
    "seed-is-array": Phrase(
        "The seed gradient is no tensor",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}, a {type}.",
        "Backward starts from the gradient with respect to {root}: a tensor of weights in the shape of {root}. torch"
        " takes a {type} for a row of seeds, one for each output, and finds numbers in it where tensors are due.",
        "{new}",
    ),
    "seed-is-flag": Phrase(
        "The first argument of {function}() is the seed gradient",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}.",
        "The first thing that {function}() takes is the gradient to start from, a tensor. Whether the graph is kept"
        " for another backward is said by name.",
        "{new}",
    ),
    "seed-is-nothing": Phrase(
        "The seed gradient is no tensor",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}, of type {type}.",
        "The argument of {function}() is the gradient with respect to {root}. {root} is a scalar: its seed is 1 when"
        " none is given, so leave it out.",
        "{new}",
    ),
    "seed-is-foreign": Phrase(
        "The seed gradient is no tensor",
        "The seed gradient of {root} has to be a tensor; {function}() was given {seed}, of type {type}.",
        "Backward starts from the gradient with respect to {root}: a tensor with one weight for each of its entries."
        " Ones give the plain sum of all entries.",
        "{new}",
    ),
    "seed-too-few": Phrase(
        "There are fewer seeds than outputs",
        "{roots} outputs were given with {seeds}; each output needs a seed of its own.",
        "autograd pairs the outputs with the seed gradients one by one. {roots} outputs and {seeds} do not pair up,"
        " so it stopped before the first node. Build the seeds from the outputs, then their number and shapes always"
        " fit.",
        "{new}",
    ),
    "seed-too-many": Phrase(
        "There are more seeds than outputs",
        "{roots} outputs were given with {seeds}; the last {surplus} had no effect.",
        "autograd pairs the outputs with the seed gradients one by one and drops what is left over without a word."
        " What the surplus seeds were meant to weigh is not in these gradients.",
        "{new}",
    ),
    "seed-cast": Phrase(
        "autograd cast the seed gradient",
        "The seed {seed} is {received}, {root} is {expected}; autograd cast it without a word.",
        "The seed is brought to the dtype of the output before backward starts. The gradient is right; only a seed"
        " with digits that {expected} can't hold would lose them.",
        "{seed}.to({root}.dtype)",
    ),
    "seed-complex": Phrase(
        "A complex seed was given for a real output",
        "{root} is {expected}, but its seed gradient {seed} is {received}.",
        "autograd brings a seed to the dtype of its output by itself, but not from complex to real: that would drop"
        " the imaginary part without a word. Say that it is not wanted.",
        "{new}",
    ),
    "seed-real": Phrase(
        "A real seed was given for a complex output",
        "{root} is {expected}, but its seed gradient {seed} is {received}.",
        "autograd brings a seed to the dtype of its output by itself, but not from real to complex. The gradient of a"
        " complex output has two directions, and a real seed names only one of them. Make it complex yourself.",
        "{new}",
    ),
    "non-scalar": Phrase(
        "backward() needs a single number to start from",
        "{root} has shape {received}, {count} entries, and no seed gradient was given; without one it must be a"
        " scalar.",
        "A gradient says how ONE number changes. {root} holds {count} numbers, so autograd does not know how to"
        " weigh them against each other. Make one number of them, with mean() or sum(), or pass a weight for each"
        " entry.",
        "{new}",
    ),
    "non-scalar-unreduced": Phrase(
        "The loss was not reduced to a single number",
        '{root} has shape {received}, one loss for each of {count} samples, because of reduction="none".',
        'reduction="none" leaves one loss for each sample. backward() without a seed needs a single number to start'
        " from. Let the loss be averaged, or reduce it yourself before backward.",
        "{new}",
    ),
    "non-scalar-complex": Phrase(
        "backward() can't start from a complex number",
        "{root} is {dtype}; backward without a seed gradient needs a real number.",
        "Complex numbers have no order, so a complex value can't be made smaller: a loss must be real. When its"
        " imaginary part is zero by construction, as in z * z.conj(), take the real part; it carries the gradient.",
        "{new}",
    ),
}
