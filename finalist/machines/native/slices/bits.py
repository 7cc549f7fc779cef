"""A bit of every block in each vector: how bits are written in C, and how blocks are turned into them.

Blocks become planes (plane n holds bit n of all blocks) in two steps. First bytes: as many vectors as a
block has bytes, turned by rounds of interleaving, hold byte j of their blocks in vector j. Then bits: the
vectors for byte j of eight such groups change places with the eight bits of a byte. In which order blocks
lie in a plane is of no account, as long as the way back is the inverse; each step is its own. (For the
bits: H. S. Warren, "Hacker's Delight", 7-3.)
"""

from __future__ import annotations

from finalist.ir.graph import Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices import masks
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Text, Vector
from finalist.machines.native.vectors import logic

#: Bits of a plane where there are no vectors: those of a plain integer.
PLAIN_BITS = 64
_LANE = 16  # bytes that an interleaving instruction works within
_BYTE = 8


class Bits(Vector):
    """A bit a block: every variable is a vector of ``lanes`` bits."""

    def __init__(self, lanes: int) -> None:
        super().__init__(1, lanes)

    def spread(self, text: Text) -> Text:
        return Text(f"(vec_zero - {text.inside('-')})")

    def shared(self, text: Text, node: Node) -> Text:
        return self.spread(text)

    def reduced(self, node: Node, text: Text) -> Text:
        return text  # a bit fills its lane

    def entry(self, array: str, index: str) -> Text:
        """A bit of the key in all blocks: the key schedule keeps it as a mask."""
        return Text(f"vec_bit({array}[{index}])")


def block_obstacle(layout: Layout, lanes: int) -> str:
    """Why blocks can't be turned into planes of ``lanes`` bits; empty if they can."""
    size = layout.bytes
    fits = size % 8 == 0 if lanes == PLAIN_BITS else size in (2, 4, 8, 16)
    return "" if fits else f"its block has {size} bytes"


def plane_of(layout: Layout, word: int, bit: int) -> int:
    """The plane of a bit of the block's words: planes go by bytes in memory, the lowest bit first."""
    step = layout.width // _BYTE
    byte = bit // _BYTE
    return _BYTE * (word * step + (byte if layout.order is ByteOrder.LITTLE else step - 1 - byte)) + bit % 8


def leave_out_words(body: Body, region: Region) -> None:
    """Words put together from bits have no variable: whoever takes one takes its bits."""
    for node in every_node(region):
        if node.op is Op.JOIN and all(part.width == 1 for part in node.inputs):
            body.texts[node, 0] = Text("")


def function(name: str, region: Region, lanes: int) -> str:
    """The C function for a region from the bits of a word to those of another."""
    (word,), (result,) = region.params, region.results
    body = Body(Bits(lanes))
    leave_out_words(body, region)
    for node in region.body:
        if node.op is Op.SLICE and node.inputs[0] is word:
            body.texts[node, 0] = Text(f"x[{node.attr}]")
    body.region(region)
    ends = (body.full(bit, 0) for bit in result.inputs)
    lines = body.lines + [f"    y[{place}] = {end};" for place, end in enumerate(ends)]
    head = f"static __attribute__((noinline)) void {name}(const vec *x, vec *y)"
    return f"{head}\n{{\n" + "\n".join(lines) + "\n}\n"


class PlaneBlocks:
    """The planes of all blocks of a call, in one array."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.kernel = program.kernel
        self.layout = program.block
        self.count = program.block.bytes * _BYTE

    def loads(self) -> list[str]:
        """Statements that turn the blocks, and names for the kernel's parameters' bits."""
        words = {param: place for place, param in enumerate(self.kernel.params[: self.layout.count])}
        for node in self.kernel.body:
            if node.op is Op.SLICE and node.inputs[0] in words:
                plane = plane_of(self.layout, words[node.inputs[0]], node.attr)
                self.body.texts[node, 0] = Text(f"b[{plane}]")
        leave_out_words(self.body, self.kernel)
        return [f"    vec b[{self.count}], c[{self.count}];", "    planes_load(in, b);"]

    def stores(self) -> list[str]:
        """Statements that turn the results back."""
        lines = []
        for word, result in enumerate(self.kernel.results):
            for bit, node in enumerate(result.inputs):
                plane = plane_of(self.layout, word, bit)
                lines.append(f"    c[{plane}] = {self.body.full(node, 0)};")
        return [*lines, "    planes_store(c, out);"]


# -- what the file begins with -------------------------------------------------------------------------

_PLAIN = """
/* A bit of each of 64 blocks. */
typedef uint64_t vec;
#define vec_zero ((vec)0)
#define vec_bit(mask) ((vec)(int64_t)(int32_t)(mask))
#define EACH(byte) ((byte) * 0x0101010101010101ull)
"""

_VECTORS = """
/* A bit of {what} of {lanes} blocks; the same text serves every vector unit. */
typedef uint32_t vec __attribute__((vector_size({size})));
typedef uint8_t vec_bytes __attribute__((vector_size({size})));
#define vec_zero ((vec){{0}})
#define vec_bit(mask) (vec_zero + (mask))
#define vec_load(p) (__extension__ ({{ vec v_; memcpy(&v_, p, sizeof v_); v_; }}))
/* The statement without instructions keeps the compiler from storing in another order. */
#define vec_store(p, v) do {{ const vec v_ = (v); memcpy(p, &v_, sizeof v_); \\
    __asm__ volatile("" ::: "memory"); }} while (0)
#define EACH(byte) ((byte) * 0x01010101u)
"""


def vectors(what: str, blocks: int, size: int, code: str) -> str:
    """The type of vectors of so many bytes, with a bit of ``what`` of each of so many blocks.

    And what ``code`` needs to work on them.
    """
    head = _VECTORS.format(what=what, lanes=blocks, size=size)
    return head + (logic.macro(logic.BITS, _MERGE + code) if size * _BYTE == logic.BITS else "")


_INTERLEAVING = """
#if defined(__clang__)
#define vec_shuffle(a, b, ...) ((vec)__builtin_shufflevector((vec_bytes)(a), (vec_bytes)(b), __VA_ARGS__))
#else
#define vec_shuffle(a, b, ...) ((vec)__builtin_shuffle((vec_bytes)(a), (vec_bytes)(b), \\
    (vec_bytes){{__VA_ARGS__}}))
#endif
/* The bytes of two vectors in turns, within 16 bytes: the lower halves, the upper halves. */
#define vec_low(a, b) vec_shuffle(a, b, {low})
#define vec_high(a, b) vec_shuffle(a, b, {high})
#define ZIP(a, b) do {{ const vec t_ = vec_low(a, b); (b) = vec_high(a, b); (a) = t_; }} while (0)
"""


def prelude(lanes: int, layout: Layout, code: str) -> str:
    """The type of a plane, and functions that turn blocks into planes and back; what ``code`` needs."""
    if lanes == PLAIN_BITS:
        return _PLAIN + masks.HELPER + _turning(_plain_loads(layout), _plain_stores(layout), layout)
    size = lanes // _BYTE
    texts = {name: ", ".join(map(str, _interleaved(size, half))) for name, half in _HALVES}
    head = vectors("each", lanes, size, code) + masks.HELPER + _INTERLEAVING.format(**texts)
    return head + _turning(_vector_loads(layout, size), _vector_stores(layout, size), layout, lanes)


_HALVES = (("low", 0), ("high", _LANE // 2))


def _interleaved(size: int, half: int) -> list[int]:
    """For each byte of the result where in the two vectors it comes from."""
    lanes = range(0, size, _LANE)
    return [side * size + lane + half + k for lane in lanes for k in range(_LANE // 2) for side in (0, 1)]


_SWAP = """
#define SWAP(a, b, n, mask) do { \\
    const vec t_ = (((a) >> (n)) ^ (b)) & (mask); (b) ^= t_; (a) ^= t_ << (n); } while (0)
"""

#: Each merged with the other where the mask says so.
_MERGE = """
#define SWAP(a, b, n, mask) do { \\
    const vec t_ = (a) >> (n), m_ = vec_zero + (mask); \\
    (a) = vec_logic(m_ << (n), (b) << (n), a, 0xd8); (b) = vec_logic(m_, t_, b, 0xd8); } while (0)
"""

_BITS = """
/* The bits of eight vectors' bytes against the vectors; its own inverse. */
static inline void planes_of_bytes(vec *p)
{{
    vec x0 = p[0], x1 = p[1], x2 = p[2], x3 = p[3], x4 = p[4], x5 = p[5], x6 = p[6], x7 = p[7];
{swaps}
    p[0] = x0; p[1] = x1; p[2] = x2; p[3] = x3; p[4] = x4; p[5] = x5; p[6] = x6; p[7] = x7;
}}
"""

_FUNCTIONS = """
/* Blocks in memory to planes: p[n] has bit n of every block. */
static inline void planes_load(const uint8_t *in, vec *p)
{{
    for (int g = 0; g < 8; g++) {{
{loads}
    }}
    for (int n = 0; n < {planes}; n += 8)
        planes_of_bytes(p + n);
}}

/* The way back; p is used up. */
static inline void planes_store(vec *p, uint8_t *out)
{{
    for (int n = 0; n < {planes}; n += 8)
        planes_of_bytes(p + n);
    for (int g = 0; g < 8; g++) {{
{stores}
    }}
}}
"""


def _turning(loads: list[str], stores: list[str], layout: Layout, bits: int = PLAIN_BITS) -> str:
    indent = "        "
    return bit_turning(bits) + _FUNCTIONS.format(
        planes=layout.bytes * _BYTE,
        loads="\n".join(indent + line for line in loads),
        stores="\n".join(indent + line for line in stores),
    )


def bit_turning(bits: int) -> str:
    """The function that turns the bits of the bytes of eight vectors of so many bits."""
    swaps = _swaps("EACH(0x0f)", "EACH(0x33)", "EACH(0x55)", unit=1)
    return (_MERGE if bits == logic.BITS else _SWAP) + _BITS.format(
        swaps="\n".join("    " + line for line in swaps)
    )


def _swaps(*masks: str, unit: int) -> list[str]:
    """Eight words by eight of their parts of ``unit`` bits turned: halves, then quarters, eighths swap."""
    return [
        f"SWAP(x{low}, x{low + distance}, {distance * unit}, {mask});"
        for distance, mask in zip((4, 2, 1), masks, strict=True)
        for low in range(8)
        if not low & distance
    ]


_HALF_WORDS = ("0xffffffffull", "0xffff0000ffffull", "0xff00ff00ff00ffull")


def _plain_loads(layout: Layout) -> list[str]:
    lines = []
    for half in range(0, layout.bytes, 8):
        lines.append("{")
        lines += [f"    vec x{v} = load64le(in + {layout.bytes} * (8 * g + {v}) + {half});" for v in range(8)]
        lines += ["    " + line for line in _swaps(*_HALF_WORDS, unit=8)]
        lines += [f"    p[{8 * (half + byte)} + g] = x{byte};" for byte in range(8)]
        lines.append("}")
    return lines


def _plain_stores(layout: Layout) -> list[str]:
    lines = []
    for half in range(0, layout.bytes, 8):
        lines.append("{")
        lines += [f"    vec x{byte} = p[{8 * (half + byte)} + g];" for byte in range(8)]
        lines += ["    " + line for line in _swaps(*_HALF_WORDS, unit=8)]
        lines += [f"    store64le(out + {layout.bytes} * (8 * g + {v}) + {half}, x{v});" for v in range(8)]
        lines.append("}")
    return lines


def _vector_loads(layout: Layout, size: int) -> list[str]:
    count = layout.bytes
    lines = [f"vec x{v} = vec_load(in + {size} * ({count} * g + {v}));" for v in range(count)]
    lines += _interleavings(count, size)
    return lines + [f"p[{8 * byte} + g] = x{_slot(byte, count)};" for byte in range(count)]


def _vector_stores(layout: Layout, size: int) -> list[str]:
    count = layout.bytes
    lines = [f"vec x{_slot(byte, count)} = p[{8 * byte} + g];" for byte in range(count)]
    lines += _interleavings(count, size)
    return lines + [f"vec_store(out + {size} * ({count} * g + {v}), x{v});" for v in range(count)]


def _slot(byte: int, count: int) -> int:
    """In which vector a byte of the block is after the interleavings: its number with its bits turned."""
    bits = count.bit_length() - 1
    return sum((byte >> k & 1) << (bits - 1 - k) for k in range(bits))


def _interleavings(count: int, size: int) -> list[str]:
    """Bytes against vectors, for blocks of ``count`` bytes; its own inverse.

    An interleaving moves each byte's place within 16 up by one bit, the top bit out into the number of its
    vector and one of that number in at the bottom. Where a block has fewer bytes, its own bits of the
    place are brought to the top first.
    """
    lines, shift = [], _LANE.bit_length() - count.bit_length()
    if shift:
        places = [
            lane + (q & (1 << shift) - 1) * count + (q >> shift)
            for lane in range(0, size, _LANE)
            for q in range(_LANE)
        ]
        listed = ", ".join(map(str, places))
        lines += [f"x{v} = vec_shuffle(x{v}, x{v}, {listed});" for v in range(count)]
    for stage in range(count.bit_length() - 1):
        pairs = [low for low in range(count) if not low >> stage & 1]
        lines += [f"ZIP(x{low}, x{low + (1 << stage)});" for low in pairs]
    return lines
