"""Words about TensorFlow's tapes: what they follow, and why a gradient is None."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "tape-consumed": Phrase(
        "The tape was used up",
        "{tape} gives one gradient only; line {used} took it, and line {call} asks for another.",
        "A GradientTape lets go of all that it recorded as soon as gradient() has been called once, to save memory."
        " A persistent tape keeps it until it is deleted, so that gradient() can be called again.",
        "{new}",
    ),
    "tape-unwatched": Phrase(
        "The tape doesn't watch this tensor",
        "The gradient of {target} with respect to {name} is None: {name} {shape} isn't watched by {tape}.",
        "A GradientTape follows trainable variables by itself, and nothing else. {name} is a plain tensor, so for the"
        " tape it is a constant, though {target} was computed from it.",
        "{tape}.watch({name})  # first line of the with block",
    ),
    "tape-unwatched-variable": Phrase(
        "The tape watches no variables by itself",
        "The gradient of {target} with respect to {name} is None: {tape} was made with watch_accessed_variables=False.",
        "Such a tape follows only what it is told to watch, variables included. {name} was read, but nobody told the"
        " tape to watch it.",
        "{tape}.watch({name})  # first line of the with block",
    ),
    "tape-frozen": Phrase(
        "The variable is not trainable",
        "The gradient of {target} with respect to {name} is None: {name} was made with trainable=False.",
        "A GradientTape follows trainable variables by itself. One that isn't trainable is a constant for it, unless it"
        " is told to watch it.",
        "{tape}.watch({name})  # first line of the with block; or trainable=True where {name} is made",
    ),
    "tape-rebound": Phrase(
        "The variable became a plain tensor",
        "{name} is no variable any more since line {line}: {text} makes a tensor, which {tape} doesn't watch.",
        "Arithmetic on a tf.Variable gives a new tensor, and the name {name} now stands for that. A tape follows"
        " variables by itself, but not tensors, so from the next pass on the gradient is None. assign and its like"
        " change the variable in its place.",
        "{new}",
    ),
    "offered-not-followed": Phrase(
        "No argument is a tensor",
        "{function}() was given no tensor to differentiate by ({names}).",
        "A tape follows variables and tensors; gradviz has it watch each tensor that {function}() is given. A numpy"
        " array or a Python number becomes a tensor only inside, and there it is a constant. Give a tensor,"
        " {argument_field}.",
        "{name} = {new}",
    ),
    "tape-integer": Phrase(
        "Whole numbers have no gradient",
        "The gradient of {target} with respect to {name} is None: {name} {shape} is {dtype}.",
        "A gradient says what a small change does, and whole numbers don't change by a little: a tape follows floating"
        " and complex numbers only.",
        "{name} = tf.cast({name}, tf.float32)  # before the with block",
    ),
    "tape-numpy": Phrase(
        "A tensor became a plain number or array",
        "{target} hangs on nothing that {tape} follows: {op} on line {line} turned {value} into plain numbers.",
        "Python numbers and numpy arrays have no record of how they were made. What was computed from them afterwards"
        " is a constant for the tape, so the gradient with respect to {name} is None. Stay with TensorFlow's functions"
        " until gradient() has run.",
        "{new}",
    ),
    "tape-between": Phrase(
        "A tensor became a plain number or array",
        "{target} doesn't lead back to {name}: {op} on line {line} turned {value} into plain numbers.",
        "Python numbers and numpy arrays have no record of how they were made, so for the tape what was computed from"
        " them does not depend on {name}: its gradient is None, though {target} follows from it, and it is never"
        " trained. Stay with TensorFlow's functions until gradient() has run.",
        "{new}",
    ),
    "tape-assigned": Phrase(
        "No gradient passes an assignment",
        "{target} doesn't lead back to {name}: {variable}.{op}() on line {line} put plain numbers into {variable}.",
        "{op} changes what a variable holds, and TensorFlow has no gradient for that: a tape follows {variable} from"
        " what it holds, not from what that was computed from. So the gradient with respect to {name} is None.",
        "Compute {target} from {value} itself, and change {variable} after the with block.",
    ),
    "tape-cut": Phrase(
        "No gradient passes this call",
        "{target} doesn't lead back to {name}: {op} on line {line} has no gradient.",
        "{op} jumps from value to value, or was told to let no gradient through. The tape follows the numbers up to"
        " there and no further, so the gradient with respect to {name} is None.",
        "Leave {op} out of what leads from {name} to {target}.",
    ),
    "tape-ended": Phrase(
        "Computed where the tape doesn't record",
        "{target} was computed on line {line}, where {tape} doesn't record.",
        "A tape follows what runs inside its with block, and not inside stop_recording(). {target} was computed"
        " elsewhere, so the tape doesn't know how, and the gradient with respect to {name} is None.",
        "Move line {line} into the with block of {tape}.",
    ),
    "tape-constant": Phrase(
        "Nothing that the tape follows",
        "{target} was not computed from anything that {tape} follows, so the gradient with respect to {name} is None.",
        "A tape follows variables and what it is told to watch, and all that is computed from those inside its with"
        " block. {target} is a constant for it.",
        "Compute {target} from {name} with TensorFlow's functions, inside the with block of {tape}.",
    ),
    "tape-unconnected": Phrase(
        "The target does not depend on this source",
        "{target} was not computed from {name}, so its gradient is None.",
        "The tape follows {name}, and it follows {target}, but no way leads from the one to the other. Only the very"
        " tensor or variable that went into the computation counts.",
        "Use {name} in the computation of {target}, or pass unconnected_gradients='zero' if zeros are meant.",
    ),
    "tape-seed": Phrase(
        "The seed has another shape than the target",
        "output_gradients for {root} has shape {received}; {root} has shape {expected}.",
        "output_gradients are the gradients to start from, one for each target and of its very shape: how much each"
        " entry of {root} weighs. TensorFlow doesn't compare the two; the first node that combines them raises, or"
        " stretches one of them.",
        "{new}",
    ),
    "tape-custom-shape": Phrase(
        "A custom gradient has the wrong shape",
        "{name} returns a gradient of shape {got} for its input {input}, which has shape {expected}.",
        "A gradient has the shape of what it belongs to. TensorFlow doesn't check what the gradient function of a"
        " tf.custom_gradient returns: it goes on with the wrong shape until some call raises, or hands it to you.",
        "{new}",
    ),
    "tape-custom-count": Phrase(
        "A custom gradient returns the wrong number of gradients",
        "The gradient function of {name} returned {got}, but {name} takes {expected}{inputs}.",
        "The gradient function of a tf.custom_gradient has to return one gradient for each input, in the same order:"
        " None for one that needs none. TensorFlow can't tell which input a lone gradient belongs to.",
        "{new}",
    ),
}

# What to write in TensorFlow, for phrases whose own fix is PyTorch's.
FIXES = {
    "non-finite-root": "tf.sqrt(tf.maximum({name}, 1e-12))  # or choose a safe value before the root",
    "non-finite-norm": "Add a small number inside: tf.sqrt(tf.reduce_sum({name} ** 2) + 1e-12)",
    "non-finite-log": "tf.math.log(tf.maximum({name}, 1e-12))",
    "non-finite-acos": "tf.{op}(tf.clip_by_value({name}, -1 + 1e-6, 1 - 1e-6))",
    "non-finite-div": "tf.math.divide_no_nan({name}, {second})  # or add a small number to the divisor",
    "non-finite-pow": "tf.maximum({name}, 1e-12) before the power",
    "non-finite-exp": "Use a function that is safe for large values: tf.nn.softplus, log_softmax, tf.reduce_logsumexp",
}
