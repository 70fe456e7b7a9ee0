"""Words about outputs that hang on nothing, or on less than they should."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "cut-detach": Phrase(
        "The graph was cut",
        "{root} hangs on no graph: {op} on line {line} cut it off from {name}.",
        "{op} gives the same numbers without the record of how they were made. Everything after line {line} was"
        " computed from these numbers, so nothing leads back to the parameters.",
        "{new}",
    ),
    "cut-copy": Phrase(
        "The graph was left behind",
        "{root} hangs on no graph: {op} on line {line} made a new tensor of {name}, without its graph.",
        "{op} takes over the numbers, not the record of how they were made. With requires_grad the new tensor is a"
        " leaf: the gradient ends there, backward raises nothing, and nothing leads back to the parameters.",
        "{new}",
    ),
    "cut-python": Phrase(
        "A tensor became a plain number or array",
        "{root} hangs on no graph: {op} on line {line} turned {name} into a plain Python value.",
        "Python numbers and numpy arrays have no record of how they were made. What was computed from them"
        " afterwards is a constant for autograd. Stay with tensors until backward has run; item() is for printing.",
        "{new}",
    ),
    "cut-comparison": Phrase(
        "A comparison has no gradient",
        "{root} hangs on no graph: {op} on line {line} turned {name} into true and false.",
        "A comparison jumps from false to true and is flat everywhere else, so there is no slope to follow, and"
        " autograd ends the graph there. An accuracy can be watched, but not trained on: use a loss that grows with"
        " the error, such as cross entropy.",
        "{new}",
    ),
    "cut-choice": Phrase(
        "Choosing an index has no gradient",
        "{root} hangs on no graph: {op} on line {line} turned {name} into whole numbers.",
        "A choice jumps from one whole number to the next and is flat in between, so there is no slope to follow,"
        " and autograd ends the graph there. Use the scores themselves in the loss, for instance by softmax or cross"
        " entropy.",
        "{new}",
    ),
    "cut-no-grad": Phrase(
        "The forward pass ran with gradients switched off",
        "{root} hangs on no graph: {op} on line {line} ran under {switch}.",
        "Under {switch} autograd records nothing, to save time and memory. What is computed there are plain numbers,"
        " and backward has nothing to walk along.",
        "Move the computation of {root} out of {switch}.",
    ),
    "cut-rebound": Phrase(
        "A parameter was replaced by a plain tensor",
        "{root} hangs on no graph: line {line} bound {name} to a new tensor, which does not ask for a gradient.",
        "What is computed without gradients is a new, plain tensor, and from line {line} on {name} means that one. The"
        " parameter that asked for a gradient is left behind. Change the parameter's numbers in place, so that it"
        " stays the same tensor.",
        "{new}",
    ),
    "parameter-replaced": Phrase(
        "A parameter was replaced by its update",
        "Line {line} bound {name} to a new tensor, which keeps no gradient: on line {call} {name}.grad is None.",
        "{name} was a leaf, and backward() collects its gradient there. What line {line} computes is another tensor"
        " that takes over the name; the leaf is left behind, and the new tensor's .grad stays None. Change the numbers"
        " of the parameter in place instead, under torch.no_grad().",
        "{new}",
    ),
    "cut-frozen": Phrase(
        "All parameters are frozen",
        "{root} hangs on no graph: {names} and all others behind it have requires_grad=False, set on line {line}.",
        "A parameter with requires_grad=False is a constant for autograd. Since every one of them is, there is"
        " nothing to differentiate by. Freeze only the part that is to stay as it is.",
        "{text}  # only for the part that is to stay frozen",
    ),
    "cut-never-required": Phrase(
        "Nothing asks for a gradient",
        "{root} hangs on no graph: nothing that it was computed from has requires_grad=True.",
        "autograd records a computation only from tensors that ask for a gradient: parameters do by themselves,"
        " plain tensors only with requires_grad=True. Here none did, so line {call} has nothing to differentiate by.",
        "{name}.requires_grad_()  # before it is used",
    ),
    "offered-nothing-required": Phrase(
        "No argument asks for a gradient",
        "{function}() was given no tensor with requires_grad=True ({names}), so there is nothing to differentiate by.",
        "autograd records a computation only from tensors that ask for a gradient. None of the arguments does, and what"
        " {function}() returned has no graph: backward has nowhere to start. Give one that asks for it,"
        " {argument_field}.",
        "{name} = {new}",
    ),
    "offered-whole-numbers": Phrase(
        "Whole numbers have no gradient",
        "{function}() was given whole numbers only ({names}), so there is nothing to differentiate by.",
        "A gradient says what a tiny change does, and a whole number can't change by a tiny amount: only"
        " floating-point and complex tensors can ask for a gradient. Give {function}() one, {argument_field}.",
        "{name} = {new}",
    ),
    "offered-plain-numbers": Phrase(
        "A plain number asks for no gradient",
        "{function}() was given plain numbers only ({names}), so there was nothing to differentiate by.",
        "autograd records a computation only from tensors that ask for a gradient, and a Python number is none. If"
        " {function}() is to be differentiated by it, give a tensor, {argument_field}.",
        "{name} = {new}",
    ),
    "offered-not-from": Phrase(
        "The result does not depend on the argument",
        "What {function}() returned was not computed from {names}, which asked for a gradient: it hangs on no graph.",
        "autograd records the calls that lead from {names} to a result. None of them led to what {function}()"
        " returned, so there is nothing to run backward from.",
        "Compute what {function}() returns from {name}.",
    ),
    "offered-returned-nothing": Phrase(
        "The function returned nothing",
        "{function}() returned None, so there is nothing to run backward from; {name} (line {line}) was let go.",
        "backward starts from an output. {function}() computed one from its arguments, but a function without a"
        " return gives back None, and the graph is dropped with the last value in it.",
        "return {name}",
    ),
    "cut-numpy-refused": Phrase(
        "numpy can't carry gradients",
        "{op} was called on {name}, which requires grad.",
        "numpy arrays have no record of how they were made, so torch refuses to let a gradient get lost unseen."
        " Inside the loss use torch's own functions (torch.exp, torch.log, ...). Only for printing or plotting write"
        " .detach().numpy().",
        "Use torch's functions on {name}; or {name}.detach().numpy() if no gradient is wanted.",
    ),
    "cut-silent": Phrase(
        "Part of the model is cut off from the loss",
        "{parameters} got no gradient: {op} on line {line} cut {name} off from the loss.",
        "{op} gives plain numbers, without the record of how they were made. The loss is computed from those"
        " numbers, so for autograd it does not depend on {parameters}: backward runs without an error, and they are"
        " never trained.",
        "{new}",
    ),
    "cut-term": Phrase(
        "A term of the loss is only a number",
        "{op} on line {line} made {name} a number: it is added to the loss, and nothing is trained by it.",
        "A number has no record of how it was made. What is added to a loss as a number shows in its value and changes"
        " no gradient: {parameters} are trained as if the term weren't there.",
        "{new}",
    ),
    "missing-create-graph": Phrase(
        "The gradient was computed without a graph of its own",
        "{root} hangs on no graph: {result} was computed on line {line} without create_graph=True.",
        "autograd.grad() gives plain numbers unless it is told to record how it computes them. To differentiate a"
        " gradient again, as for a penalty or a second derivative, that record is needed.",
        "{new}",
    ),
    "missing-create-graph-silent": Phrase(
        "The penalty on the gradient trains nothing",
        "{result} was computed on line {line} without create_graph=True, so what is added to {root} from it is a"
        " constant.",
        "autograd.grad() gives plain numbers unless it is told to record how it computes them. The penalty changes"
        " the value of the loss, but no gradient flows back through it: backward on line {call} runs without an"
        " error, and the parameters don't feel the penalty.",
        "{new}",
    ),
    "constant-derivative": Phrase(
        "The first derivative is a constant",
        "{root} hangs on no graph: the derivative taken on line {line} does not depend on the input any more.",
        "The derivative of a linear function is a constant. autograd has no node for it, even with"
        " create_graph=True, so differentiating once more on line {call} raises. Mathematically the second"
        " derivative is 0.",
        "if not {root}.requires_grad: return torch.zeros_like(x)",
    ),
    "unused-input": Phrase(
        "The output does not depend on this input",
        "{root} was not computed from {name}, so there is no gradient for it.",
        "autograd.grad() looks for {name} in the graph of {root} and does not find it. Only the very tensor that"
        " went into the computation counts; a copy made of it, or one with the same numbers, is another tensor.",
        "{new}",
    ),
    "unused-input-copy": Phrase(
        "The output does not depend on this copy",
        "{root} was not computed from {name}: it was made on line {line} beside the graph.",
        "{op} on line {line} makes a new tensor. {root} was computed from {original}, not from {name}, and gradients"
        " flow only along the way that the values took.",
        "{new}",
    ),
    "unused-input-cut": Phrase(
        "The input is cut off before it is used",
        "{root} does not depend on {name}: {op} on line {line} cuts it off.",
        "{op} gives the same numbers without the record of where they come from. {root} was computed from those, so"
        " for autograd it does not depend on {name}.",
        "{new}",
    ),
    "non-leaf-grad": Phrase(
        "The gradient of an intermediate tensor is not kept",
        "{name}.grad is None: {name} is not a leaf, and its gradient was let go after use.",
        "backward() keeps gradients only for leaves: parameters and tensors made with requires_grad=True. {name} was"
        " computed from others, so its gradient passed through and was let go.",
        "{name}.retain_grad()  # before backward()",
    ),
    "non-leaf-made": Phrase(
        "What asks for a gradient is not what is kept",
        "{name}.grad is None: {name} is not a leaf, but computed from what was made with requires_grad=True.",
        "backward() keeps gradients only for leaves. The leaf is the tensor inside the expression, which no name holds;"
        " {name} is what was computed from it, and its gradient passed through and was let go.",
        "{new}",
    ),
}
