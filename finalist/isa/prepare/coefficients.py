"""Linear maps of bytes by few tables: coefficients of a matrix of bytes that are made of one another.

A map of bytes, such as an MDS matrix, multiplies each byte by a few coefficients. As many of them as are
wanted are tables of 256 bytes; the others are made of those and of the byte itself by XORs and by *steps*,
each a shift by one bit with a constant added where a bit was lost: a multiplication or division by x in
whatever field it is.

    5B y = y ^ y/x^2,  EF y = 5B y ^ y/x        in the field of Twofish's MDS matrix, 1/x a step

(B. Schneier and others, "The Twofish Encryption Algorithm", 1999, section 5.4, on 6805 smart cards.) The step
is sought among all of them: no field is known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.isa.prepare.powers import (
    BITS,
    KEPT,
    LOOKUP,
    STEP,
    XOR,
    Step,
    by_powers,
    is_of_bytes,
    sums,
)
from finalist.passes.analysis import users
from finalist.passes.matrices import added, apply_matrix, identity
from finalist.passes.simplify import simplify

#: Steps and XORs that are tried; coefficients of maps that are looked at.
_LONGEST, _MOST = 12, 8


#: How a coefficient is made of others: their sum, or by a step from one.
Way = tuple[Matrix, Matrix] | tuple[Matrix]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which coefficients are tables, the step, and how each other one is made, in order."""

    tables: tuple[Matrix, ...]
    step: Step | None = None
    ways: tuple[tuple[Matrix, Way], ...] = ()

    @property
    def cost(self) -> int:
        """What making the others takes for a byte."""
        return sum(STEP if len(way) == 1 else XOR for _, way in self.ways)


def by_coefficients(graph: Graph, tables: int) -> Graph:
    """The graph with its linear maps of bytes made of so many tables, and of steps.

    Raises ScheduleError where there is no linear map of bytes, or no step that makes the coefficients.
    """
    wanted = _coefficients(graph)
    plan = planned(wanted, tables) if 0 < len(wanted) <= _MOST else None
    if plan is None:
        found = f"no shift by a bit makes its {len(wanted)} coefficients" if wanted else "it maps no bytes"
        raise ScheduleError(f"map-tables={tables} is not legal for {graph.name}: {found}")
    tables_of = {matrix: _table(matrix, number) for number, matrix in enumerate(plan.tables)}
    made = rewrite(graph, Builder(simplify), _Worker(plan, tables_of).visit)
    added_first = (by_powers(graph, plan.step, tables_of, whole) for whole in (False, True))
    return min((made, *added_first), key=_cost)


def _cost(graph: Graph) -> int:
    """What the XORs, the steps and the lookups of a graph take, with keeping the bytes that several
    operations want."""
    taken = ([one.op for one in by] for node, by in users(graph).items() if node.op in (Op.XOR, Op.LOOKUP))
    kept = sum(len(by) - by.count(Op.SLICE) > 1 for by in taken)  # a step reads its byte twice
    counts = Counter(node.op for node in every_node(graph))
    steps = (STEP - XOR) * counts[Op.SLICE]
    return XOR * counts[Op.XOR] + LOOKUP * counts[Op.LOOKUP] + steps + KEPT * kept


def _coefficients(graph: Graph) -> list[Matrix]:
    """All coefficients but 0 and 1, in order."""
    found = (m for node in every_node(graph) if is_of_bytes(node) for m in node.attr)
    return [m for m in dict.fromkeys(found) if any(m) and m != identity(BITS)]


def planned(wanted: Sequence[Matrix], tables: int) -> Plan | None:
    """The plan of least cost; None without any."""
    if tables >= len(wanted):
        return Plan(tuple(wanted))
    plans = (
        plan
        for step in _steps(wanted)
        for chosen in combinations(wanted, tables)
        for plan in [_derived(wanted, chosen, step)]
        if plan is not None
    )
    return min(plans, key=lambda plan: plan.cost, default=None)


def _steps(wanted: Sequence[Matrix]) -> Iterator[Step]:
    """The steps whose powers make all coefficients."""
    for left in (False, True):
        for constant in range(1, 1 << BITS):
            step = Step(left, constant)
            if all(matrix in sums(step.powers()) for matrix in wanted):
                yield step


def _derived(wanted: Sequence[Matrix], tables: Sequence[Matrix], step: Step) -> Plan | None:
    """How all others are made: the next one that one XOR makes, else the next power of the step."""
    known = [identity(BITS), *tables]
    power = identity(BITS)
    ways: list[tuple[Matrix, Way]] = []
    while missing := [m for m in wanted if m not in known]:
        if len(ways) > _LONGEST:
            return None
        pairs = ((added(a, b), (a, b)) for a, b in combinations(known, 2))
        found: tuple[Matrix, Way] | None = next((one for one in pairs if one[0] in missing), None)
        if found is None and any(matrix in sums(known) for matrix in missing):
            found = _halfway(known, missing)
        if found is None:
            found = step.of(power), (power,)
            power = found[0]
        ways.append(found)
        known.append(found[0])
    return Plan(tuple(tables), step, tuple(ways))


def _halfway(known: Sequence[Matrix], missing: Sequence[Matrix]) -> tuple[Matrix, Way] | None:
    """A sum of two from which one more makes a coefficient."""
    for a, b in combinations(known, 2):
        if any(added(added(a, b), c) in missing for c in known):
            return added(a, b), (a, b)
    return None


@dataclass
class _Worker:
    plan: Plan
    tables: Mapping[Matrix, TableData]
    made: dict[tuple[Node, Matrix], Node] = field(default_factory=dict)

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The sum of the products, for a linear map of bytes."""
        if not is_of_bytes(node):
            return None
        make = rewriter.builder
        total = make.const(0, BITS)
        for matrix, byte in zip(node.attr, inputs, strict=True):
            if any(matrix):
                total = make.make(Op.XOR, (total, self._product(make, matrix, byte)))
        return total

    def _product(self, make: Builder, matrix: Matrix, byte: Node) -> Node:
        known = self.made.get((byte, matrix))
        if known is None:
            known = self.made[byte, matrix] = self._new(make, matrix, byte)
        return known

    def _new(self, make: Builder, matrix: Matrix, byte: Node) -> Node:
        if matrix == identity(BITS):
            return byte
        if matrix in self.tables:
            return make.make(Op.LOOKUP, (byte,), self.tables[matrix])
        way = dict(self.plan.ways)[matrix]
        parts = [self._product(make, part, byte) for part in way]
        assert self.plan.step is not None
        return make.make(Op.XOR, parts) if len(parts) == 2 else self.plan.step.build(make, parts[0])


def _table(matrix: Matrix, number: int) -> TableData:
    values = tuple(apply_matrix(matrix, x) for x in range(1 << BITS))
    return TableData(values, BITS, f"C{number}", "derived: a byte times a coefficient")
