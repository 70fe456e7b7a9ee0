"""Words about graphs that were freed, and values that were overwritten, before backward needed them."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "hidden-not-detached": Phrase(
        "The state of the last turn still hangs on its graph",
        "{name} comes from the last turn of the loop; line {call} runs backward into that turn's graph, which is"
        " freed already.",
        "backward() frees what the graph saved, once it has used it. {name} was made in the last turn and goes into"
        " line {line} again, so this turn's graph continues into the old one, and backward runs into it at {node}."
        " Cut it off: the value goes on, the graph does not.",
        "{new}",
    ),
    "hiddens-not-detached": Phrase(
        "The state of the last turn still hangs on its graph",
        "{name} come from the last turn of the loop; line {call} runs backward into that turn's graph, which is"
        " freed already.",
        "backward() frees what the graph saved, once it has used it. {name} were made in the last turn and go into"
        " line {line} again, so this turn's graph continues into the old one, and backward runs into it at {node}."
        " Cut each of them off: the values go on, the graph does not.",
        "{new}",
    ),
    "freed-before-loop": Phrase(
        "A graph was built once, and backward run through it again",
        "{name} is computed once, on line {line}, but every backward on line {call} goes through it; the first one"
        " freed it.",
        "backward() frees the tensors that the graph saved, once it has used them. The second call on line {call}"
        " needs {node} again, and what it saved is gone. Compute {name} in each turn; or detach it, if what is"
        " behind it is not to be trained.",
        "{new}  # moved into the loop",
    ),
    "freed-shared": Phrase(
        "Two backward passes share a graph that the first one freed",
        "The backward on line {line} freed {node} (line {made}), which the backward on line {call} needs again.",
        "backward() and autograd.grad() free the tensors that the graph saved, once they have used them. Both calls"
        " go through {shared}. Keep the graph at the first call, or add the two outputs and run backward once.",
        "{new}",
    ),
    "freed-unknown": Phrase(
        "Backward went through the same graph twice",
        "{root} was run backward on line {call}, but what {node} (line {made}) saved is freed already.",
        "backward() frees the tensors that the graph saved, once it has used them. This part of the graph has been"
        " used before. Build it anew before each backward, or keep it with retain_graph=True at the earlier call.",
        "{new}",
    ),
    "inplace-modified": Phrase(
        "A value was overwritten that backward still needs",
        "Line {line} overwrites {name}; {node} (line {made}) had saved it for backward.",
        "{op} keeps its {how} to work out its gradient. Line {line} changed that tensor in place, and autograd"
        " noticed by its version number that it no longer holds what was saved. Make a new tensor instead of"
        " changing this one.",
        "{new}",
    ),
    "inplace-optimizer": Phrase(
        "The parameters were updated before backward had used them",
        "Line {line} updates {name} in place, but the backward on line {call} still needs its old value in {node}.",
        "{op} saved the parameter to work out its gradient. The optimiser changed it in place before this graph was"
        " run backward, so the gradient would belong to other weights. Run every backward of a graph before the"
        " step, or compute the forward pass again after it.",
        "Move the backward of line {call} before line {line}, or compute its loss again after it.",
    ),
    "inplace-unknown": Phrase(
        "A value was overwritten that backward still needs",
        "A tensor that {node} (line {made}) had saved for backward was changed in place.",
        "{op} keeps a tensor to work out its gradient. Something changed it in place after that, and autograd"
        " noticed by its version number. Look for an operation that ends in _, for +=, or for an assignment to a"
        " part of a tensor.",
        "{new}",
    ),
    "inplace-on-leaf": Phrase(
        "A leaf that requires grad can't be changed in place",
        "{line} changes {name} in place, a leaf that requires grad.",
        "autograd would have to record this update as part of the next graph, and {name} would no longer be the leaf"
        " whose gradient is collected. An update of a parameter is not part of the model, so it belongs under"
        " no_grad.",
        "{new}",
    ),
    "inplace-on-leaf-view": Phrase(
        "A leaf that requires grad can't be changed in place",
        "{line} changes a part of {name} in place, a leaf that requires grad.",
        "A slice or view shares the memory of its leaf. autograd would have to record the change, and the leaf would"
        " no longer be one. Set values under no_grad, or work on a clone.",
        "{new}",
    ),
    "leaf-shape-refused": Phrase(
        "A leaf that requires grad can't be given another shape",
        "{writer} on line {line} would give {name}, a leaf that requires grad, the shape {after} in place of {before}.",
        "A leaf's gradient has the shape with which the leaf goes into the computation, {before}, so torch doesn't let"
        " it change. A leaf of another shape is another leaf: make a new one under the same name, and hand that one"
        " to the optimiser.",
        "{new}",
    ),
    "leaf-shape-changed": Phrase(
        "A leaf was given another shape",
        "{writer} on line {line} gave {name}, a leaf, the shape {after}; its gradient is worked out for {before}.",
        "autograd, .grad and an optimiser's state know a leaf by the shape with which it went into the computation,"
        " {before}. Line {line} put other numbers under the same leaf, {after}, and on line {call} the two shapes"
        " met. A leaf of another shape is another leaf: make a new one, and hand that one to the optimiser.",
        "{new}",
    ),
    "inplace-on-view": Phrase(
        "One of several views can't be changed in place",
        "{name} is one of the views that {maker} returned; it can't be changed in place.",
        "{maker} returns several views of one tensor at once. If one of them changed, the graph of all the others"
        " would have to be rewritten, and autograd does not do that. Make a new tensor.",
        "{new}",
    ),
    "inplace-via-data": Phrase(
        "A write through .data gives a wrong gradient",
        "{writer} through .data overwrites {name}, which {node} (line {made}) saved for backward; autograd can't"
        " notice.",
        "{maker} keeps its result to work out its gradient. .data gives the same memory without the version number"
        " that autograd watches, so there is no error: the gradient is worked out from the overwritten numbers. It"
        " belongs neither to the old value nor to the new one.",
        "{new}",
    ),
}
