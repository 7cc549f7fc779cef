"""The tables that the ciphers look up, and the boolean circuits that are kept for them.

python -m tools.circuits.page --page docs/circuits.md      writes the page
python -m tools.circuits.page --seconds 20 des             looks for smaller circuits
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from finalist.ciphers.catalogue import USUAL_GROUP, cipher, cipher_names
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.language.definition import OPERATIONS, trace
from finalist.passes.circuits import library
from finalist.passes.circuits.assembly import moved
from finalist.passes.circuits.circuit import Circuit, table_columns
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.circuits.lower import circuit_for, mapped
from finalist.passes.circuits.synthesise import arithmetic, structured
from finalist.report.markdown import Cell, table
from tools.circuits.order import most_live, with_few_live
from tools.circuits.resubstitute import MOST_EXPANDED, Effort, improved

#: Tables with more outputs are not searched for; their circuits are made when they are asked for.
MOST_OUTPUTS = 8
HEAD = """# Circuits

Where a table is computed on bit slices (`lookup=bitslice`), it becomes a boolean circuit. For these tables of
the ciphers circuits are kept, in `finalist/passes/circuits/data/`; each is compared with its table, entry by
entry, when it is loaded. Any other table gets a circuit when it is asked for.

A gate is and, or, xor, or and with one operand complemented; complements at the outputs are not counted,
because they can be moved into keys. A ternary gate is any function of three inputs (`vpternlog` of
AVX-512, `lop3` of NVIDIA GPUs). *Live* is the most values that are needed at a time, in the order in which
the gates are kept. `python -m tools.circuits.page CIPHER` looks for smaller ones.

```python run
>>> from finalist.passes.circuits.lower import circuit_for
>>> majority, parity = 0b11101000, 0b10010110
>>> circuit, before, after = circuit_for((majority, parity), 3)  # a full adder
>>> circuit.cost, before, after
(5, 0, 0)

```


"""


@dataclass(frozen=True)
class Used:
    """A table, with a name and the ciphers that look it up."""

    values: tuple[int, ...]
    outputs: int
    name: str
    ciphers: tuple[str, ...]

    @property
    def inputs(self) -> int:
        """Bits of its argument."""
        return (len(self.values) - 1).bit_length()

    @property
    def columns(self) -> tuple[int, ...]:
        """The truth table of each output bit."""
        return table_columns(self.values, self.outputs)

    @property
    def title(self) -> str:
        """Its name with its ciphers'."""
        return f"{self.name} of {', '.join(self.ciphers)}"


@cache
def used() -> tuple[Used, ...]:
    """Every table of the built-in ciphers, by cipher."""
    found: dict[tuple[tuple[int, ...], int], dict[str, str]] = {}
    for name in cipher_names(USUAL_GROUP):
        boxes = 0  # those without a name
        for label, values, outputs in _tables(name):
            ciphers = found.setdefault((values, outputs), {})
            if name not in ciphers:
                ciphers[name] = label or f"box {boxes}"
                boxes += not label
    return tuple(
        Used(values, outputs, next(iter(labels.values())), tuple(labels))
        for (values, outputs), labels in found.items()
    )


def _tables(name: str) -> Iterator[tuple[str, tuple[int, ...], int]]:
    definition = cipher(name)
    for operation in OPERATIONS:
        program = trace(definition, operation, definition.usual_key_bits())
        for graph in (program.expand, program.kernel):
            yield from _looked_up(graph)
            yield from _sliced(graph)


def _looked_up(graph: Graph) -> Iterator[tuple[str, tuple[int, ...], int]]:
    for node in _all(graph):
        if node.op is Op.LOOKUP:
            yield node.attr.name, tuple(node.attr.values), node.attr.width


def _all(graph: Graph) -> Iterator[Node]:
    for node in every_node(graph):
        yield node
        if node.op is Op.APPLY:
            yield from every_node(node.region)


def _sliced(graph: Graph) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Tables of which a definition wants the bits."""
    groups: dict[tuple[Node, ...], list[int]] = {}
    for node in every_node(graph):
        if node.op is Op.BOOL:
            groups.setdefault(node.inputs, []).append(node.attr)
    for inputs, truths in groups.items():
        rows = range(1 << len(inputs))
        values = (sum((truth >> x & 1) << bit for bit, truth in enumerate(truths)) for x in rows)
        yield "", tuple(values), len(truths)


# ---- the page -----------------------------------------------------------------------------------


def page() -> str:
    """The table of all circuits."""
    header = ("Table", "found by", "inputs", "outputs", "gates", "depth", "live", "ternary gates")
    return HEAD + table(header, map(_row, used()), numbers=6)


def _row(one: Used) -> list[Cell]:
    circuit, _, _ = circuit_for(one.columns, one.inputs)
    ternary = library.find_masked(one.values, one.outputs, ternary=True)
    found_by = library.found_by(one.values, one.outputs) or "made when it is asked for"
    figures = [one.inputs, one.outputs, circuit.cost, circuit.depth, most_live(circuit)]
    return [one.title, found_by, *figures, ternary[0].cost if ternary else ""]


# ---- looking for smaller ones -------------------------------------------------------------------


def improve(one: Used, seconds: float, seed: int, ternary: bool, folder: Path) -> Circuit:
    """Spend CPU time on a circuit for a table, and keep it in the library's file if it is smaller."""
    even = tuple(y ^ one.values[0] for y in one.values)
    starts = _starts(one, even, ternary)
    found = []
    for name, start in starts:
        burst, heat = (100, 300, 1000)[seed % 3], (0, 30, 100)[seed % 3] if ternary else 0
        rise = ((1, 2, 3) if ternary else (2, 4, 6))[seed % 3]
        effort = Effort(seconds / len(starts), seed, burst=burst, rise=rise, heat=heat)
        circuit = improved(even, one.inputs, one.outputs, effort, start, 3 if ternary else 2)
        found.append((circuit.cost, name, circuit))
    _, name, circuit = min(found, key=lambda each: each[0])
    best = with_few_live(circuit)
    found_by = f"{name}, resubstitution with seed {seed}"
    file = folder / f"{one.ciphers[0].replace('-', '_')}{'_ternary' if ternary else ''}.json"
    library.keep(file, library.record(one.title, even, best, found_by))
    return best


def _starts(one: Used, even: tuple[int, ...], ternary: bool) -> list[tuple[str, Circuit | None]]:
    """Circuits to begin with, by how they were found; None: expansions by the program itself."""
    expanded: list[tuple[str, Circuit | None]] = [("expansions", None)]
    stored = library.find_masked(even, one.outputs, ternary)
    if stored:
        begun = (library.found_by(even, one.outputs, ternary) or "").partition(", resubstitution")[0]
        again = expanded if ternary and one.inputs <= MOST_EXPANDED else []
        return [(begun, stored[0] if ternary else moved(stored[0], 0)), *again]
    if one.inputs > MOST_EXPANDED:
        expanded = [("diagrams", from_diagrams(even, one.inputs, one.outputs))]
    two = library.find_masked(even, one.outputs) if ternary else None
    if two:
        return [("the circuit of two-input gates", mapped(moved(two[0], 0))), *expanded]
    known = list(structured(even, one.inputs, one.outputs))
    inverse = arithmetic(even) if not known and one.outputs == one.inputs else None
    return [*known, *([("a tower of fields and arithmetic", inverse)] if inverse else []), *expanded]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or look for smaller circuits."""
    parser = ArgumentParser(prog="python -m tools.circuits.page")
    parser.add_argument("ciphers", nargs="*", help="whose tables to look for circuits of")
    parser.add_argument("--page", type=Path, help="write the page to this file")
    parser.add_argument("--seconds", type=float, default=20, help="CPU time for each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ternary", action="store_true", help="of gates of three inputs")
    parser.add_argument("-o", "--output", type=Path, default=Path(str(library.DATA)), help="a folder")
    given = parser.parse_args(arguments)
    for one in used() if given.ciphers else ():
        if set(one.ciphers) & set(given.ciphers) and one.outputs <= MOST_OUTPUTS:
            circuit = improve(one, given.seconds, given.seed, given.ternary, given.output)
            print(f"{one.title}: {circuit.cost} gates", file=sys.stderr)
    if given.page:
        given.page.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
