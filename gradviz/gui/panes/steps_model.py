"""The rows of Steps: seeds, every node in the order it ran, those that never ran; made when they are looked at."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gradviz.document.pass_facts import Name, PassFacts, spec_text

NUMBER, NODE, LINE, SHAPES = range(4)
STATE_ROLE = Qt.ItemDataRole.UserRole  # done | current | pending | never | error
REST_ROLE = STATE_ROLE + 1  # the quieter half of a name
Index = QModelIndex | QPersistentModelIndex


class StepsModel(QAbstractTableModel):
    """One pass; empty without one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: PassFacts | None = None
        self.position = 0
        self._bad_seed = False  # a finding marks it
        self._kept: dict[tuple[int, int], str | Name] = {}

    # -- what is shown
    def show(self, facts: PassFacts | None, position: int = 0, bad_seed: bool = False) -> None:
        if facts is not None and facts.continues(self.facts):  # rows stay, and so does what is in sight
            self.facts, self.position, self._bad_seed = facts, position, bad_seed
            self._kept.clear()
            self._all_changed(0, self.rowCount() - 1)
            return
        self.beginResetModel()
        self.facts, self.position, self._bad_seed = facts, position, bad_seed
        self._kept.clear()
        self.endResetModel()

    def mark(self, bad_seed: bool) -> None:
        """Findings changed."""
        if bad_seed != self._bad_seed:
            self._bad_seed = bad_seed
            self._all_changed(0, self.seeds - 1)

    def move(self, position: int) -> None:
        """Only what lies between the two positions looks different."""
        low, high = sorted((self.position, position))
        self.position = position
        self._all_changed(self.seeds + low, min(self.seeds + high, self.rowCount() - 1))

    def _all_changed(self, first: int, last: int) -> None:
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first, 0), self.index(last, SHAPES))

    # -- rows
    @property
    def seeds(self) -> int:
        """Rows above the first step: a seed for each root; in a graph without a backward, the call that raised."""
        if self.facts is None:
            return 0
        if self.facts.forward_only:
            return int(self.facts.raised_op() is not None)
        return len(self.facts.backward.roots)

    def row_of_node(self, node: int) -> int:
        if self.facts is None or not 0 <= node < len(self.facts.row_of):
            return -1
        return self.seeds + int(self.facts.row_of[node])

    def row_of_position(self, position: int) -> int:
        """The row of the current step; the last that ran where the pass has ended, the seed where nothing ran."""
        if self.facts is None:
            return -1
        ran = len(self.facts.steps)
        return self.seeds + min(position, ran - 1) if ran else 0

    def node_of_row(self, row: int) -> int:
        """-1 for a seed."""
        at = row - self.seeds
        return int(self.facts.order[at]) if self.facts is not None and 0 <= at < len(self.facts.order) else -1

    def step_of_row(self, row: int) -> int:
        """-1 for a seed and for a node that didn't run."""
        at = row - self.seeds
        return at if self.facts is not None and 0 <= at < len(self.facts.steps) else -1

    def state(self, row: int) -> str:
        """The name of the row's icon."""
        facts, node, step = self.facts, self.node_of_row(row), self.step_of_row(row)
        assert facts is not None
        if node < 0:
            if facts.forward_only or self._bad_seed or (facts.backward.outcome == "refused" and row == 0):
                return "error"
            return "done"
        reached = self.position > step if step >= 0 else self.position >= len(facts.steps)
        if node == facts.failed and reached:
            return "error"
        if step < 0:
            return "never" if facts.ended else "pending"
        if step == self.position:
            return "current"
        return "done" if step < self.position else "pending"

    # -- Qt
    def rowCount(self, parent: Index | None = None) -> int:
        if self.facts is None or (parent is not None and parent.isValid()):
            return 0
        return self.seeds + len(self.facts.order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 4

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return ("#", self.tr("Node"), self.tr("Line"), self.tr("In → out"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = section in (NUMBER, LINE)
            horizontal = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return horizontal | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.facts is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == STATE_ROLE:
            return self.state(row)
        if role == Qt.ItemDataRole.DisplayRole:
            text = self._text(row, column)
            return text.strong if isinstance(text, Name) else text
        if role == REST_ROLE:
            text = self._text(row, column)
            return text.rest if isinstance(text, Name) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(row)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NODE:
            return f"{self._text(row, NODE)}, {self.state(row)}, {self._text(row, SHAPES)}"
        return None

    def _tool_tip(self, row: int) -> str:
        node = self.node_of_row(row)
        assert self.facts is not None
        name = self._text(row, NODE)
        line = self._text(row, LINE)
        place = self.tr("line {line}").format(line=line) if line else ""
        shapes = self._text(row, SHAPES)
        if node >= 0 and (given := self.facts.received(node)) is not None:
            shapes = f"{shapes}\n" + ", ".join("None" if spec is None else spec.dtype for spec in given)
        return "\n".join(filter(None, (str(name), place, str(shapes))))

    def _text(self, row: int, column: int) -> str | Name:
        found = self._kept.get((row, column))
        if found is None:
            if len(self._kept) > 20_000:
                self._kept.clear()
            found = self._kept[row, column] = self._made(row, column)
        return found

    def _raised(self, facts: PassFacts, column: int) -> str | Name:
        """The row of the forward call that raised."""
        op = facts.raised_op()
        assert op is not None
        if column == NODE:
            return Name(op.name, self.tr("raised here"))
        if column == LINE:
            return str(op.stack[0].line) if op.stack else ""
        return ", ".join(spec_text(operand.spec) for operand in op.operands)

    def _made(self, row: int, column: int) -> str | Name:
        facts, node = self.facts, self.node_of_row(row)
        assert facts is not None
        if column == NUMBER:
            return str(max(0, row - self.seeds + 1))
        if node < 0 and facts.forward_only:
            return self._raised(facts, column)
        if node < 0:
            if column == NODE:
                return Name(self.tr("Seed gradient {name}").format(name=facts.seed_name(row)).strip())
            if column == LINE:
                return str(facts.backward.stack[0].line) if facts.backward.stack else ""
            return facts.seed_text(row)
        if column == NODE:
            return facts.name(node)
        if column == LINE:
            return str(facts.line(node) or "")
        return facts.in_to_out(node)
