"""Words about gradients that became NaN or infinite, or vanished."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

_TITLE = "A gradient became {what}"
_MESSAGE = "{node} (line {line}) received finite gradients and handed on {what}."

PHRASES = {
    "non-finite": Phrase(
        _TITLE,
        _MESSAGE,
        "Until this node all gradients were finite, after it {what} spreads to everything below. A very large"
        " factor, or a value that was {what} in the forward pass already, does that.",
        "Print the values that go into line {line}, and keep them in range, e.g. with clamp.",
    ),
    "non-finite-root": Phrase(
        _TITLE,
        _MESSAGE,
        "The slope of a square root grows without bound towards 0, and below 0 there is no root at all. Times a"
        " gradient of 0, as from a where() that did not choose this value, infinity becomes NaN: where() does not"
        " protect the branch that it leaves out.",
        "torch.sqrt({name}.clamp_min(1e-12))  # or choose a safe value before the root",
    ),
    "non-finite-norm": Phrase(
        _TITLE,
        _MESSAGE,
        "A norm or distance has a kink at zero length: its slope is 0/0 there. Two equal points, or a vector of"
        " zeros, are enough.",
        "Add a small number inside: ({name}.pow(2).sum() + 1e-12).sqrt()",
    ),
    "non-finite-log": Phrase(
        _TITLE,
        _MESSAGE,
        "The logarithm of 0 is minus infinity, and its slope 1/x is infinite there. Times a factor of 0 it becomes"
        " NaN. A probability that was rounded down to 0 is the usual reason.",
        "torch.log({name}.clamp_min(1e-12))",
    ),
    "non-finite-acos": Phrase(
        _TITLE,
        _MESSAGE,
        "{op} ends at -1 and 1, and its slope is infinite at both ends. Rounding often brings a cosine exactly"
        " there, or a little beyond, where the result is NaN.",
        "torch.{op}({name}.clamp(-1 + 1e-6, 1 - 1e-6))",
    ),
    "non-finite-div": Phrase(
        _TITLE,
        _MESSAGE,
        "The slope of a quotient has the square of the divisor below the line. With a divisor of 0, or one so small"
        " that its square is 0, that is infinite, and 0 times infinity is NaN.",
        "{name} / ({second} + 1e-12)  # or clamp the divisor",
    ),
    "non-finite-pow": Phrase(
        _TITLE,
        _MESSAGE,
        "The slope of a power below 1 is infinite at 0, that of a power of a negative base need not exist, and a"
        " large power overflows.",
        "{name}.clamp_min(1e-12) before the power",
    ),
    "non-finite-exp": Phrase(
        _TITLE,
        _MESSAGE,
        "exp overflows to infinity soon (above 88 in float32), and its slope is its value. A gradient of 0 from"
        " further up, as from a log or a where() that did not choose this value, times infinity is NaN.",
        "Use a function that is safe for large values: torch.nn.functional.softplus, log_softmax, torch.logsumexp",
    ),
    "non-finite-eigen": Phrase(
        _TITLE,
        _MESSAGE,
        "The gradient of eigenvectors or singular vectors divides by the differences of the eigenvalues. Where two"
        " of them are equal, as for the identity matrix, that is a division by 0.",
        "Use only the eigenvalues, or make them distinct with a small perturbation.",
    ),
    "non-finite-masked": Phrase(
        _TITLE,
        "{shown_by} received finite gradients and handed on {what}, most likely from a masked row of {expression} on"
        " line {line}.",
        "{shown_by} can't make {what} by itself: it worked with numbers that were {what} in the forward pass already."
        " Behind it stands a softmax over a mask of minus infinities: a row in which the mask leaves nothing is 0/0.",
        "Make sure that every row of the mask leaves at least one entry.",
    ),
    "non-finite-softmax": Phrase(
        _TITLE,
        _MESSAGE,
        "A softmax over entries that are all minus infinity is 0/0. A row of a mask that lets nothing through does"
        " that.",
        "Make sure that every row of the mask leaves at least one entry.",
    ),
}
