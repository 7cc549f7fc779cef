"""Which tables are on the chip, and under which numbers.

A table on the chip is read by the bytes of a word that have its number, modulo the bytes of a word (see
`finalist.machines.plx.ptlu.on_chip_table`): a table that is read by several bytes is best there several
times, as far as there is room. Those that are read most come first.
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.graph import Node, Region, TableData, is_tuple_word, origin, trip_count
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import Program
from finalist.ir.types import storage_bits
from finalist.isa.lower.homes import What, joined_bytes
from finalist.isa.target.processor import Processor
from finalist.machines.plx.ptlu.on_chip_table import OnChipTable

#: Iterations that a loop of unknown length is taken to have.
_ITERATIONS = 8
#: Reads as 0: what stands below a byte that a parallel lookup puts higher up.
BLANK = TableData((0,) * 256, 8, "blank", "zeros")


def placed_tables(program: Program, processor: Processor) -> dict[What, OnChipTable]:
    """What of a kernel's tables goes onto the chip."""
    reads = _reads(program, processor)
    size = min(processor.width // 8, processor.banks)  # bytes so far apart read the same table
    free = set(range(processor.banks))
    found: dict[What, list[tuple[int, int]]] = {}
    totals = Counter({what: sum(by.values()) for what, by in reads.items()})
    for what, _ in totals.most_common(processor.banks):
        place = max(reads[what], key=lambda byte: (reads[what][byte], -byte))
        number = _slot(free, place, size)
        if number is not None:
            found[what] = [(number % size, number)]
    wanted = [
        (count, place, what)
        for what in found
        for place, count in reads[what].items()
        if not _changes(what) and place != found[what][0][0]
    ]
    while free and wanted:  # those that are read most first, of these the ones of which there are fewest
        wanted.sort(key=lambda item: (-item[0], len(found[item[2]]), item[1]))
        _, place, what = wanted.pop(0)
        exact = [number for number in free if number % size == place]
        if exact:
            free.discard(min(exact))
            found[what].append((place, min(exact)))
    if free and any(origin(part.inputs[0]) in found for part in joined_bytes(program.kernel)):
        found[BLANK] = [(number % size, number) for number in sorted(free)]
    blank = frozenset(number for _, number in found.get(BLANK, ()))
    return {what: OnChipTable(tuple(numbers), blank) for what, numbers in found.items()}


def _slot(free: set[int], place: int, size: int) -> int | None:
    """A number that the byte ``place`` reads, or any."""
    if not free:
        return None
    number = min(free, key=lambda n: (n % size != place, n))
    free.discard(number)
    return number


def _changes(what: What) -> bool:
    return isinstance(what, Node) and what.attr == "state"


def _fits(array: Node, processor: Processor) -> bool:
    """Whether an array fills a table, or as often as it goes if nothing is written to it."""
    length = array.length
    if _changes(array):
        return length == processor.entries
    return length <= processor.entries and not length & (length - 1)


def _reads(program: Program, processor: Processor) -> dict[What, Counter[int]]:
    """How often which byte of a word is looked up in each table that could be on the chip."""
    params = program.key_params
    written = _written(program.kernel)
    reach = min(processor.width // 8, processor.banks)
    found: dict[What, Counter[int]] = {}
    versions: dict[Node, Node] = {p: p for p in params if p.attr == "state" or p not in written}

    def visit(region: Region, times: int) -> None:
        for node in region.body:
            what: What | None = None
            if node.op is Op.LOOKUP and len(node.attr.values) <= processor.entries:
                what, index = node.attr, node.inputs[0]
            elif node.op is Op.STORE and node.inputs[0] in versions:
                versions[node] = versions[node.inputs[0]]
            elif node.op is Op.LOAD and node.inputs[0] in versions and node.inputs[1].op is not Op.CONST:
                array, index = versions[node.inputs[0]], node.inputs[1]
                if _fits(array, processor) and index.width <= 8:
                    what = array
            if what is not None and storage_bits(what.width) <= processor.entry_bits:
                found.setdefault(what, Counter())[byte_of(index) % reach] += times
            if node.op in CONTROL:
                visit(node.region, times * _times(node))

    visit(program.kernel, 1)
    return found


def _written(region: Region) -> set[Node]:
    """Parameters that a region overwrites or hands to a loop or conditional."""
    return {
        child
        for node in region.body
        for child in (node.inputs if node.op in CONTROL else node.inputs[:1] if node.op is Op.STORE else ())
    }


def _times(node: Node) -> int:
    """How often a region is taken to be entered."""
    return max(1, trip_count(node, _ITERATIONS)) if node.op is Op.LOOP else 1


def byte_of(index: Node) -> int:
    """The byte of a word that an index is; 0 where it is a word of its own."""
    if index.op is not Op.SLICE or index.attr % 8:
        return 0
    word = index.inputs[0]
    return int(index.attr // 8 + (word.attr * word.width // 8 if is_tuple_word(word) else 0))
