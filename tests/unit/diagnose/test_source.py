"""What the script's own text tells: expressions at recorded places, names, and how values travel by them."""

from __future__ import annotations

import ast

import pytest

from gradviz.diagnose.dataflow import carried, fed_names, last_assignment, value_of
from gradviz.diagnose.source import Code, as_call, names_in, root_name, targets
from gradviz.trace.model import Frame


def frame(code: Code, part: str, line: int | None = None) -> Frame:
    number = line or next(i for i, row in enumerate(code.lines, 1) if part in row)
    row = code.lines[number - 1].encode()
    column = row.index(part.encode())
    return Frame(code.path, number, number, column, column + len(part.encode()), "<module>")


def test_an_expression_is_found_by_its_columns_not_by_its_line() -> None:
    code = Code("s.py", "loss = (x @ x).exp().sum()\n")

    assert code.text(code.expression(frame(code, "x @ x"))) == "x @ x"
    assert code.text(code.expression(frame(code, "(x @ x).exp()"))) == "(x @ x).exp()"


def test_columns_are_bytes_so_that_other_alphabets_fit() -> None:
    code = Code("s.py", "输出 = 输入 * 2; 输出.backward(种子)\n")

    found = code.expression(frame(code, "输出.backward(种子)"))

    assert code.text(found) == "输出.backward(种子)"


def test_without_columns_the_name_of_the_call_chooses() -> None:
    code = Code("s.py", "opt.step(); loss.backward(z)\n")

    found = code.expression(Frame("s.py", 1, 1, -1, -1, "<module>"), "backward")

    assert code.text(found) == "loss.backward(z)"


def test_text_over_several_lines_becomes_one() -> None:
    code = Code("s.py", "y = f(\n    a,\n    b,\n)\n")

    assert code.text(code.expression(Frame("s.py", 1, 4, 4, 1, "<module>"))) == "f( a, b, )"


@pytest.mark.parametrize("text", ["def (", "x = '\x00'", "\x0c\x0c)"])
def test_a_file_that_is_no_program_still_has_its_lines(text: str) -> None:
    code = Code("s.py", text)

    assert code.line(1) == text.splitlines()[0]
    assert code.expression(Frame("s.py", 1, 1, 0, 1, "<module>")) is None


def test_arguments_are_found_by_position_and_by_name() -> None:
    call = as_call(ast.parse("torch.autograd.grad(y, x, grad_outputs=v)[0]").body[0])

    assert call is not None
    assert ast.unparse(call.argument(0, "outputs") or ast.Pass()) == "y"
    assert ast.unparse(call.argument(2, "grad_outputs") or ast.Pass()) == "v"
    assert call.argument(3, "retain_graph") is None


def test_arguments_behind_a_star_are_not_guessed() -> None:
    call = as_call(ast.parse("f(*a, b)").body[0])

    assert call is not None
    assert call.argument(1, "b") is None


@pytest.mark.parametrize(
    ("text", "root", "names"),
    [
        ("x.view(2)[0].T", "x", {"x"}),
        ("self.fc(h) + b", "", {"self", "self.fc", "h", "b"}),
        ("f(g(x))", "f", {"f", "g", "x"}),
    ],
)
def test_names_of_an_expression(text: str, root: str, names: set[str]) -> None:
    node = ast.parse(text, mode="eval").body

    assert root_name(node) == root
    assert names_in(node) == names


def test_targets_of_a_statement_are_taken_apart() -> None:
    statement = ast.parse("(a, *b), c.d = f()").body[0]

    assert [ast.unparse(t) for t in targets(statement)] == ["a", "b", "c.d"]


def test_the_binding_above_is_the_one_that_holds() -> None:
    code = Code("s.py", "w = 1\nw = 2\nuse(w)\nw = 3\n")
    use = code.expression(frame(code, "use(w)"))
    assert use is not None

    assert getattr(last_assignment(code, "w", use), "lineno", 0) == 2


def test_a_parameter_is_not_looked_up_outside_its_function() -> None:
    code = Code("s.py", "w = 1\ndef f(w):\n    return g(w)\n")
    use = code.expression(frame(code, "g(w)"))
    assert use is not None

    assert last_assignment(code, "w", use) is None


def test_the_part_of_a_tuple_for_one_name() -> None:
    statement = ast.parse("a, b = p, q + 1").body[0]

    assert ast.unparse(value_of(statement, "b") or ast.Pass()) == "q + 1"


def test_a_value_travels_by_names_and_into_lists() -> None:
    text = "a = loss.item()\nb = a * 2\nkept.append(b)\nother = 3\n"
    code = Code("s.py", text)
    start = code.expression(frame(code, "loss.item()"))
    assert start is not None

    assert set(carried(code, start)) == {"a", "b", "kept"}


def test_a_value_goes_round_a_loop() -> None:
    code = Code("s.py", "for x in xs:\n    y = h + 1\n    h = y.item()\n")
    start = code.expression(frame(code, "y.item()"))
    assert start is not None

    assert set(carried(code, start)) == {"h", "y"}


def test_append_feeds_its_list() -> None:
    assert fed_names(ast.parse("self.losses.append(x)").body[0]) == ("self.losses",) or fed_names(
        ast.parse("losses.append(x)").body[0]
    ) == ("losses",)
