"""Tables of 16- and 32-bit words read by permutes, for indices in lanes of 16 and 32 bits.

A permute of 16-bit entries takes twice as many at once as one of 32, and finds them for twice as many lanes.
So indices of two vectors share one, a's in the lower halves of the lanes and b's in the upper ones, and a
table of words lies in memory as the lower halves of all entries and then the upper ones: a pair of lookups
takes what a permute of words would take for one. Lanes of 16 bits take a lookup of 16 bits as it is. No
address depends on the indices.
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, TableData, every_node
from finalist.ir.ops import Op
from finalist.machines.native.text.dialect import Text, Vector
from finalist.passes.analysis import KeyOnly

#: Bits of a lane, of half of it, and of a vector: narrower ones have no permute of words.
LANE, HALF, VECTOR = 32, 16, 512
#: Entries that one register holds; those of tables in memory, where smaller ones stand several times.
_ROW = VECTOR // HALF
SIZES = (64, 128, 256, 512)
#: What the name of a table or array ends in whose words lie apart in halves.
HALVES = "_halves"
#: The functions' names, for the sake of variables.
NAMES = frozenset(f"vec_{kind}{entries}" for kind in ("half", "words", "shorts") for entries in SIZES)

#: What lookups of 16 bits are made of; its condition is not at its end yet.
_ROWS = """\
typedef uint16_t vec_short __attribute__((vector_size({size})));
#pragma GCC diagnostic ignored "-Wpsabi"
#if {size} == 64 && defined(__AVX512BW__)
#define VEC_PERMUTES
#define vec_row(t, r) _mm512_loadu_si512((const void *)((t) + {row} * (r)))
#define vec_permute(t, r, i) _mm512_permutex2var_epi16(vec_row(t, r), i, vec_row(t, (r) + 1))
#define vec_bit(i, bit) _mm512_test_epi16_mask(i, _mm512_set1_epi16(bit))
#define vec_choose(a, b, mask) _mm512_mask_blend_epi16(mask, a, b)
"""

_ALWAYS = """\
#define ALWAYS __attribute__((always_inline)) static inline
"""

_TWO = """
/* Two vectors; halves of their lanes. */
typedef struct {{ vec a, b; }} vec_two;
"""

_ABOVE = """\
/* The lower halves of a's lanes, and the upper ones of b's. */
#define vec_above(a, b) ((vec)_mm512_mask_blend_epi16(0xaaaaaaaau, (__m512i)(a), (__m512i)(b)))
#else
#define vec_above(a, b) (((a) & 0xffffu) | ((b) & 0xffff0000u))
#endif
/* A compiler that sees where a pointer leads keeps rows in registers, for which there are too few. */
#define VEC_HIDE(t) __asm__("" : "+r"(t))
"""

_INDICES = """\
/* The indices from bit n of a's lanes on, with b's above them: as n lies in the lower half of a lane, across
 * the middle, or in the upper half. */
#define vec_low_places(a, b, n) ((vec)((vec_short)vec_above(a, (b) << 16) >> (n)))
#define vec_middle_places(a, b, n) vec_above((a) >> (n), (b) << (16 - (n)))
#define vec_high_places(a, b, n) ((vec)((vec_short)vec_above((a) >> 16, b) >> ((n) - 16)))
"""

#: How a masked scan of a table is declared where vectors may be wider than the processor's: inlined and
#: unrolled at each lookup, it takes compilers minutes and gigabytes.
SCANNING = "static __attribute__((noinline))"

_LOOKUP = """
/* For processors without these instructions: a masked scan of the whole table. */
{scanning} vec vec_scan{entries}(const uint16_t *t, vec i)
{{
    vec_short found = {{0}};
    for (int e = 0; e < {entries}; e++)
        found |= (vec_short)(((vec_short)i & {last}) == (uint16_t)e) & t[e];
    return (vec)found;
}}
/* From a table of {entries} entries of 16 bits those at both halves' places. */
ALWAYS vec vec_half{entries}(const uint16_t *t, vec i)
{{
#ifdef VEC_PERMUTES
    const __m512i x = (__m512i)i;
{body}
#else
    return vec_scan{entries}(t, i);
#endif
}}
"""

_SHORTS = """
/* The same for both vectors, as words. */
ALWAYS vec_two vec_shorts{entries}(const uint16_t *t, vec i)
{{
    VEC_HIDE(t);
    const vec found = vec_half{entries}(t, i);
    return (vec_two){{found & 0xffffu, found >> 16}};
}}
"""

_WORDS = """
/* Of a table of words, first the lower halves of all, then the upper ones. */
ALWAYS vec_two vec_words{entries}(const uint16_t *t, vec i)
{{
    VEC_HIDE(t);
    const vec low = vec_half{entries}(t, i), high = vec_half{entries}(t + {entries}, i);
    return (vec_two){{vec_above(low, high << 16), vec_above(low >> 16, high)}};
}}
"""


class WordVector(Vector):
    """GNU vectors of ``lanes`` words of 32 bits; tables are read by gathers, or ``by_permute``."""

    def __init__(self, lane_bits: int, lanes: int, *, by_permute: bool = False) -> None:
        super().__init__(lane_bits, lanes)
        self.by_permute = by_permute
        self.abreast = 2 if by_permute else 1

    def in_pairs(self, node: Node) -> bool:
        return self.by_permute and node.op in self.READS

    def place(self, node: Node) -> Node:
        return _place(node)[0]

    def pair(self, table: str, node: Node, other: Node, a: Text, b: Text) -> Text:
        bits = max(SIZES[0], _entries(node)).bit_length() - 1
        low, high = (_place(read)[1] for read in (node, other))
        if low == high:
            form = "low" if low + bits <= HALF else "high" if low >= HALF else "middle"
            places = f"vec_{form}_places({a.code}, {b.code}, {low})"
        else:
            places = f"vec_above({_moved(a, -low)}, {_moved(b, HALF - high)})"
        return Text(f"vec_{'words' if is_wide(node) else 'shorts'}{1 << bits}({table}{HALVES}, {places})")

    @classmethod
    def _no_gather(cls, node: Node, lane_bits: int, lookup: str) -> str:
        if lookup != "permute":
            return super()._no_gather(node, lane_bits, lookup)
        entries = len(node.attr.values) if node.op is Op.LOOKUP else node.inputs[0].length
        if entries > SIZES[-1] or entries & (entries - 1):
            return (
                f"a permute on lanes of {LANE} bits reads tables of up to {SIZES[-1]} entries ({node.line})"
            )
        if node.op is Op.LOAD and (node.inputs[0].op is not Op.PARAM or node.width != LANE):
            return f"a permute on lanes of {LANE} bits reads words of the key ({node.line})"
        return ""


def _moved(word: Text, up: int) -> str:
    """A word shifted to the left, or where ``up`` is less than 0 to the right."""
    return f"{word.inside('<<')} {'<<' if up > 0 else '>>'} {abs(up)}" if up else word.code


def is_wide(node: Node) -> bool:
    """Whether the entries that a lookup finds have more bits than half of a lane."""
    return node.width > HALF


def _entries(node: Node) -> int:
    """Entries of what a lookup or load reads."""
    return len(node.attr.values) if node.op is Op.LOOKUP else node.inputs[0].length


def _place(node: Node) -> tuple[Node, int]:
    """The word that has a lookup's index in it, and from which bit on; bits above it do not matter."""
    index = node.inputs[-1]
    cut = index.op is Op.SLICE and index.inputs[0].width == LANE and 1 << index.width >= _entries(node)
    return (index.inputs[0], index.attr) if cut else (index, 0)


def halves_of_table(table: TableData) -> TableData:
    """The table as permutes read it: a small one again and again, wide entries in halves."""
    values = table.values * max(1, SIZES[0] // len(table.values))
    if table.width > HALF:
        values = tuple(value >> low & 0xFFFF for low in (0, HALF) for value in values)
    return TableData(values, HALF, table.name, table.note)


def operations(entries: int) -> int:
    """Operations of a lookup in a table of words, of a pair's the half: permutes, choices, places, halves."""
    return operations_of_halves(entries) + 3


def operations_of_halves(entries: int) -> int:
    """Operations of a lookup of 16 bits on lanes of as many: permutes and choices."""
    return max(1, entries // _ROW - 1)


def read_arrays(kernel: Graph) -> frozenset[Node]:
    """The arrays of the key that a kernel reads at the blocks' places."""
    shared = KeyOnly("key", "index")
    loads = (node for node in every_node(kernel) if node.op is Op.LOAD and not shared(node.inputs[1]))
    return frozenset(node.inputs[0] for node in loads if shared(node.inputs[0]))


def read_tables(kernel: Graph) -> tuple[frozenset[TableData], frozenset[TableData]]:
    """The tables that it reads there, and those that it reads at places of the key."""
    shared = KeyOnly("key", "index")
    lookups = {node: shared(node.inputs[0]) for node in every_node(kernel) if node.op is Op.LOOKUP}
    of_blocks = frozenset(node.attr for node, known in lookups.items() if not known)
    return of_blocks, frozenset(node.attr for node, known in lookups.items() if known)


def entries(length: int) -> int:
    """Halves that an array of so many words has."""
    return 2 * max(length, SIZES[0])


def halves_of(name: str, length: int) -> list[str]:
    """Statements that put the words of an array of the key apart in halves, as `halves_of_table` does."""
    filled = max(length, SIZES[0])
    place = "i" if filled == length else f"i % {length}"
    return [
        f"    for (size_t i = 0; i < {filled}; i++) {{",
        f"        k->{name}{HALVES}[i] = (uint16_t)k->{name}[{place}];",
        f"        k->{name}{HALVES}[{filled} + i] = (uint16_t)(k->{name}[{place}] >> 16);",
        "    }",
    ]


def text(size: int, kernel: str) -> str:
    """The functions that a kernel calls, for vectors of ``size`` bytes."""
    wanted = [n for n in SIZES if f"vec_words{n}(" in kernel or f"vec_shorts{n}(" in kernel]
    if not wanted:
        return ""
    pieces = [(_TWO + _ROWS + _ABOVE + _ALWAYS + _INDICES).format(size=size, row=_ROW)]
    for entries in wanted:
        pieces.append(_lookup(entries))
        for piece, name in ((_SHORTS, "shorts"), (_WORDS, "words")):
            pieces += [piece.format(entries=entries)] if f"vec_{name}{entries}(" in kernel else []
    return "".join(pieces)


def halves(size: int, kernel: str) -> str:
    """The functions that a kernel calls whose lanes are halves themselves, of 16 bits."""
    wanted = [entries for entries in SIZES if f"vec_half{entries}(" in kernel]
    head = f"\n{_ROWS}#endif\n{_ALWAYS}".format(size=size, row=_ROW)
    return "".join([head, *map(_lookup, wanted)]) if wanted else ""


def _lookup(entries: int) -> str:
    return _LOOKUP.format(entries=entries, last=entries - 1, body=_body(entries), scanning=SCANNING)


def _body(entries: int) -> str:
    """Permutes that take two rows each, and a tree of choices by the upper bits of the indices."""
    names = [f"r{row}" for row in range(0, entries // _ROW, 2)]
    lines = [f"    const __m512i {name} = vec_permute(t, {name[1:]}, x);" for name in names]
    bit = 2 * _ROW
    while len(names) > 1:
        lines.append(f"    const __mmask32 b{bit} = vec_bit(x, {bit});")
        pairs = list(zip(names[::2], names[1::2], strict=True))
        names = [f"c{bit}_{place}" for place in range(len(pairs))]
        lines += [
            f"    const __m512i {made} = vec_choose({a}, {b}, b{bit});"
            for made, (a, b) in zip(names, pairs, strict=True)
        ]
        bit *= 2
    return "\n".join([*lines, f"    return (vec){names[0]};"])
