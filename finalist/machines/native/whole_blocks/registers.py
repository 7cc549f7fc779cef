"""Registers that hold whole blocks: how they are written in C, and which words of a program lie in them.

A register has 128 bits, four words; a vector has one, two or four of them side by side, which hold as
many blocks and all have the same words of the key. The text is that of `immintrin.h`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, is_tuple_word, operands, tuple_of, users_of
from finalist.ir.ops import Op
from finalist.machines.native.whole_blocks.instructions import BITS, WORDS, Form, Spelled

REGISTER = BITS * WORDS


@dataclass(frozen=True)
class RegisterFile:
    """Vectors of ``bits`` bits: their type in C. Functions on them have the number of bits in their names."""

    bits: int
    type: str

    def instruction(self, node: Node, operands: list[str]) -> str:
        """An instruction on operands."""
        return self.form(node).text.format(*operands)

    def form(self, node: Node) -> Form:
        """How the instruction of a node is written."""
        assert isinstance(node.attr, Spelled)
        return node.attr.forms[self.bits]

    def entries(self, address: str) -> str:
        """Four entries of the expanded key, for each register the same."""
        return f"key{self.bits}({address})"

    def words(self, words: list[str]) -> str:
        """Four words, for each register the same."""
        if len(set(words)) == 1:
            return f"same{self.bits}({words[0]})"
        return f"words{self.bits}({', '.join(words)})"


FILES = {bits: RegisterFile(bits, f"__m{bits}i") for bits in (128, 256, 512)}
#: Names that variables must not have, of those that end in a number.
_STEMS = "load store stream key words same word numbers counted later reversal chained spread"
NAMES = frozenset(f"{stem}{bits}" for stem in _STEMS.split() for bits in FILES)

_ALL = {
    128: """\
static inline __m128i load128(const void *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline void store128(void *p, __m128i x) { _mm_storeu_si128((__m128i *)p, x); }
static inline void stream128(void *p, __m128i x) { _mm_stream_si128((__m128i *)p, x); }
static inline __m128i key128(const uint32_t *p) { return load128(p); }
static inline __m128i same128(uint32_t a) { return _mm_set1_epi32((int)a); }
static inline __m128i words128(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{ return _mm_set_epi32((int)d, (int)c, (int)b, (int)a); }
#define word128(x, k) ((uint32_t)_mm_extract_epi32(x, k))
static inline __m128i chained128(const void *chain, const void *in) { (void)in; return load128(chain); }
""",
    256: """\
static inline __m256i load256(const void *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void store256(void *p, __m256i x) { _mm256_storeu_si256((__m256i *)p, x); }
static inline void stream256(void *p, __m256i x) { _mm256_stream_si256((__m256i *)p, x); }
static inline __m256i key256(const uint32_t *p) { return _mm256_broadcastsi128_si256(load128(p)); }
static inline __m256i same256(uint32_t a) { return _mm256_set1_epi32((int)a); }
static inline __m256i words256(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{ return _mm256_broadcastsi128_si256(words128(a, b, c, d)); }
static inline __m256i chained256(const void *chain, const void *in)
{ return _mm256_inserti128_si256(_mm256_castsi128_si256(load128(chain)), load128(in), 1); }
""",
    512: """\
static inline __m512i load512(const void *p) { return _mm512_loadu_si512(p); }
static inline void store512(void *p, __m512i x) { _mm512_storeu_si512(p, x); }
static inline void stream512(void *p, __m512i x) { _mm512_stream_si512((__m512i *)p, x); }
static inline __m512i key512(const uint32_t *p) { return _mm512_broadcast_i32x4(load128(p)); }
static inline __m512i same512(uint32_t a) { return _mm512_set1_epi32((int)a); }
static inline __m512i words512(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{ return _mm512_broadcast_i32x4(words128(a, b, c, d)); }
static inline __m512i chained512(const void *chain, const void *in)
{ return _mm512_alignr_epi64(load512(in), _mm512_broadcast_i32x4(load128(chain)), 6); }
""",
}
_COUNTING = {
    128: """
/* Counter blocks: big-endian numbers; their last eight bytes are counted in as a word, then reversed; or
 * their last byte alone, where it does not wrap around. */
static inline __m128i spread128(__m128i x) { return x; }
static inline __m128i reversal128(void) { return _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0706050403020100); }
static inline __m128i numbers128(const uint8_t *counter, uint64_t low)
{ return _mm_set_epi64x((long long)low, (long long)load64le(counter)); }
static inline __m128i counted128(__m128i x, long long n)
{ return _mm_shuffle_epi8(_mm_add_epi64(x, _mm_set_epi64x(n, 0)), reversal128()); }
static inline __m128i later128(__m128i x, uint64_t n)
{ return _mm_add_epi64(x, _mm_set_epi64x((long long)(n << 56), 0)); }
""",
    256: """
static inline __m256i spread256(__m128i x) { return _mm256_broadcastsi128_si256(x); }
static inline __m256i numbers256(const uint8_t *counter, uint64_t low)
{
    return _mm256_add_epi64(spread256(numbers128(counter, low)), _mm256_set_epi64x(1, 0, 0, 0));
}
static inline __m256i counted256(__m256i x, long long n)
{
    const __m256i sum = _mm256_add_epi64(x, _mm256_set_epi64x(n, 0, n, 0));
    return _mm256_shuffle_epi8(sum, spread256(reversal128()));
}
static inline __m256i later256(__m256i x, uint64_t n)
{
    const long long last = (long long)(n << 56);
    return _mm256_add_epi64(x, _mm256_set_epi64x(last, 0, last, 0));
}
""",
    512: """
static inline __m512i spread512(__m128i x) { return _mm512_broadcast_i32x4(x); }
static inline __m512i numbers512(const uint8_t *counter, uint64_t low)
{
    return _mm512_add_epi64(spread512(numbers128(counter, low)), _mm512_set_epi64(3, 0, 2, 0, 1, 0, 0, 0));
}
static inline __m512i counted512(__m512i x, long long n)
{
    const __m512i sum = _mm512_add_epi64(x, _mm512_set_epi64(n, 0, n, 0, n, 0, n, 0));
    return _mm512_shuffle_epi8(sum, spread512(reversal128()));
}
static inline __m512i later512(__m512i x, uint64_t n)
{
    const long long last = (long long)(n << 56);
    return _mm512_add_epi64(x, _mm512_set_epi64(last, 0, last, 0, last, 0, last, 0));
}
""",
}
_NEEDED = {128: ("__SSE4_1__",), 256: ("__AVX2__",), 512: ("__AVX512F__", "__AVX512BW__")}


def macros(nodes: Iterable[Node], bits: int) -> tuple[str, ...]:
    """The macros of the compiler without which code of these nodes can't be built."""
    found = dict.fromkeys(_NEEDED[bits])
    for node in nodes:
        if node.op is Op.INSTRUCTION:
            found.update(dict.fromkeys(FILES[bits].form(node).macros))
    return tuple(found)


def counting(bits: int) -> str:
    """What counter mode needs beside."""
    return "".join(_COUNTING[size] for size in sorted({REGISTER, bits}))


def prelude(bits: int, needed: Iterable[str]) -> str:
    """What a file begins with that has vectors of ``bits`` bits and these macros."""
    missing = " || ".join(f"!defined({macro})" for macro in needed)
    files = "".join(_ALL[size] for size in sorted({REGISTER, bits}))
    names = ", ".join(needed)
    return (
        f"\n#if {missing}\n#error this code needs instructions of x86 that are there with {names}\n#endif\n"
        f"#include <immintrin.h>\n\n/* Registers of 128 bits, {bits // REGISTER} in a vector. */\n{files}"
    )


# -- what lies in registers -----------------------------------------------------------------------------


def entries(node: Node) -> Node | None:
    """The first of the reads that a tuple is made of, if it is consecutive entries of one array."""
    if node.op is not Op.TUPLE or any(child.op is not Op.LOAD for child in node.inputs):
        return None
    first = node.inputs[0]
    base, start = _offset(first.inputs[1])
    for number, child in enumerate(node.inputs):
        if child.inputs[0] is not first.inputs[0] or _offset(child.inputs[1]) != (base, start + number):
            return None
    return first if first.inputs[0].op is Op.PARAM else None


def _offset(index: Node) -> tuple[Node | None, int]:
    """An index as a word and a constant."""
    if index.op is Op.CONST:
        return None, index.attr
    if index.op is Op.ADD and index.inputs[1].op is Op.CONST:
        return index.inputs[0], index.inputs[1].attr
    return index, 0


def unwritten(region: Region) -> set[Node]:
    """Reads that are made with the register they are for, what only they need, and words stored as one."""
    users = users_of(region.body)
    stored = whole_stores(region)
    # What these need is written, though they are not.
    written = {first for node in region.body if (first := entries(node)) is not None}
    written |= {store.inputs[2] for store in stored}
    dropped: set[Node] = set()
    for node in reversed(region.body):
        if node in region.results or node not in users:
            continue
        if node.op is Op.LOAD:
            needless = all(entries(user) is not None for user in users[node])
        elif is_tuple_word(node):
            needless = all(user in stored for user in users[node])
        else:
            needless = all(user in dropped and user not in written for user in users[node])
        if needless:
            dropped.add(node)
    return dropped


def whole_stores(region: Region) -> dict[Node, Node | None]:
    """Stores of all words of a register, one after the other: the last with it, the others without."""
    found: dict[Node, Node | None] = {}
    together = {node.inputs: node for node in region.body if node.op is Op.TUPLE}
    uses = Counter(child for node in region.body for child in operands(node))
    for node in region.body:
        chain = _chain(node)
        if len(chain) == WORDS and all(uses[store] == 1 for store in chain[:-1]):
            register = _register(tuple(store.inputs[2] for store in chain), together)
            if register is not None:
                found |= dict.fromkeys(chain[:-1])
                found[node] = register
    return found


def _chain(node: Node) -> list[Node]:
    """The stores at consecutive places that end with this one, as many as a register has words, in order."""
    chain: list[Node] = []
    while node.op is Op.STORE and node.inputs[1].op is Op.CONST and len(chain) < WORDS:
        if chain and node.inputs[1].attr + 1 != chain[-1].inputs[1].attr:
            break
        chain.append(node)
        node = node.inputs[0]
    return chain[::-1]


def _register(words: tuple[Node, ...], together: dict[tuple[Node, ...], Node]) -> Node | None:
    """The register that has these words."""
    return tuple_of(words) or together.get(words)
