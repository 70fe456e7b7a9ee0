"""The state that a loop carries: all of its names, and a line that runs whatever they hold."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gradviz.diagnose.case import Case
from gradviz.diagnose.rules.carried_state import State, carried_state
from gradviz.trace import model
from gradviz.trace.packing import VALUE_LIST_ITEM
from tests.unit.diagnose.fake_trace import FakeTrace

TORCH_LOOP = """\
for x in batches:
    {line}
    {call}.sum().backward()
"""


def state(
    text: str, call: str, results: int, *, detached: Sequence[int] = (), first: int = 0, name: str = "", deep: str = ""
) -> State:
    """A call with `results` results that takes those from `first` on up again in the next turn; `deep`: the place of
    the call inside the one that stands in the loop.
    """
    trace = FakeTrace(text)
    x = trace.tensor((2, 3))
    made = [trace.tensor((2, 4), grad=True) for _ in range(results)]
    stack = (*trace.at(deep), *trace.at(call)) if deep else trace.at(call)
    old = trace.op("lstm", call, (x,), made)
    old = trace._ops[-1] = model.Op(**{**vars(old), "stack": stack})
    root = trace.tensor((), grad=True)
    one = trace.backward("backward()" if ".backward()" in text else call, root)
    trace.add_node(one, "RnnBackward", (2, 4), op=old)
    taken = []
    for i, value in enumerate(made[first:]):
        if i in detached:
            value = trace.tensor((2, 4))
            trace.op("detach", call, (made[first + i],), value)
        many = results - first > 1
        taken.append(model.Value(**{**vars(value), "flags": value.flags | (VALUE_LIST_ITEM if many else 0)}))
    new = trace.op("lstm", call, (x, *taken), [trace.tensor((2, 4), grad=True) for _ in range(results)])
    new = trace._ops[-1] = model.Op(**{**vars(new), "stack": stack})
    case = Case(trace)
    return carried_state(case, case.passes[0], old.number, old, new, name)


@pytest.mark.parametrize(
    ("line", "call", "results", "first", "names", "new"),
    [
        ("out, hidden = rnn(x, hidden)", "rnn(x, hidden)", 3, 1, ("hidden",), "tuple(s.detach() for s in hidden)"),
        ("out, hidden = rnn(x, hidden)", "rnn(x, hidden)", 2, 1, ("hidden",), "hidden.detach()"),
        ("state = rnn(x, state)", "rnn(x, state)", 2, 0, ("state",), "tuple(s.detach() for s in state)"),
        ("state = rnn(x, state)", "rnn(x, state)", 1, 0, ("state",), "state.detach()"),
        ("out, (h, c) = rnn(x, (h, c))", "rnn(x, (h, c))", 3, 1, ("h", "c"), "h.detach(), c.detach()"),
        ("out, (h, c) = rnn(x, hx=(h, c))", "rnn(x, hx=(h, c))", 3, 1, ("h", "c"), "h.detach(), c.detach()"),
        ("h, c = rnn(x, (h, c))", "rnn(x, (h, c))", 2, 0, ("h", "c"), "h.detach(), c.detach()"),
        ("self.h = rnn(x, self.h)", "rnn(x, self.h)", 2, 0, ("self.h",), "tuple(s.detach() for s in self.h)"),
        ("hs = [rnn(x, h) for h in hs]", "rnn(x, h)", 1, 0, ("hs",), "[one.detach() for one in hs]"),
        (
            "hs = [rnn(x, h) for h in hs]",
            "rnn(x, h)",
            2,
            0,
            ("hs",),
            "[tuple(s.detach() for s in one) for one in hs]",
        ),
    ],
)
def test_each_name_is_cut_off_as_what_it_holds(
    line: str, call: str, results: int, first: int, names: tuple[str, ...], new: str
) -> None:
    found = state(TORCH_LOOP.format(line=line, call="out"), call, results, first=first)

    assert found == State(names, f"{', '.join(names)} = {new}  # after line 3")


def test_what_is_detached_already_is_not_named_again() -> None:
    text = TORCH_LOOP.format(line="out, (h, c) = rnn(x, (h, c))", call="out") + "    c = c.detach()\n"

    assert state(text, "rnn(x, (h, c))", 3, first=1, detached=[1]) == State(("h",), "h = h.detach()  # after line 3")


def test_half_of_a_tuple_detached_leaves_a_tuple() -> None:
    text = TORCH_LOOP.format(line="out, hidden = rnn(x, hidden)", call="out")
    text += "    hidden = (hidden[0].detach(), hidden[1])\n"

    found = state(text, "rnn(x, hidden)", 3, first=1, detached=[0])

    assert found.new.startswith("hidden = tuple(s.detach() for s in hidden)")


MODEL = """\
class Net(nn.Module):
    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)
        return self.head(out), hidden


for x in batches:
    out, hidden = net(x, hidden)
    out.sum().backward()
"""


def test_a_state_carried_round_a_module_is_named_as_the_loop_names_it() -> None:
    found = state(
        MODEL.replace("hidden = net", "state = net"), "net(x, hidden)", 3, first=1, deep="self.rnn(x, hidden)"
    )
    loop = state(MODEL, "net(x, hidden)", 3, first=1, deep="self.rnn(x, hidden)")

    assert loop.new == "hidden = tuple(s.detach() for s in hidden)  # after line 9"
    assert found.names == ("hidden",)


KEPT = """\
class Net(nn.Module):
    def __init__(self):
        self.hidden = None

    def forward(self, x):
        out, self.hidden = self.rnn(x, self.hidden)
        return out


def train():
    net(x).sum().backward()
"""


def test_a_state_kept_in_a_module_is_cut_off_before_it_is_taken_up() -> None:
    found = state(KEPT, "self.rnn(x, self.hidden)", 3, first=1)

    assert found.names == ("self.hidden",)
    assert found.new == (
        "if self.hidden is not None: self.hidden = tuple(s.detach() for s in self.hidden)  # before line 6"
    )


def test_without_a_name_nothing_is_made_up() -> None:
    assert state("run(rnn(x))\nloss.backward()\n", "rnn(x)", 1) == State((), "")
