"""What HIPS autograd's boxes lead to in the wrong hands, and that the remedies are written for autograd.numpy."""

from __future__ import annotations

import ast
from typing import Any

import autograd.numpy
import numpy
import pytest
from autograd import value_and_grad

from gradviz.diagnose.case import Case
from gradviz.diagnose.examination import diagnose
from gradviz.diagnose.finding import Finding
from gradviz.diagnose.frameworks import own_fix
from gradviz.diagnose.hips_code import full_name, like, own_numpy
from gradviz.diagnose.source import Code
from gradviz.trace import model
from gradviz.trace.packing import FIRST_HIPS_VALUE, NODE_LEAF, OP_RAISED
from tests.unit.diagnose.fake_trace import SCRIPT, FakeTrace, Shape, spec

HEAD = "import numpy as onp\nimport autograd.numpy as np\nfrom autograd import grad\n"
PACKED = "setting an array element with a sequence. float() argument must be a number, not 'ArrayBox'"
FROM_AUTOGRAD = {"framework": "autograd"}


def failed(text: str, message: str, part: str, **detail: Any) -> Finding:
    """The finding for an error inside a traced function."""
    trace = FakeTrace(text)
    trace.error("TypeError", message, part, detail={"framework": "autograd", **detail})
    (found,) = diagnose(trace)
    return found


def box(number: int, shape: Shape) -> model.Value:
    return model.Value(FIRST_HIPS_VALUE + number, spec(shape, "float64"), 0, 1, "")


@pytest.mark.parametrize(
    ("lines", "names", "fix"),
    [
        ("p = onp.dot(X, w)", ["p"], "np.dot(X, w)"),
        ("p = X.dot(w)", ["p"], "np.dot(X, w)"),
        ("q = onp.stack([w[0], w[1]])\n    p = q * 2", ["p", "q"], "np.stack([w[0], w[1]])"),
        ("p = onp.linalg.norm(w)", ["p"], "np.linalg.norm(w)"),
    ],
)
def test_an_array_of_boxes_is_told_where_plain_numpy_made_it(lines: str, names: list[str], fix: str) -> None:
    text = HEAD + f"def f(w):\n    {lines}\n    return np.mean(p ** 2)\n"

    found = failed(text, PACKED, "np.mean(p ** 2)", objects=[names], objects_given=True)

    assert (found.rule, found.line, found.fix) == ("hips-plain-numpy", 5, fix)
    assert found.symptom_line == 5 + lines.count("\n") + 1
    assert [change.new for change in found.changes] == [(f"    {lines.partition('=')[0]}= {fix}",)]


@pytest.mark.parametrize(("lines", "names"), [("p = onp_made(w)", ["p"]), ("p = values[w]", ["p"]), ("pass", [])])
def test_an_array_of_boxes_of_unknown_make_is_told_at_the_call_that_got_it(lines: str, names: list[str]) -> None:
    text = HEAD + f"def f(w):\n    {lines}\n    return np.mean(p ** 2)\n"

    found = failed(text, PACKED, "np.mean(p ** 2)", objects=[names], objects_given=True)

    assert (found.rule, found.line) == ("hips-plain-numpy", 6)
    assert "dtype object" in found.message
    assert "not one of them" not in found.explanation


def test_a_function_of_autograds_own_is_never_called_foreign() -> None:
    found = failed(HEAD + "def f(w):\n    return np.zeros(w)\n", "'ArrayBox' object is no integer", "np.zeros(w)")

    assert found.rule == "hips-box-to-float"
    assert "not one of them" not in found.explanation


CALLS = {
    "from math import sin\nsin(x)": "anp.sin(x)",
    "import math\nmath.acos(x)": "anp.arccos(x)",
    "from math import lgamma\nlgamma(x)": "from autograd.scipy.special import gammaln",
    "from scipy.special import expit\nexpit(x)": "from autograd.scipy.special import expit",
    "import scipy.special as sp\nsp.erf(x)": "import autograd.scipy.special as sp",
    "from scipy import stats\nstats.norm.logpdf(x)": "from autograd.scipy import stats",
    "from scipy.special import zeta\nzeta(x)": "",
    "import numpy\nnumpy.linalg.inv(x)": "anp.linalg.inv(x)",
    "f(x)": "",
}


@pytest.mark.parametrize("text", CALLS)
def test_a_foreign_call_has_its_like_in_autograd(text: str) -> None:
    code = Code(SCRIPT, "import autograd.numpy as anp\n" + text)
    call = next(node for node in ast.walk(code.tree) if isinstance(node, ast.Call))

    assert like(code, call) == CALLS[text]


def test_names_are_followed_to_their_libraries() -> None:
    code = Code(SCRIPT, "from autograd import numpy as np\nnp.linalg.norm\nself.np.dot\n")
    written = [node.value for node in code.tree.body if isinstance(node, ast.Expr)]

    assert [full_name(code, each) for each in written] == ["autograd.numpy.linalg.norm", ""]


@pytest.mark.parametrize(
    ("given", "kind", "fix"),
    [
        ("np.array([1, 2, 3])", "numpy.int64", "np.array([1.0, 2.0, 3.0])"),
        ("np.array(data)", "numpy.int64", "np.array(data).astype(float)"),
        ("a - b", "numpy.int64", "(a - b).astype(float)"),
        ("3", "int", "3.0"),
        ("len(a)", "int", "float(len(a))"),
    ],
)
def test_whole_numbers_are_written_as_floating_point_numbers(given: str, kind: str, fix: str) -> None:
    part = f"grad(f)({given})"

    found = failed(HEAD + f"print({part})\n", f"Can't differentiate w.r.t. type <class '{kind}'>", part)

    assert (found.rule, found.line, found.fix) == ("dtype-mismatch", 4, fix)


@pytest.mark.parametrize(
    ("line", "part", "message", "fix"),
    [
        ("y = p ** 2", "p ** 2", "unsupported operand type(s) for **: 'SequenceBox' and 'int'", "np.array([...])"),
        ("y = p ** 2", "p ** 2", "unsupported operand type(s) for **: 'DictBox' and 'int'", 'p["..."]'),
        ("p['w'] = v * 2", "p['w']", "'DictBox' object does not support item assignment", "p = {**p, 'w': v * 2}"),
        ("p[0] = v * 2", "p[0]", "'SequenceBox' object does not support item assignment", "p = list(p)"),
    ],
)
def test_boxes_of_containers_have_words_of_their_own(line: str, part: str, message: str, fix: str) -> None:
    found = failed(HEAD + f"def g(p):\n    {line}\n", message, part)

    assert fix in found.fix
    assert "ArrayBox" not in found.message
    assert ("DictBox" in found.message) == ("DictBox" in message)


WRITTEN = {
    "a number at a place": ("    y[0] = 0.0\n", (3,), 1),
    "at a place from the end": ("    y[-1] = x[0]\n", (3,), 1),
    "in each turn of a loop": ("    for t in range(2):\n        y[t] = x[t] * 3\n", (3,), 1),
    "where something holds": ("    y[y < 3] = -1.0\n", (3,), 1),
    "added to a part": ("    y[1:] += 2.5\n", (3,), 3),
    "a row": ("    y[1] = x[0] * x[0]\n", (2, 3), 3),
    "a number in a column": ("    y[:, 1] = 7\n", (2, 3), 3),
    "an array in a part": ("    y[1:] = x[:2]\n", (3,), 0),
    "two on one line": ("    y[0] = 0.0; y[1] = 1.0\n", (3,), 0),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_traced_array_that_is_written_into_is_made_anew(name: str) -> None:
    body, shape, count = WRITTEN[name]
    text = f"def f(x):\n    y = x * 2\n{body}    return np.sum(y ** 2)\n"
    trace = FakeTrace(HEAD + text)
    trace.op("multiply", "x * 2", (box(0, shape),), box(1, shape))
    part = body.strip().splitlines()[-1].strip().partition(" ")[0]
    trace.error("TypeError", "'ArrayBox' object does not support item assignment", part, detail=FROM_AUTOGRAD)

    (found,) = diagnose(trace)

    assert (found.rule, "y is a traced array" in found.message) == ("hips-array-assignment", True)
    assert "writes a traced value" not in found.message
    assert sum(len(change.new) for change in found.changes) == count
    if count:  # THEN what is to be written gives autograd what numpy computes
        (change,) = found.changes
        x = numpy.arange(numpy.prod(shape), dtype=float).reshape(shape) + 1
        plain: dict[str, Any] = {"np": numpy}
        mended: dict[str, Any] = {"np": autograd.numpy}
        exec(text, plain)
        exec(text.replace(change.old[0], "\n".join(change.new)), mended)
        value, gradient = value_and_grad(mended["f"])(x)
        assert value == plain["f"](x)
        assert gradient.shape == shape
        for at in numpy.ndindex(*shape):
            step = numpy.zeros(shape)
            step[at] = 1e-6
            assert gradient[at] == pytest.approx((plain["f"](x + step) - plain["f"](x - step)) / 2e-6, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("sqrt", "np.sqrt(np.maximum(x, 1e-12))"),
        ("log", "np.log(np.maximum(x, 1e-12))"),
        ("norm", "np.sqrt(np.sum(np.square(x)) + 1e-12)"),
        ("exp", "autograd.scipy.special.logsumexp"),
    ],
)
def test_the_remedy_of_a_non_finite_gradient_is_numpys(name: str, fix: str) -> None:
    trace = FakeTrace(HEAD + f"y = np.{name}(x)\ngrad(f)(x)\n")
    x, y = box(0, (3,)), box(1, (3,))
    op = trace.op(name, f"np.{name}(x)", [x], y)
    one = trace.backward("grad(f)(x)", y, entry="vjp")
    trace.add_node(one, name, (3,), op=op, to=[1])
    trace.add_node(one, "root", (3,), flags=NODE_LEAF)
    trace.add_step(one, 0)
    trace.add_step(one, 1, model.Stats(3, 0, 0, 0.0, 0.0, 0.0, 1.0))

    (found,) = diagnose(trace)

    assert found.rule == "non-finite-gradient"
    assert fix in found.fix
    assert "torch" not in found.fix and "clamp" not in found.fix


def test_the_remedy_of_a_product_that_doesnt_fit_is_numpys() -> None:
    trace = FakeTrace(HEAD + "y = a @ b\n")
    op = trace.op("matmul", "a @ b", [box(0, (3, 2)), box(1, (3, 2))], flags=OP_RAISED)
    trace.error("ValueError", "matmul: mismatch in its core dimension 0 (size 3)", "a @ b", op=op.number)

    (found,) = diagnose(trace)

    assert (found.rule, found.fix) == ("forward-shape-error", "a @ b.T")


IMPORTS = {
    "import autograd.numpy as anp": "anp",
    "from autograd import numpy as onp": "onp",
    "import autograd.numpy": "autograd.numpy",
    "import numpy as np": "autograd.numpy",
    "import numpy as np\nimport autograd.numpy as anp": "anp",
    "from autograd import grad": "np",
}


@pytest.mark.parametrize("text", IMPORTS)
def test_remedies_call_numpy_as_the_script_does(text: str) -> None:
    name = IMPORTS[text]
    assert own_numpy(Code(SCRIPT, text)) == name
    # AND so do those of a non-finite gradient, an assignment and a vector
    x, y = box(0, (3,)), box(1, (3,))
    trace = FakeTrace(text + "\ny = root(x)\n")
    op = trace.op("sqrt", "root(x)", [x], y)
    case = Case(trace)
    assert own_fix(case, op, "non-finite-root", {"name": "x"})["fix"].startswith(f"{name}.sqrt({name}.maximum(x, ")
    written = failed(text + "\nout[0] = x\n", "setting an array element with a sequence (ArrayBox)", "out[0]")
    assert written.fix.startswith(f"out = {name}.array(")
