"""Messages that no cache holds: their input is prefetched, and their output written past the caches.

A store that misses the caches first fetches its cache line (write-allocate), so that of three transfers
between memory and caches one is wasted. Kernels that are faster than memory write their output to a buffer,
from where non-temporal stores, which x86 calls streaming, write whole lines without that fetch (Intel 64 and
IA-32 Optimization Reference Manual, on software prefetching and streaming stores). Slower kernels lose by it.
"""

from __future__ import annotations

from finalist.machines.native.text.kernels import Kernels

#: Vectors of a call, from which on memory is slower than a kernel that holds whole blocks in registers; bytes
#: of a message that no cache holds, of a cache line, and of the distance at which lines are prefetched.
VECTORS, _UNCACHED, LINE, _AHEAD = 8, 1 << 23, 64, 4096
#: Bytes of a message, at least, whose blocks are prefetched if each is read again, across lines, for the
#: next: with its output it fills a cache of a megabyte. Others of that length lose by it.
READ_TWICE = 1 << 19
_WRITE_LINES = """\
/* Whole cache lines, none of which is read to be overwritten. */
static inline void write_lines(uint8_t *out, const uint8_t *lines, size_t bytes)
{{
    for (size_t at = 0; at < bytes; at += {bytes})
        stream{bits}(out + at, load{bits}(lines + at));
}}
"""


def helper(kernels: Kernels) -> str:
    """What the statements below call."""
    return (
        _WRITE_LINES.format(bits=kernels.long_bits, bytes=kernels.long_bits // 8) if kernels.long_bits else ""
    )


def uncached_flag(kernels: Kernels, left: str, unit: int, least: int = 0) -> str:
    """The variable that says whether a message is prefetched, from ``least`` bytes on.

    ``unit``: bytes of what is counted in ``left``. Counter mode, whose blocks nothing waits for, loses by it.
    """
    if not kernels.long_bits:
        return ""
    count = (least or _UNCACHED) // unit
    return f"    const int uncached = {left} >= {count}; /* longer than caches: prefetched */\n"


def prefetches(kernels: Kernels, n: int, indent: str) -> str:
    """Statements before a call for n blocks that prefetch what a later one reads; past the end of the message
    a prefetch is no fault."""
    if not _largest(kernels, n):
        return ""
    return (
        f"{indent}for (int n = 0; uncached && n < {n * kernels.block_bytes}; n += {LINE})\n"
        f"{indent}    __builtin_prefetch((const void *)((uintptr_t)in + {_AHEAD} + n));\n"
    )


def begin(kernels: Kernels, state: str, left: str, unit: int) -> str:
    """The variables of `call`; and the blocks before the output's first whole line, by the function itself.

    ``state``: what it goes on from, if anything; ``left``, ``unit``: as of `uncached_flag`.
    """
    if not kernels.long_bits:
        return ""
    size, more = kernels.block_bytes, f"{state}, " if state else ""
    skipped = f"before * {unit}" if unit > 1 else "before"
    left_out = f"(-(uintptr_t)out % {LINE}) / {unit}" if unit > 1 else f"-(uintptr_t)out % {LINE}"
    return f"""\
    /* Longer than caches: output is written past them, in whole lines; in place these are read anyway. */
    int streamed = {left} >= {_UNCACHED // unit} && in != out && (uintptr_t)out % {size} == 0;
    uint8_t room[{kernels.sizes[0] * size + LINE}], *const lines = room + (-(uintptr_t)room % {LINE});
    const size_t before = streamed ? {left_out} : 0;
    if (before) {{
        {kernels.public}(k, {more}in, out, before);
        {left} -= before, in += {skipped}, out += {skipped};
    }}
"""


def call(kernels: Kernels, n: int, function: str, taken: str, indent: str) -> str:
    """The call of a kernel for n blocks, which takes what is ``taken`` beside the key and its output."""
    if not _largest(kernels, n):
        return f"{indent}{function}(k, {taken}, out);\n"
    return (
        f"{indent}uint8_t *const to = streamed ? lines : out;\n"
        f"{indent}{function}(k, {taken}, to);\n"
        f"{indent}if (streamed)\n"
        f"{indent}    write_lines(out, lines, {n * kernels.block_bytes});\n"
    )


def not_streamed(kernels: Kernels) -> str:
    """The end of a condition that excludes streamed messages."""
    return " && !streamed" if kernels.long_bits else ""


def realigned(kernels: Kernels) -> str:
    """Statements that end streaming where a carry of the counter has left the output within a cache line."""
    if not kernels.long_bits:
        return ""
    return f"""\
        if (streamed && (uintptr_t)out % {LINE}) {{
            _mm_sfence();
            streamed = 0;
        }}
"""


def end(kernels: Kernels) -> str:
    """The fence that orders streaming stores before all that follow."""
    return "    if (streamed)\n        _mm_sfence();\n" if kernels.long_bits else ""


def _largest(kernels: Kernels, n: int) -> bool:
    return bool(kernels.long_bits) and n == kernels.sizes[0]
