"""dtype-mismatch of a seed gradient: one that autograd cast to the dtype of its output, and one that it refused."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.diagnose.build import raised_at_call, replacement
from gradviz.diagnose.calls import pass_call, rewritten, root_text, seed_text
from gradviz.diagnose.exam import Examination
from gradviz.diagnose.finding import Finding, Mark
from gradviz.diagnose.precedence import tight
from gradviz.diagnose.rules.seed_fix import seed_rewrite
from gradviz.trace import model


def refused(exam: Examination, backward: model.Backward) -> Finding | None:
    """A complex seed for a real output, or the other way round: that is the one cast which autograd doesn't do."""
    case, called = exam.case, pass_call(exam.case, backward)
    for index, (port, seed) in enumerate(zip(backward.roots, backward.seeds)):
        if seed is None or _is_complex(seed.spec) == _is_complex(port.spec):
            continue
        name, root = seed_text(case, called, backward, index), root_text(case, called, backward, index)
        written = called.seeds[index] if len(called.seeds) == len(backward.seeds) else None
        argument = called.seed_argument
        single = written is not None and written is argument
        new = f"{tight(name)}.to({tight(root)}.dtype)" if _is_complex(port.spec) else f"{tight(name)}.real"
        whole = rewritten(called, swap={argument: new}) if single and argument is not None else new
        node = case.node(backward.id, port.node) if port.node >= 0 else None
        return exam.writer.write(
            "dtype-mismatch",
            "error",
            called.place,
            "seed-complex" if _is_complex(seed.spec) else "seed-real",
            {"root": root, "seed": name, "expected": port.spec.dtype, "received": seed.spec.dtype, "new": whole},
            pass_id=backward.id,
            node=node.name if node is not None else "",
            expected_shape=port.spec.dtype,
            received_shape=seed.spec.dtype,
            marks=(Mark("seed", port.node, port.slot, -1, port.spec.dtype, seed.spec.dtype),),
            changes=replacement(called.code, called.place, whole) if single else (),
            rewrite=seed_rewrite(backward, "cast", index),
            **raised_at_call(case.exception(backward.exception), backward.stack),
        )
    return None


def _is_complex(spec: model.Spec) -> bool:
    return spec.dtype.startswith("complex")


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
