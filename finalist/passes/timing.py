"""Whether a program's time depends on secrets: a label from where secret values go, not from a stopwatch.

Secret are the key and the block, and whatever is computed from them; public are constants, and the iterations
of loops whose bounds are public. Followed through arrays (one secret entry makes all of them secret), loops
and conditions of the graphs as they are emitted. How a machine carries operations out is a parameter
(`Execution`): a table that is read without an address that depends on the place gives nothing away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from finalist.ir.graph import Graph, Node, Region, every_node, origin
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program

#: From harmless to worst: nothing depends on secrets; addresses do; branches or durations do.
CONSTANT, TABLE, VARIABLE = "constant-time", "table lookups", "data-dependent time"
LABELS = (CONSTANT, TABLE, VARIABLE)

Operands = Callable[[Node], tuple[Node, ...]]


# -- what gives operands away ------------------------------------------------------------------------


def addresses(node: Node) -> tuple[Node, ...]:
    """What an address is computed from, where tables and arrays lie in memory and are read one entry each."""
    if node.op is Op.LOOKUP:
        return node.inputs[:1]
    return node.inputs[1:2] if node.op in (Op.LOAD, Op.STORE) else ()


def durations(node: Node) -> tuple[Node, ...]:
    """What a branch, or the time that an instruction takes, depends on.

    Processors divide in a time of the operands' own; by a constant, compilers multiply instead.
    """
    if node.op is Op.REM and node.inputs[1].op is not Op.CONST:
        return node.inputs
    return node.inputs[: {Op.WHEN: 1, Op.LOOP: 2}.get(node.op, 0)]


@dataclass(frozen=True, slots=True)
class Execution:
    """What a machine gives away in doing an operation: the operands that become addresses, or time."""

    addresses: Operands = addresses
    durations: Operands = durations


#: A program for a processor with memory that does nothing to hide.
PLAIN = Execution()


# -- labels ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Leak:
    """An operation that gives a secret away: ``label`` is what it makes of a program."""

    label: str
    node: Node

    def __str__(self) -> str:
        line = f" ({self.node.line})" if self.node.line else ""
        return _SAID[self.node.op](self.node) + line


@dataclass(frozen=True, slots=True)
class Timing:
    """The labels of a program's two parts. ``reasons``: the first leak of each part, empty if none."""

    key_schedule: str
    kernel: str
    reasons: tuple[str, str]

    @property
    def label(self) -> str:
        """The worse of the two."""
        return worst(self.key_schedule, self.kernel)

    @property
    def reason(self) -> str:
        """Which part gives what away, and in which line of the definition; empty if neither does."""
        parts = zip(("key schedule", "kernel"), self.reasons, strict=True)
        return "; ".join(f"its {part} has {reason}" for part, reason in parts if reason)


def worst(*labels: str) -> str:
    """The worst of some labels; that of nothing is `CONSTANT`."""
    return max((CONSTANT, *labels), key=LABELS.index)


def timing(program: Program, kernel: Execution = PLAIN, key_schedule: Execution = PLAIN) -> Timing:
    """The labels of key schedule and kernel, as they stand: of what is emitted, not of the cipher."""
    found = [list(leaks(program.expand, key_schedule)), list(leaks(program.kernel, kernel))]
    first, second = (worst(*(leak.label for leak in part)) for part in found)
    return Timing(first, second, (_first(found[0], first), _first(found[1], second)))


def _first(found: list[Leak], label: str) -> str:
    return next((str(leak) for leak in found if leak.label == label), "")


def leaks(graph: Graph, execution: Execution = PLAIN) -> Iterator[Leak]:
    """Every operation that gives a secret away, in program order."""
    secret = secrets(graph)
    for node in every_node(graph):
        if any(child in secret for child in execution.durations(node)):
            yield Leak(VARIABLE, node)
        elif any(child in secret for child in execution.addresses(node)):
            yield Leak(TABLE, node)


def _array(node: Node) -> str:
    name = origin(node.inputs[0]).name
    return f"{name!r}" if name else f"an array of {node.inputs[0].length}"


_SAID: dict[Op, Callable[[Node], str]] = dict.fromkeys(
    Op, lambda node: f"the operation {node.op.label} on secret words"
) | {
    Op.LOOKUP: lambda node: f"a lookup in {node.attr.name!r} at a secret place",
    Op.LOAD: lambda node: f"a read of {_array(node)} at a secret place",
    Op.STORE: lambda node: f"a write to {_array(node)} at a secret place",
    Op.REM: lambda node: "a division of secret words",
    Op.LOOP: lambda node: "a loop with a secret number of iterations",
    Op.WHEN: lambda node: "a secret condition",
}


# -- where secrets go --------------------------------------------------------------------------------


def secrets(graph: Graph) -> set[Node]:
    """The graph's words and arrays that depend on key or block, those of its regions included."""
    flow = _Flow(set(graph.params))
    flow.region(graph)
    return flow.secret


class _Flow:
    """Marks what secrets reach; nothing that is marked is ever unmarked, so that loops settle."""

    def __init__(self, secret: set[Node]) -> None:
        self.secret = secret

    def region(self, region: Region) -> None:
        for node in region.body:
            _FLOWS.get(node.op, _Flow._plain)(self, node)

    def _mark(self, node: Node, secret: bool) -> None:
        if secret:
            self.secret.add(node)

    def _plain(self, node: Node) -> None:
        self._mark(node, any(child in self.secret for child in node.inputs))

    def _result(self, node: Node) -> None:
        """One value of a loop or condition: secret if it is before or after, or what decides is."""
        control = node.inputs[0]
        if control.op not in CONTROL:
            self._plain(node)
            return
        fixed = 2 if control.op is Op.LOOP else 1
        value = control.region.results[node.attr]
        given = (control.inputs[fixed + node.attr], value, *control.inputs[:fixed])
        self._mark(node, any(one in self.secret for one in given))

    def _loop(self, node: Node) -> None:
        region, initial = node.region, node.inputs[2:]
        index, carried = region.params[0], region.params[1:]
        hidden = any(bound in self.secret for bound in node.inputs[:2])
        self._mark(index, hidden)
        sources = list(zip(carried, initial, region.results, strict=True))
        before = -1
        while before != len(self.secret):
            before = len(self.secret)
            for param, first, handed_on in sources:
                self._mark(param, hidden or first in self.secret or handed_on in self.secret)
            self.region(region)

    def _when(self, node: Node) -> None:
        for param, value in zip(node.region.params, node.inputs[1:], strict=True):
            self._mark(param, value in self.secret)
        self.region(node.region)

    def _apply(self, node: Node) -> None:
        """A keyed function; where several share one region, it is as secret as the most secret of them."""
        for param, value in zip(node.region.params, node.inputs, strict=True):
            self._mark(param, value in self.secret)
        self.region(node.region)
        self._mark(node, node.region.results[0] in self.secret)


_FLOWS: dict[Op, Callable[[_Flow, Node], None]] = {
    Op.RESULT: _Flow._result,
    Op.LOOP: _Flow._loop,
    Op.WHEN: _Flow._when,
    Op.APPLY: _Flow._apply,
}
