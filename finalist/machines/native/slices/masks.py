"""Bits of the key as masks of ones or zeros, which planes of blocks are combined with.

Bits that a loop cuts from words become masks by the word, eight at a time in two vectors of four:

    bits[i] = words[i >> 3] >> (i & 7) & 1; k->bits[i] = -bits[i]
    ->  masks_of_bits(k->bits + 8 * i, words[i])
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Node
from finalist.ir.types import storage_bits
from finalist.passes.bitslice.keys import words_of_bits

_BYTE = 8

#: What `masks_of` calls; a file that does not is without it.
HELPER = """
/* Eight bits as masks of ones or zeros. */
static inline void masks_of_bits(uint32_t *masks, uint32_t bits)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    const four low = {1, 2, 4, 8}, high = {16, 32, 64, 128}, all = (four){0} + bits;
    const four first = (four)((all & low) == low), then = (four)((all & high) == high);
    memcpy(masks, &first, sizeof first);
    memcpy(masks + 4, &then, sizeof then);
}
"""
#: Eight bits are spread, compared and stored four at a time.
OPERATIONS_A_BIT = 1


def with_words(expand: Graph) -> Graph:
    """The key schedule with arrays of words for results that are their bits; the loops that cut them go."""
    results = [words_of_bits(result) or result for result in expand.results]
    return Graph(expand.name, expand.params, results, expand.rounds)


def masks_of(field: str, array: str, bits: Node, result: Node) -> str:
    """The statement that stores an array of bits as masks.

    ``array`` is the C name of ``result``: the bits themselves, or the words that they were cut from.
    """
    if result is bits:
        loop = f"    for (size_t i = 0; i < {bits.length}; i++)\n"
        return f"{loop}        k->{field}[i] = -(uint32_t){array}[i];"
    step, loop = storage_bits(result.width), f"    for (size_t i = 0; i < {result.length}; i++)\n"
    if step == _BYTE:
        return f"{loop}        masks_of_bits(k->{field} + 8 * i, {array}[i]);"
    return (
        f"{loop}        for (size_t j = 0; j < {step}; j += 8)\n"
        f"            masks_of_bits(k->{field} + {step} * i + j, (uint32_t)({array}[i] >> j));"
    )
