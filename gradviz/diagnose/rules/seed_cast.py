"""dtype-mismatch as a note: a seed gradient that autograd cast to the dtype of its output."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose.calls import pass_call, root_text, seed_text
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.trace import model


def find(exam: Examination, backward: model.Backward) -> Iterator[Finding]:
    case, called = exam.case, pass_call(exam.case, backward)
    for index, (port, seed) in enumerate(zip(backward.roots, backward.seeds)):
        if seed is None or seed.spec.dtype == port.spec.dtype:
            continue
        name, root = seed_text(case, called, backward, index), root_text(case, called, backward, index)
        node = case.node(backward.id, port.node) if port.node >= 0 else None
        yield exam.writer.write(
            "dtype-mismatch",
            "note",
            called.place,
            "seed-cast",
            {"root": root, "seed": name, "expected": port.spec.dtype, "received": seed.spec.dtype},
            pass_id=backward.id,
            node=node.name if node is not None else "",
            expected_shape=port.spec.dtype,
            received_shape=seed.spec.dtype,
            marks=(Mark("seed", port.node, port.slot, -1, port.spec.dtype, seed.spec.dtype),),
            confidence=0.5,
        )
