"""Counters of counter mode, written into memory that kernels then encrypt in place."""

from __future__ import annotations

#: Bytes of the vectors that counters are written by, and bytes of a call from which on they are.
_VECTOR, _LONG = 64, 512
#: Bytes of blocks that fill a vector.
_BLOCKS = (8, 16, 32)

_IN_VECTORS = """\
/* Counters for so many bytes, the first with `low`, which is returned as the next has it. While no byte of a
 * block changes but its last one, {per} at once. */
typedef uint8_t count_bytes __attribute__((vector_size({vector})));
static inline uint64_t write_counters(uint8_t *stream, size_t bytes, uint8_t *counter, uint64_t low)
{{
    const count_bytes step = {{{step}}};
    for (size_t at = 0; at < bytes;) {{
        const size_t most = (bytes - at) / {vector}, steady = (256 - (low & 0xff)) / {per};
        const size_t vectors = steady < most ? steady : most;
        if (vectors) {{
            uint8_t first[{vector}];
            count_bytes next;
            for (size_t i = 0; i < {per}; i++) {{
                memcpy(first + {size} * i, counter, {size});
                set_low(first + {size} * i, {size}, low + i);
            }}
            memcpy(&next, first, sizeof next);
            for (size_t i = 0; i < vectors; i++, at += {vector}, next += step)
                memcpy(stream + at, &next, {vector});
            low += vectors * {per};
        }} else {{
            memcpy(stream + at, counter, {size});
            set_low(stream + at, {size}, low++);
            at += {size};
        }}
        if (!low)
            carry(counter, {size});
    }}
    return low;
}}

"""

_ONE_BY_ONE = """\
        for (size_t at = 0; at < now; at += {size}) {{
            memcpy(stream + at, counter, {size});
            set_low(stream + at, {size}, low);
            if (!++low)
                carry(counter, {size});
        }}
"""


def helper(size: int, most: int) -> str:
    """The function that `written` calls, for blocks of ``size`` bytes and calls of ``most``; empty where it
    calls none."""
    if not _in_vectors(size, most):
        return ""
    step = [_VECTOR // size if (place + 1) % size == 0 else 0 for place in range(_VECTOR)]
    listed = ", ".join(map(str, step))
    return _IN_VECTORS.format(size=size, per=_VECTOR // size, vector=_VECTOR, step=listed)


def written(size: int, most: int) -> str:
    """The statements that write counters for ``now`` bytes to ``stream``, from that with ``low`` on."""
    if _in_vectors(size, most):
        return "        low = write_counters(stream, now, counter, low);\n"
    return _ONE_BY_ONE.format(size=size)


def _in_vectors(size: int, most: int) -> bool:
    return size in _BLOCKS and most >= _LONG
