"""The counters of a stream cipher in its expanded key, moved on by as many blocks as a call worked on."""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.program import Counter, Program
from finalist.ir.types import storage_bits

#: What an array of the kernel is called in the text.
Named = Callable[[str], str]


def function(name: str) -> str:
    """What it is called, after the cipher's name in the text."""
    return f"{name}_count"


def text(name: str, program: Program, named: Named) -> str:
    """The C function; its arguments are the expanded key and a number of blocks."""
    types = {p.name: p.width for p in program.key_params}
    lines = [line for counter in program.counters for line in _moved_on(counter, named, types)]
    head = f"static inline void {function(name)}({name}_key *k, uint64_t blocks)\n{{\n"
    return head + "".join(f"    {line}\n" for line in lines) + "}\n"


def _moved_on(counter: Counter, named: Named, types: dict[str, int]) -> list[str]:
    """Statements that count one on, in as many words as it has; none is wider than 64 bits."""
    places = [f"k->{named(array)}[{counter.entry}]" for array in counter.arrays]
    added = "blocks" if counter.step == 1 else f"{counter.step}u * blocks"
    widths = [types[array] for array in counter.arrays]
    lows = [sum(widths[:n]) for n in range(len(widths))]
    limbs = (f"(uint64_t){place} << {low}" if low else place for place, low in zip(places, lows, strict=True))
    total = f"const uint64_t n = ({' | '.join(limbs)}) + {added};" if len(places) > 1 else ""
    if not total:
        return [f"{places[0]} = {_cut(f'{places[0]} + {added}', widths[0])};"]
    stores = [
        f"{place} = {_cut(f'n >> {low}' if low else 'n', width)};"
        for place, low, width in zip(places, lows, widths, strict=True)
    ]
    return ["{", f"    {total}", *(f"    {line}" for line in stores), "}"]


def _cut(value: str, width: int) -> str:
    """The lowest bits of an expression, in the type of an entry."""
    bits = storage_bits(width)
    if width != bits:
        value = f"({value}) & 0x{(1 << width) - 1:x}u"
    return value if bits == 64 else f"(uint{bits}_t)({value})"
