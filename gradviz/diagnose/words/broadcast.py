"""Words about operands that stretch each other without an error."""

from __future__ import annotations

from gradviz.diagnose.words.phrase import Phrase

PHRASES = {
    "silent-broadcast": Phrase(
        "{expression} broadcasts to {result}",
        "{first} has shape {a}, {second} has shape {b}; together they make {result}: {count} entries instead of"
        " {wanted}.",
        "Shapes are lined up at their right end, and a dimension that is 1 or missing is repeated. Here each operand"
        " repeats the other, so every entry of one meets every entry of the other. Nothing is raised, and the sum"
        " over the repeated entries in backward hides it: the gradient has the right shape and the wrong value.",
        "{new}",
    ),
    "silent-broadcast-loss": Phrase(
        "The loss compares every prediction with every target",
        "{first} has shape {a}, {second} has shape {b}; the loss broadcasts them to {result}: {count} comparisons"
        " instead of {wanted}.",
        "Shapes are lined up at their right end, and a dimension that is 1 or missing is repeated. A column against"
        " a row or a vector makes a whole table, so each prediction is pulled towards all targets at once. Training"
        " then finds their mean.",
        "{new}",
    ),
    "silent-broadcast-mask": Phrase(
        "The mask stretches what it is to select from",
        "{first} has shape {a}, {second} has shape {b}; together they make {result}: {count} entries instead of"
        " {wanted}.",
        "A mask keeps or drops single entries, so it must not make the other operand larger. Here each repeats the"
        " other: every row is weighed with the mask of every other row. Nothing is raised, since the result is"
        " summed up afterwards.",
        "{new}",
    ),
}
