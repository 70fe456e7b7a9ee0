"""Says why a gradient is None: what the tape followed and what it didn't, as facts that the diagnosis reads."""

from __future__ import annotations

from types import FrameType
from typing import Any

from gradviz.record.names import variable_names
from gradviz.record.tensorflow.leaves import Leaves
from gradviz.record.tensorflow.passes import TapePass
from gradviz.record.tensorflow.state import Recorder
from gradviz.record.tensorflow.steps import Run
from gradviz.record.tensorflow.tapes import TapeRecord
from gradviz.record.tensorflow.values import number_of

NOTE = "tape-none"
MOST = 20  # of one pass


class Missing:
    """Writes a note for each source that got no gradient."""

    def __init__(self, recorder: Recorder, leaves: Leaves) -> None:
        self._recorder = recorder
        self._leaves = leaves

    def tell(
        self, record: TapePass, run: Run, tape: TapeRecord, given: tuple[Any, ...], as_given: Any,
        missing: list[int], count: int, frame: FrameType,
    ) -> None:  # fmt: skip
        """`missing` are the positions among the sources; `given` what imperative_grad was called with, `as_given` the
        sources as the person named them: variables, where `given` has their handles.
        """
        targets, sources = given[1], given[2]
        raw = list(as_given) if as_given is not None and len(as_given) == len(sources) else sources
        things = {id(raw[at]): raw[at] for at in missing}
        found = variable_names(things, frame, self._recorder.frames.is_user, self._recorder.session.namespace())
        stack = record.columns["stack"]
        followed = any(each._id in tape.ids for each in targets)
        for at in missing[:MOST]:
            source = sources[at]
            leaf = tape.leaves.get(source._id)
            name = (self._leaves.label_of(leaf) if leaf is not None else "") or found.get(id(raw[at]), "")
            reason = self._reason(tape, source, raw[at], followed)
            text = f"The gradient with respect to {name or 'a source'} is None" + (
                f" (line {frame_line(self._recorder, frame)})."
            )
            self._recorder.session.note(
                NOTE,
                text,
                stack if stack >= 0 else None,
                reason=reason,
                name=name,
                position=at,
                sources=count,
                missing=len(missing),
                variable=str(source.dtype.name) == "resource",
                value=number_of(source),
                shape=self._shape(source, raw[at], leaf),
                dtype=source.dtype.name,
                targets=[number_of(each) for each in targets],
                first_op=tape.first_op,
                last_op=tape.last_op,
                exits=tape.exits[-MOST:],
                dead_ends=[record.graph.op[node] for node in run.dead_ends[:MOST]],
                made=tape.made,
                **{"pass": record.number},
            )

    def _shape(self, source: Any, raw: Any, leaf: Any) -> list[Any]:
        if leaf is None and raw is not source and raw.shape.rank is not None:
            return [-1 if size is None else int(size) for size in raw.shape.as_list()]
        spec = leaf.spec if leaf is not None else self._recorder.values.spec(source)
        return list(self._recorder.values.shapes.get(spec, ()))

    def _reason(self, tape: TapeRecord, source: Any, raw: Any, followed: bool) -> str:
        if source._id not in tape.ids:
            if str(source.dtype.name) == "resource":
                if raw is not source and not raw.trainable:
                    return "frozen"
                if not followed:
                    return "target"  # of nothing on the tape: a variable is watched when it is read
                return "unconnected" if tape.watches_variables else "unwatched"
            if source.dtype.is_floating or source.dtype.is_complex:
                return "unwatched"
            return "integer"
        return "unconnected" if followed else "target"


def frame_line(recorder: Recorder, frame: FrameType) -> int:
    """The line of the person's that asked for the gradient."""
    place = recorder.user_place(frame)
    return place[1] if place is not None else 0
