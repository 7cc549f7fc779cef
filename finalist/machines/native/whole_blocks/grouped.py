"""Counter mode with the first round looked up, for counters that differ in their last byte alone.

A round puts an S-box on each byte and then a linear map, so that it is the XOR of what it makes of each byte
(`finalist.passes.matching.normal.Round`). Of 256 counters that only the last byte tells apart a table has
what the last byte contributes, whatever the others are; what these do is computed once. A block then costs a
load and an XOR for its counter and its first round. (D. J. Bernstein, P. Schwabe, "New AES software speed
records", INDOCRYPT 2008: caching in counter mode, there for tables of words.)
"""

from __future__ import annotations

from finalist.machines.native.shape import Shape
from finalist.machines.native.whole_blocks.register_blocks import BYTE_VALUES, RegisterBlocks
from finalist.machines.native.whole_blocks.registers import FILES, REGISTER

#: Counters that differ in their last byte alone.
GROUP = BYTE_VALUES


def grouped(blocks: object, shape: Shape) -> RegisterBlocks | None:
    """The blocks, if their kernel begins with such a round, and calls for a whole group are whole calls."""
    if not isinstance(blocks, RegisterBlocks) or shape.copies == 1 or GROUP % shape.blocks:
        return None
    return blocks if blocks.first_round() is not None else None


def functions(blocks: RegisterBlocks, name: str, key: str) -> str:
    """NAME_first, of what the counters of a group have in common, and NAME_table, of their last bytes.

    ``key``: the parameter for the expanded key.
    """
    found = blocks.first_round()
    assert found is not None  # or they are not `grouped`
    addition, second = found
    added, last = (blocks.body.register(node.inputs[1], 0).code for node in (addition, second))
    bits, kind, size = blocks.bits, blocks.kind, REGISTER // 8

    def of(block: str) -> str:
        return FILES[bits].instruction(second, [f"{block} ^ {added}", last])

    return f"""
/* What the first round makes of a counter; and for each last byte, whatever the others are, the XOR of that
 * with what it makes of a last byte of zero. */
static inline {kind} {name}_first({key}, const uint8_t *counter, uint64_t low)
{{
    return {of(f"spread{bits}(counted128(numbers128(counter, low), 0))")};
}}

static inline void {name}_table({key}, uint8_t *table)
{{
    static const uint8_t zero[{size}] = {{0}};
    const {kind} first = numbers{bits}(zero, 0), none = {name}_first(k, zero, 0);
    for (int n = 0; n < {GROUP}; n += {blocks.lanes})
        store{bits}(table + {size} * n, {of(f"counted{bits}(first, n)")} ^ none);
}}
"""
