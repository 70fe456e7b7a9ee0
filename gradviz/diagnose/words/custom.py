"""Words about a person's own autograd.Function."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "custom-count": Phrase(
        "backward returns the wrong number of gradients",
        "{name}.backward returned {got}, but {name}.forward takes {expected} inputs: {inputs}.",
        "backward has to return one value for each input of forward, ctx left out, in the same order: a gradient for"
        " a tensor that needs one, None for everything else. autograd can't tell which input a lone gradient belongs"
        " to.",
        "{new}",
    ),
    "custom-shape": Phrase(
        "backward returns a gradient of the wrong shape",
        "{name}.backward returned {got} for {input}, which has shape {expected}.",
        "The gradient of an input says how the result changes with each of its entries, so it has exactly the shape"
        " of that input. {grad} has another one, and summing over broadcast dimensions does not make it fit.",
        "{new}",
    ),
    "custom-shape-inside": Phrase(
        "The custom backward works with the wrong shape",
        "{name}.backward failed on line {line}: {reason}.",
        "backward receives a gradient of the shape that forward returned, {received}, and must return one of the"
        " shape of each input: {wanted}. On the way between the two a shape is taken from the wrong side.",
        "Build the gradient with the shape of the input ({wanted}), then fill it in.",
    ),
    "custom-device": Phrase(
        "backward returns a gradient on another device",
        "{name}.backward returned a gradient on {got} for {input}, which is on {expected}.",
        "A gradient must live where its input lives; nothing is copied between devices by itself. A tensor made"
        " inside backward without a device lands on the default one, or on the one that was written there.",
        "Make it like something that came in, e.g. torch.full_like(grad_output, 2.0).",
    ),
    "custom-type": Phrase(
        "backward returns something that is not a tensor",
        "{name}.backward returned a {type} for {input}; it needs a tensor of shape {expected}, or None.",
        "autograd passes tensors on. A Python number has no shape, so it can't be the gradient of {input}, even when"
        " all entries are alike.",
        "{new}",
    ),
    "custom-non-tensor": Phrase(
        "backward returns a gradient for something that is no tensor",
        "{name}.backward returned a gradient for {input} (position {position}), which was given as a plain Python"
        " value.",
        "Only tensors have gradients. For an input of forward that is a number, a flag or a string, backward has to"
        " return None in its place.",
        "{new}",
    ),
    "custom-once": Phrase(
        "This function can be differentiated only once",
        "{name} is marked @once_differentiable, but its gradient was differentiated again.",
        "@once_differentiable runs backward without recording it, so there is no graph of the gradient. A second"
        " derivative, a gradient penalty or create_graph=True needs that graph.",
        "Remove @once_differentiable and use only differentiable operations in backward, or do without the second"
        " derivative.",
    ),
    "custom-dtype": Phrase(
        "backward returns a gradient of another dtype",
        "{name}.backward returned {got} for {input}, which is {expected}; autograd cast it without a word.",
        "The engine casts the gradient to the dtype of the input. The result is right up to rounding, but memory and"
        " time go into the detour, and an overflow in {expected} would go unseen. numpy makes float64 by default.",
        "{new}",
    ),
    "custom-dtype-raised": Phrase(
        "backward returns a gradient of another dtype",
        "{name}.backward returned {got} for {input}, which is {expected}.",
        "A gradient must have a dtype that can be cast to that of its input. A complex gradient for a real input"
        " can't: take its real part, or whatever the formula asks for.",
        "{new}",
    ),
    "custom-value": Phrase(
        "The custom gradient doesn't belong to its forward",
        "{name}.backward gives a gradient for {input} that differs from the slope of forward: {given} against"
        " {right} along a random direction.",
        "gradviz worked out forward and backward from their text at a random point, and compared the gradient with"
        " the difference that a tiny step makes. The shape is right, so nothing is raised, but the numbers are those"
        " of another function.",
        "{new}",
    ),
    "custom-value-turned": Phrase(
        "The custom gradient is transposed",
        "{name}.backward gives the transpose of the gradient for {input}: {given} against {right} along a random"
        " direction.",
        "gradviz worked out forward and backward from their text at a random point, and compared the gradient with"
        " the difference that a tiny step makes. The input is square here, so the transpose has the same shape and"
        " nothing is raised, but its entries stand in the wrong places.",
        "{new}",
    ),
    "custom-missing": Phrase(
        "backward returns no gradient for an input that needs one",
        "{name}.backward returned None for {input}, and {leaf}, shape {expected}, got no gradient in the whole run.",
        "None says that the result does not depend on {input}, so autograd passes nothing on. {leaf} requires grad"
        " and gets its gradient from nowhere else: it is never trained.",
        "Return the gradient of {input}, of shape {expected}, in its place; or set {leaf}.requires_grad_(False) if"
        " none is wanted.",
    ),
    "custom-reduced": Phrase(
        "autograd summed a gradient to make it fit",
        "{name}.backward returned {got} for {input}, which has shape {expected}; autograd summed over dim {dims}"
        " without a word.",
        "A gradient that has more dimensions than its input is taken for that of a broadcast input and summed."
        " Forward did not broadcast {input} to {got}, so this sum is probably not the gradient that was meant.",
        "{new}  # only if the sum is meant",
    ),
    "custom-dropped": Phrase(
        "A gradient has a dimension of size 1 too many",
        "{name}.backward returned {got} for {input}, which has shape {expected}; the numbers are the same.",
        "A gradient has the shape of its input. autograd drops leading dimensions of size 1 by itself, so the result is"
        " right. Returning the shape of {input} makes it plain to see.",
        "{new}",
    ),
    "custom-reduced-right": Phrase(
        "autograd summed a gradient to make it fit",
        "{name}.backward returned {got} for {input}, which has shape {expected}; autograd summed over dim {dims}.",
        "Forward broadcast {input} to {got}, and the gradient of that is the sum over the repeated dimensions."
        " autograd does it by itself here, so the result is right. Writing the sum makes it plain to see.",
        "{new}",
    ),
}
