"""Words about HIPS autograd: its boxes, its vjps, and what plain numpy makes of them."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "hips-offered-whole": Phrase(
        "Whole numbers have no gradient",
        "{function}() was given whole numbers only ({names}), so there is nothing to differentiate by.",
        "A gradient says what a tiny change does, and a whole number can't change by a tiny amount: autograd"
        " differentiates by floating-point numbers. Give {function}() some, {argument_field}.",
        "{name} = {new}",
    ),
    "hips-vjp-shape": Phrase(
        "The gradient of {op} has the wrong shape",
        "{op} on line {line} handed {argument} a gradient of shape {received}; {argument} has shape {expected}.",
        "A gradient has the shape of what it belongs to. In the forward call {op} is right, but autograd's rule for its"
        " gradient gives {received} where {expected} is due, and autograd doesn't compare the two: it goes on with the"
        " wrong shape until some call raises.",
        "{new}",
    ),
    "hips-vjp-shape-beside": Phrase(
        "The gradient of {op} has the wrong shape",
        "{op} on line {line} handed {argument} a gradient of shape {received}; {argument} has shape {expected}.",
        "A gradient has the shape of what it belongs to. In the forward call {op} is right, but autograd's rule for its"
        " gradient gives {received} where {expected} is due, and autograd doesn't compare the two: it goes on with the"
        " wrong shape until some call raises. No gradient passes through what is constant here: {constants}.",
        "{new}",
    ),
    "hips-vjp-outer": Phrase(
        "{np}.outer has a gradient for vectors only",
        "The gradient of {np}.outer on line {line} has shape {received} for {argument}, which has shape {expected}.",
        "{np}.outer flattens what it is given, but autograd's rule for its gradient takes its arguments for vectors,"
        " and never brings the gradient back to the shape {expected}. The forward value is right; the gradient is not,"
        " and it raises there or one step further on.",
        "{new}",
    ),
    "hips-vjp-outer-beside": Phrase(
        "{np}.outer has a gradient for vectors only",
        "The gradient of {np}.outer on line {line} has shape {received} for {argument}, which has shape {expected}.",
        "{np}.outer flattens what it is given, but autograd's rule for its gradient takes its arguments for vectors,"
        " and never brings the gradient back to the shape {expected}. The forward value is right; the gradient is not,"
        " and it raises there or one step further on. No gradient passes through what is constant here: {constants}.",
        "{new}",
    ),
    "hips-vjp-made": Phrase(
        "autograd has no gradient for this use of {op}",
        "The gradient of {op} on line {line} can't be made: it would have shape {received}, and {argument} has shape"
        " {expected}.",
        "autograd prepares the gradient of a call as soon as the call is made. Its rule for {op} can't take back what"
        " {op} did here: {reason}. The same numbers from calls that it knows better have a gradient.",
        "{new}",
    ),
    "hips-seed": Phrase(
        "The seed gradient has the wrong shape",
        "The function returned shape {expected}, but its vjp was given a seed of shape {received}.",
        "A vjp is given the gradient with respect to what the function returned: one weight for each of its entries, in"
        " the same arrangement. autograd doesn't compare the two shapes: it computes with what it is given, and raises"
        " somewhere inside or hands back a gradient that nobody asked for.",
        "{np}.ones({expected_size})  # or a weight for each entry, in this shape",
    ),
    "hips-vjp-raised": Phrase(
        "The gradient of {op} failed",
        "The vjp of {op}, called on line {line}, raised {type}: {reason}",
        "{op} ran forward without complaint; its vjp, which turns the gradient of its result ({received}) into those of"
        " its arguments, raised. All that came before it in the backward pass has the shape that it should have.",
        "Write this call in another way, or check the vjp that belongs to it.",
    ),
    "hips-custom-shape": Phrase(
        "A vjp of your own returns the wrong shape",
        "The vjp of {op} returned {received} for {argument}, which has shape {expected}.",
        "The gradient of an argument has exactly the shape of that argument. autograd doesn't check it: it hands on"
        " whatever a vjp returns. The result of grad is then wrong in shape and in numbers, or a later call raises.",
        "Let the vjp return an array of shape {expected}.",
    ),
    "hips-assignment": Phrase(
        "autograd can't follow an assignment into an array",
        "Line {line} writes a traced value into {target}; autograd can't follow that.",
        "While grad() runs a function, its numbers are wrapped in boxes that remember how they were made. An entry of a"
        " numpy array can't hold a box, and a box can't be written into. Build the array from its parts in one"
        " expression instead.",
        "{new}",
    ),
    "hips-box-assignment": Phrase(
        "autograd can't follow an assignment into a traced array",
        "Line {line} writes into {target}, but {name} is a traced array, which can't be written into.",
        "While grad() runs a function, its numbers are wrapped in boxes that remember how they were made. Such a box"
        " can't be changed in its place, whatever is written into it: make a new array and give it the same name.",
        "{new}",
    ),
    "hips-box": Phrase(
        "A traced value was given to code that wants a plain number",
        "{callee} on line {line} was given an ArrayBox, autograd's traced value, and wants a plain number or array.",
        "While grad() runs a function, its numbers are wrapped in boxes. Only functions of autograd.numpy and"
        " autograd.scipy know these; {callee} is not one of them, so there is no gradient through it.",
        "{new}",
    ),
    "hips-missing-vjp": Phrase(
        "autograd knows no gradient for {op}",
        "{op} on line {line} has no vjp for {arguments}.",
        "autograd can run {op} forward, but nobody has told it the gradient with respect to {arguments}. It stops as"
        " soon as such a call is given a traced value.",
        "Use another function, or give it a gradient: defvjp({op}, lambda ans, x: lambda g: ...).",
    ),
    "hips-plain-numpy": Phrase(
        "Plain numpy took the traced values apart",
        "numpy is imported as {name}, so the function returned an array of objects, shape {shape}, and its gradient is"
        " all zeros.",
        "Plain numpy doesn't know autograd's boxes: it packs them into an array of objects. autograd then finds no"
        " trace of its input in the result, warns that the output seems independent of it, and returns zeros.",
        "{new}",
    ),
    "hips-plain-numpy-raised": Phrase(
        "Plain numpy was given a traced value",
        "{callee} on line {line} comes from plain numpy and can't work with autograd's traced values.",
        "While grad() runs a function, its numbers are wrapped in boxes. Plain numpy packs them into an array of"
        " objects, which most of its functions refuse. autograd.numpy has the same functions and knows the boxes.",
        "{new}",
    ),
    "hips-non-scalar": Phrase(
        "{function} needs a function that returns a single number",
        "The function returns shape {received}, {count} numbers; {function} needs one.",
        "grad() says how ONE number changes with each entry of the input. The function returns {count} numbers, so"
        " there is no single one to follow back. Make one of them, or ask for all of their gradients with jacobian.",
        "{new}",
    ),
    "hips-objects": Phrase(
        "Plain numpy made an array of boxes",
        "{made} on line {line} packed autograd's traced values into an array of objects; {callee} on line {raised}"
        " can't work with those.",
        "While grad() runs a function, its numbers are wrapped in boxes. numpy's own functions and the methods of plain"
        " arrays don't know these: they pack them into an array of dtype object. autograd no longer sees the boxes in"
        " it, so the numpy functions further on are handed objects instead of numbers.",
        "{new}",
    ),
    "hips-objects-somewhere": Phrase(
        "An array of boxes reached this call",
        "{callee} on line {raised} was given an array of boxes (dtype object) instead of numbers.",
        "While grad() runs a function, its numbers are wrapped in boxes. numpy's own functions and the methods of plain"
        " arrays don't know these: they pack them into an array of dtype object. autograd no longer sees the boxes in"
        " it, so the numpy functions further on are handed objects instead of numbers.",
        "{new}",
    ),
    "hips-box-plain-numpy": Phrase(
        "Plain numpy was given a traced value",
        "{callee} on line {line} comes from plain numpy and can't work with autograd's traced values.",
        "While grad() runs a function, its numbers are wrapped in boxes. autograd.numpy, imported as {alias}, has the"
        " same functions as numpy and knows the boxes; numpy itself doesn't.",
        "{new}",
    ),
    "hips-box-own": Phrase(
        "A traced value was given to code that wants a plain number",
        "{callee} on line {line} can't work with a box, autograd's traced value.",
        "While grad() runs a function, its numbers are wrapped in boxes. Those of arrays support arithmetic and the"
        " functions of autograd.numpy; this call asks for something that works on plain numbers only.",
        "{new}",
    ),
    "hips-container": Phrase(
        "A traced {kind} is no array",
        "Line {line} does arithmetic with a {box}, which is what autograd makes of a {kind}.",
        "grad() can differentiate by the arrays inside a {kind}, but the {kind} itself stays one: its entries are"
        " taken out by {access}, and the numbers are computed with those.",
        "{new}",
    ),
    "hips-container-assignment": Phrase(
        "autograd can't follow an assignment into a traced {kind}",
        "Line {line} writes into {target}, but autograd has made a {box} of the {kind}, which can't be written into.",
        "While grad() runs a function, a {kind} that it is differentiated by is wrapped in a box that remembers where"
        " its entries came from. Make a new {kind}, or a name for the new value, instead.",
        "{new}",
    ),
    "hips-integer": Phrase(
        "autograd can't differentiate integers",
        "{name} holds integers ({dtype}); autograd differentiates floating point numbers only.",
        "An integer can't be moved by a little, so there is no slope. autograd has no box for a value of type {dtype}.",
        "{new}",
    ),
}

# What to write with autograd.numpy, for phrases whose own fix is PyTorch's.
FIXES = {
    "non-finite": "Print the values that go into line {line}, and keep them in range, e.g. with {np}.clip.",
    "non-finite-root": "{np}.sqrt({np}.maximum({name}, 1e-12))  # or choose a safe value before the root",
    "non-finite-norm": "Add a small number inside: {np}.sqrt({np}.sum({np}.square({name})) + 1e-12)",
    "non-finite-log": "{np}.log({np}.maximum({name}, 1e-12))",
    "non-finite-acos": "Keep what it is given inside: {np}.clip({name}, -1 + 1e-6, 1 - 1e-6)",
    "non-finite-pow": "{np}.maximum({name}, 1e-12) before the power",
    "non-finite-exp": "Use a function that is safe for large values: autograd.scipy.special.logsumexp(x),"
    " or {np}.logaddexp(0, x) for log(1 + exp(x))",
}
