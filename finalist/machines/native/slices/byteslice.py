"""A bit of each byte of a block side by side: how such words are written in C, and how blocks become them.

Of eight blocks the bits that belong together lie in a byte: a word of 16 bits of each of them is 16 bytes,
and to permute the bytes of the blocks is one shuffle of bytes. A vector has such bytes of eight blocks in
each of its 128 bits. Which blocks these are is of no account: to load them is to turn the bits of eight
vectors' bytes, and the way back is the same.
"""

from __future__ import annotations

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices.bits import bit_turning, vectors
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Text, Vector

_BYTE = 8


class SlottedBits(Vector):
    """Words of a bit of each byte of a block."""

    def spread(self, text: Text) -> Text:
        return Text(f"vec_word({text.code})")

    def reduced(self, node: Node, text: Text) -> Text:
        return text

    def entry(self, array: str, index: str) -> Text:
        """A word of the key: the key schedule keeps it as 16 bytes of ones or zeros."""
        return Text(f"vec_key({array} + {self.lane_bits} * ({index}))")

    def expression(self, node: Node, operands: list[Text]) -> Text:
        if node.op in (Op.LINEAR, Op.ROL):
            listed = ", ".join(map(str, moved_from(node)))
            return Text(f"vec_move({operands[0].code}, {listed})")
        if node.op is Op.BOOL:
            return super().expression(node, operands)  # which are vectors
        constant = [child.op is Op.CONST for child in node.inputs]
        spread = (self.spread(text) if same else text for text, same in zip(operands, constant, strict=True))
        return super().expression(node, list(spread))


def moved_from(node: Node) -> tuple[int, ...]:
    """For each bit of a word that is moved from which it comes; -1 where it is 0."""
    if node.op is Op.ROL:
        return tuple((to - node.inputs[1].attr) % node.width for to in range(node.width))
    found = [-1] * node.width
    for source, column in enumerate(node.attr[0]):
        for to in range(node.width):
            if column >> to & 1:
                found[to] = source
    return tuple(found)


class SlottedBlocks:
    """The words of all blocks of a call, in eight vectors."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.kernel = program.kernel
        self.count = program.block.count
        self.bytes = shape.bits // _BYTE

    def loads(self) -> list[str]:
        """Statements that turn the blocks, and names for the words."""
        lines = []
        for copy in range(self.body.copies):
            name = self._name(copy)
            self._named(name, copy)
            lines.append(f"    vec {name}[{_BYTE}];")
            lines += [f"    {name}[{j}] = vec_load(in + {at});" for j, at in self._places(copy)]
            lines.append(f"    planes_of_bytes({name});")
        return lines

    def _name(self, copy: int) -> str:
        return self.body.suffixed("b", copy)

    def _places(self, copy: int) -> list[tuple[int, int]]:
        """The number of each vector of blocks, and where they lie in memory."""
        return [(j, self.bytes * (_BYTE * copy + j)) for j in range(_BYTE)]

    def _named(self, name: str, copy: int) -> None:
        """The words that blocks are turned to, and what is made of words that are turned back."""
        texts, given = self.body.texts, self.kernel.params[: self.count]
        for node in self.kernel.body:
            if node.op is Op.SLICE and node.inputs[0] in given:
                texts[node, copy] = Text("")
            if node.op is Op.JOIN and all(part.inputs[0] in given for part in node.inputs):
                texts[node, copy] = Text(f"{name}[{node.inputs[0].attr}]")
        for result in self.kernel.results:
            texts.update(((node, copy), Text("")) for node in (result, *result.inputs))

    def stores(self) -> list[str]:
        """Statements that turn the results back."""
        words, lines = [bit.inputs[0] for bit in self.kernel.results[0].inputs], []
        for copy in range(self.body.copies):
            name = self._name(copy)
            lines += [f"    {name}[{j}] = {self.body.full(word, copy)};" for j, word in enumerate(words)]
            lines.append(f"    planes_of_bytes({name});")
            lines += [f"    vec_store(out + {at}, {name}[{j}]);" for j, at in self._places(copy)]
        return lines


def masks_of(field: str, array: str, length: int) -> str:
    """The statement that keeps words of the key as bytes of ones or zeros."""
    return (
        f"    for (size_t i = 0; i < {length}; i++) {{\n"
        f"        spread_bits(k->{field} + 16 * i, {array}[i]);\n"
        f"        spread_bits(k->{field} + 16 * i + 8, {array}[i] >> 8);\n"
        f"    }}"
    )


def begin(shape: Shape, code: str) -> str:
    """The type of a word of all blocks, its moves, what turns blocks, and what ``code`` needs."""
    size = shape.bits // _BYTE
    pairs = ", ".join(["BITS(w), BITS((w) >> 8)"] * (size // shape.lane_bits))
    head = vectors("each byte", shape.lanes, size, code)
    return head + _WORDS.format(size=size, pairs=pairs) + bit_turning(shape.bits)


_WORDS = """
/* How vectors are passed between files, which compilers warn of, does not matter to functions of this one. */
#pragma GCC diagnostic ignored "-Wpsabi"
/* The lowest 8 bits as bytes of ones or zeros; 16 bits so, for all blocks. */
#define SPREAD(bits) (((((((bits) & 0xffull) * 0x0101010101010101ull) & 0x8040201008040201ull) \\
    + 0x7f7f7f7f7f7f7f7full) >> 7 & 0x0101010101010101ull) * 0xff)
#define BITS(w) FROM_LE(64, SPREAD(w))
typedef uint64_t vec_longs __attribute__((vector_size({size})));
#define vec_word(w) ((vec)(vec_longs){{{pairs}}})
static inline void spread_bits(uint8_t *to, uint32_t bits)
{{
    store64le(to, SPREAD(bits));
}}
/* vec_key: a word of the key, the same for all blocks. vec_move: for each byte of 16 the one that moves
 * there, -1 for zero. */
#if {size} == 64 && defined(__AVX512BW__)
#define vec_key(p) ((vec)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p))))
#define vec_move(x, ...) ((vec)_mm512_shuffle_epi8((__m512i)(x), \\
    _mm512_broadcast_i32x4(_mm_setr_epi8(__VA_ARGS__))))
#elif {size} == 32 && defined(__AVX2__)
#define vec_key(p) ((vec)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p))))
#define vec_move(x, ...) ((vec)_mm256_shuffle_epi8((__m256i)(x), \\
    _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))))
#elif {size} == 16 && defined(__SSSE3__)
#define vec_key(p) ((vec)_mm_loadu_si128((const __m128i *)(p)))
#define vec_move(x, ...) ((vec)_mm_shuffle_epi8((__m128i)(x), _mm_setr_epi8(__VA_ARGS__)))
#elif {size} == 16 && defined(__aarch64__)
#include <arm_neon.h>
#define vec_key(p) vec_load(p)
#define vec_move(x, ...) ((vec)vqtbl1q_u8((uint8x16_t)(x), (uint8x16_t)(int8x16_t){{__VA_ARGS__}}))
#else
static inline vec vec_key(const uint8_t *p)
{{
    vec all;
    for (size_t at = 0; at < sizeof all; at += 16)
        memcpy((uint8_t *)&all + at, p, 16);
    return all;
}}
static inline vec vec_moved(vec x, const int8_t *from)
{{
    const vec_bytes bytes = (vec_bytes)x;
    vec_bytes moved = {{0}};
    for (size_t to = 0; to < sizeof x; to++)
        if (from[to % 16] >= 0)
            moved[to] = bytes[to / 16 * 16 + (size_t)from[to % 16]];
    return (vec)moved;
}}
#define vec_move(x, ...) vec_moved(x, (const int8_t[]){{__VA_ARGS__}})
#endif
"""
