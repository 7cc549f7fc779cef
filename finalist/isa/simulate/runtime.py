"""The C around a translated program: state, memory, and the functions that meanings ask for."""

from __future__ import annotations

from finalist.isa.simulate.render import TYPES, Renderer, array_of, lanes, mul_high, type_of
from finalist.isa.target.data_cache import DataCache
from finalist.isa.target.processor import Processor


def before(processor: Processor, order: str, renderer: Renderer, kinds: int = 1) -> str:
    """Types, state, memory and functions; ``order`` of bytes in memory; ``kinds``: of accesses, by which a
    cache's hits and misses are counted."""
    width, cached = processor.width, processor.cache is not None
    sizes = (size for size in (1, 2, 4, 8, 16) if size == 1 or size * 8 <= max(width, 64))
    return _HEAD.format(
        type=TYPES[width],
        files="\n".join(
            f"    {type_of(file.width)} {array_of(name)}[{file.count}];"
            for name, file in processor.files.items()
        ),
        banks=max(processor.banks, 1),
        entries=processor.entries,
        cache=_cache_state(processor.cache, kinds),
        memory=_touch(processor.cache)
        + "\n".join(_access(size, order, processor.aligned, cached) for size in sizes),
        mul_high=mul_high(width),
        lanes=lanes(width),
        fixed=renderer.fixed(),
    )


def registers(processor: Processor, *, back: bool = False) -> str:
    """Statements that bring all registers from the state, or ``back`` there."""
    lines = []
    for name, file in processor.files.items():
        array = array_of(name)
        if not back:
            lines.append(f"    {type_of(file.width)} {array}[{file.count}];")
        to, source = (f"s->{array}", array) if back else (array, f"s->{array}")
        lines.append(f"    memcpy({to}, {source}, sizeof {array});")
    return "\n".join(lines)


def collide(processor: Processor) -> str:
    """A function that says whether two accesses in a cycle meet in a bank of memory; none for flat memory."""
    banks = processor.interleaved
    if banks is None:
        return ""
    apart = f"if (a / {banks.block} != b / {banks.block}) return 0;" if banks.block else ""
    other = " && k != l" if banks.together else ""
    return f"""static int collide(uint64_t a, unsigned m, uint64_t b, unsigned n)
{{
    {apart}
    for (uint64_t k = a / {banks.bytes}; k <= (a + m - 1) / {banks.bytes}; k++)
        for (uint64_t l = b / {banks.bytes}; l <= (b + n - 1) / {banks.bytes}; l++)
            if (k % {banks.count} == l % {banks.count}{other}) return 1;
    return 0;
}}"""


def _cache_state(cache: DataCache | None, kinds: int) -> str:
    """What the state has of a cache: the lines that are there, set by set, the latest used first."""
    if cache is None:
        return ""
    lines = cache.sets * cache.ways
    return f"\n    uint64_t kind, there[{lines}], hits[{kinds}], misses[{kinds}];"


def _touch(cache: DataCache | None) -> str:
    """A function that asks the cache for the lines of an access. A line has its number, plus 1, in its set;
    it goes to the front, and those before it, or all of them where it was not there, move back by one."""
    if cache is None:
        return ""
    return f"""static inline void touch(struct state *s, uint64_t at, unsigned size)
{{
    for (uint64_t line = at / {cache.line}; line <= (at + size - 1) / {cache.line}; line++) {{
        uint64_t *set = s->there + line % {cache.sets} * {cache.ways}, moved = line + 1;
        int hit = 0;
        for (int way = 0; way < {cache.ways} && !hit; way++) {{
            uint64_t old = set[way];
            set[way] = moved;
            hit = old == line + 1;
            moved = old;
        }}
        (hit ? s->hits : s->misses)[s->kind]++;
    }}
}}
"""


def _access(size: int, order: str, aligned: bool, cached: bool) -> str:
    bits = 8 * size
    bad = f"at > s->limit - {size}" + (f" || at % {size}" if aligned and size > 1 else "")
    kind = type_of(bits)
    swap = order == "big" and size > 1
    turn = f"swapped{bits}" if swap else ""
    helper, touch = "", f"\n    touch(s, at, {size});" if cached else ""
    if swap:
        inner = f"__builtin_bswap{bits}(x)" if bits < 128 else _SWAPPED_128
        helper = f"static inline {kind} {turn}({kind} x)\n{{\n    return {inner};\n}}\n"
    return f"""{helper}static inline {kind} load{bits}(struct state *s, uint64_t at)
{{
    {kind} x;
    if ({bad}) {{ s->fault = at; s->bad = 1; return 0; }}{touch}
    memcpy(&x, s->memory + at, {size});
    return {turn}(x);
}}
static inline void store{bits}(struct state *s, uint64_t at, {kind} value)
{{
    {kind} x = {turn}(value);
    if ({bad}) {{ s->fault = at; s->bad = 1; return; }}{touch}
    memcpy(s->memory + at, &x, {size});
}}"""


_SWAPPED_128 = (
    "(unsigned __int128)__builtin_bswap64((uint64_t)x) << 64 | __builtin_bswap64((uint64_t)(x >> 64))"
)

_HEAD = """#include <stdint.h>
#include <string.h>
typedef {type} W;
struct state {{
{files}
    W bank[{banks}][{entries}];
    uint8_t *memory;
    uint64_t limit, fault, bad;{cache}
}} __attribute__((packed));
{memory}
{mul_high}
{lanes}
{fixed}
int finalist_run(struct state *s, uint8_t *memory, uint64_t limit, uint64_t *n, uint64_t pc, uint64_t left);
"""
