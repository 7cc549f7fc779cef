"""The functions that callers see: whole messages in a mode of operation, around kernels of so many blocks.

Modes: NIST SP 800-38A. Where a layout is no `finalist.machines.native.text.blocks.Direct`, counters, key
stream and XORs go through memory beside the kernel.
"""

from __future__ import annotations

from dataclasses import replace

from finalist.machines.native.text import counting, long_messages
from finalist.machines.native.text.blocks import LOW_BYTES
from finalist.machines.native.text.kernels import Kernels
from finalist.machines.native.text.long_messages import LINE
from finalist.machines.native.whole_blocks.grouped import GROUP

#: For functions that a small one calls: inlined there, they get another register allocation than in a file by
#: themselves, and Blowfish's kernel has 5 % more loads.
APART = "__attribute__((noinline)) "
#: Cache lines of a kernel's memory from which on it begins at one.
_LINES = 8


# -- ECB -----------------------------------------------------------------------------------------------


def ecb(kernels: Kernels) -> str:
    """Each block by itself."""
    return (
        f"{head(kernels, '', 'blocks')}\n{{\n"
        + long_messages.begin(kernels, "", "blocks", kernels.block_bytes)
        + long_messages.uncached_flag(kernels, "blocks", kernels.block_bytes)
        + "".join(_whole_calls(kernels))
        + long_messages.end(kernels)
        + _last_blocks(kernels)
        + "}\n"
    )


def chain(kernels: Kernels) -> str:
    """Blocks that wait for one another. Messages of at least a kernel's chain go to a function of their own:
    it saves registers, which before a single block takes longer than the rest of it."""
    most = kernels.sizes[0]
    many = replace(kernels, public=f"{kernels.public}_many", linkage=f"static {APART}")
    loops = _whole_calls(kernels)
    return (
        f"{head(many, '', 'blocks')}\n{{\n{''.join(loops)}}}\n\n{head(kernels, '', 'blocks')}\n{{\n"
        f"    if (blocks >= {most}) {{\n        {many.public}(k, in, out, blocks);\n        return;\n    }}\n"
        f"{loops[-1]}}}\n"
    )


def _whole_calls(kernels: Kernels) -> list[str]:
    texts = []
    for n in kernels.sizes:
        step = _advance("blocks", n, n * kernels.block_bytes)
        head = f"    for (; {_enough('blocks', n)}; {step})"
        call = long_messages.call(kernels, n, f"{kernels.name}_{n}", "in", " " * 8)
        before, counted = long_messages.prefetches(kernels, n, " " * 8), _counted(kernels, str(n))
        apart = _POINTERS if n == 1 else ""
        whole = f"{head} {{\n{before}{call}{counted}{apart}    }}\n"
        texts.append(whole if before or counted or apart else f"{head}\n{call}")
    return texts


#: CPUs forward a block that was just stored to the next call's loads without a wait (memory renaming) where
#: these have a register for their address; compilers would make it a base and an index that both share.
_POINTERS = """\
        /* Two pointers, not an index: a block that was just stored is loaded sooner. */
        __asm__("" : "+r"(in));
        __asm__("" : "+r"(out));
"""


def _counted(kernels: Kernels, blocks: str) -> str:
    """The statement after a call for so many blocks, which moves counters on."""
    return f"        {kernels.step}(k, {blocks});\n" if kernels.step else ""


def _last_blocks(kernels: Kernels) -> str:
    if kernels.sizes[-1] == 1:
        return ""
    size = kernels.block_bytes
    return f"""\
    if (blocks) {{
        uint8_t last[{kernels.last_bytes}] = {{0}};
        memcpy(last, in, blocks * {size});
        {kernels.last}(k, last, last);
        memcpy(out, last, blocks * {size});
{_counted(kernels, "blocks")}    }}
"""


# -- CTR -----------------------------------------------------------------------------------------------


#: Bytes of a message that a table of first rounds pays for.
_LONG = 32768


def ctr(kernels: Kernels, counter_bits: int, vector: str = "") -> str:
    """Counter mode by kernels that count: those of a call may differ in their last ``counter_bits``.

    ``vector``: the type of what the first round makes of counters, where that is looked up as
    `finalist.machines.native.whole_blocks.grouped` has it.
    """
    size = kernels.block_bytes
    narrow = counter_bits < 8 * min(LOW_BYTES, size)
    left = f"UINT{counter_bits}_MAX - (uint{counter_bits}_t)low" if narrow else "UINT64_MAX - low"
    calls = ""
    for n in kernels.sizes:
        taken = n * size
        call = long_messages.call(kernels, n, f"{kernels.name}_{n}", "counter, low, in", " " * 12)
        calls += f"        for (; now >= {taken}; {_advance('now', taken)}, low += {n})"
        calls += f" {{\n{call}        }}\n" if call.count("\n") > 1 else f"\n{call}"
    aligned, groups = (_aligned(kernels), _groups(kernels, vector)) if vector else ("", "")
    return f"""\
{head(kernels, "counter", "bytes")}
{{
{long_messages.begin(kernels, "counter", "bytes", 1)}    uint64_t low = low_of(counter, {size});
    while (bytes) {{
        /* The counters of the next blocks differ only in the bits that a kernel counts in. */
        const uint64_t left = {left};
        size_t now = bytes / {size} > left ? (size_t)(left + 1) * {size} : bytes;
{long_messages.realigned(kernels)}{aligned}        bytes -= now;
{groups}{calls}        if (now) {{
            uint8_t last[{kernels.last_bytes}] = {{0}};
            memcpy(last, in, now);
            {kernels.last}(k, counter, low, last, last);
            memcpy(out, last, now);
            low += (now + {size - 1}) / {size};
            in += now;
            out += now;
        }}
        if (!low)
            carry(counter, {size});
    }}
{long_messages.end(kernels)}    set_low(counter, {size}, low);
}}
"""


def _aligned(kernels: Kernels) -> str:
    """Statements by which the counters of a long message come to a last byte of zero."""
    return f"""\
        /* The first round of counters that differ in their last byte alone is looked up. */
        if (now >= {_LONG} && low % {GROUP}{long_messages.not_streamed(kernels)})
            now = ({GROUP} - low % {GROUP}) * {kernels.block_bytes};
"""


def _groups(kernels: Kernels, kind: str) -> str:
    """Statements that do as many blocks at a time as a last byte has values."""
    size, own = kernels.block_bytes, kernels.name
    n, group = kernels.sizes[0], GROUP * size
    taken = n * size
    return f"""\
        if (now >= {_LONG}{long_messages.not_streamed(kernels)}) {{
            uint8_t table[{group}];
            {own}_table(k, table);
            {kind} base = {own}_first(k, counter, low);
            for (; now >= {group}; now -= {group}, low += {GROUP}) {{
                const {kind} next = {own}_first(k, counter, low + {GROUP});
                for (size_t at = 0; at < {group}; at += {taken}, in += {taken}, out += {taken})
                    {own}_rest_{n}(k, base, table + at, in, out);
                base = next;
            }}
        }}
"""


def memory(name: str, size: int) -> str:
    """The declaration of memory that kernels work on: where vectors may fill it, at a cache line, since each
    that lies in two takes as long as two."""
    return f"{f'_Alignas({LINE}) ' if size >= _LINES * LINE else ''}uint8_t {name}[{size}]"


def ctr_in_memory(kernels: Kernels) -> str:
    """Counter mode by kernels that only encrypt: counters are written, encrypted in place, and XORed."""
    size = kernels.block_bytes
    most = kernels.sizes[0] * size
    loops = "".join(_ctr_chunks(kernels, n) for n in kernels.sizes)
    return f"""\
{counting.helper(size, most)}{head(kernels, "counter", "bytes")}
{{
    uint64_t low = low_of(counter, {size});
    {memory("stream", most)} = {{0}};
{loops}    set_low(counter, {size}, low);
}}
"""


def _ctr_chunks(kernels: Kernels, n: int) -> str:
    size, taken = kernels.block_bytes, n * kernels.block_bytes
    last = n == kernels.sizes[-1]
    return f"""\
    while (bytes{"" if last else f" >= {taken}"}) {{
        const size_t now = {f"bytes < {taken} ? bytes : {taken}" if last else taken};
{counting.written(size, kernels.sizes[0] * size)}        {kernels.name}_{n}(k, stream, stream);
        xor_bytes(out, in, stream, now);
        {_advance("bytes", "now")};
    }}
"""


# -- CBC -----------------------------------------------------------------------------------------------


def cbc_decrypt(kernels: Kernels, chain_bytes: int) -> str:
    """Cipher block chaining by kernels that XOR; ``chain_bytes``: those that they take at `chain`."""
    begin = chain_begins(kernels, chain_bytes, "blocks", kernels.block_bytes)
    calls = chained_calls(kernels, chain_bytes, "blocks", kernels.block_bytes) + _last_chained(
        kernels, chain_bytes
    )
    return f"""\
{head(kernels, "iv", "blocks")}
{{
{begin}{calls}    memcpy(iv, chain, {kernels.block_bytes});
}}
"""


def chain_begins(kernels: Kernels, chain_bytes: int, left: str, unit: int) -> str:
    """What kernels take at `chain`, and the block that the next call takes there, which in place is lost.

    ``left``, ``unit``: what is counted, and bytes of one.
    """
    size = kernels.block_bytes
    return f"""\
{long_messages.begin(kernels, "iv", left, unit)}    uint8_t chain[{chain_bytes}], next[{size}];
    memcpy(chain, iv, {size});
"""


def chained_calls(kernels: Kernels, chain_bytes: int, left: str, unit: int) -> str:
    """Calls for all that fills one; ``left``, ``unit``: as of `chain_begins`."""
    size = kernels.block_bytes
    calls = long_messages.uncached_flag(kernels, left, unit, long_messages.READ_TWICE)
    for n in kernels.sizes:
        before = long_messages.prefetches(kernels, n, " " * 8) + begun(size, chain_bytes, "in")
        call = long_messages.call(kernels, n, f"{kernels.name}_{n}", "in, chain", " " * 8)
        units = n * size // unit
        calls += f"""\
    for (; {_enough(left, units)}; {_advance(left, units, n * size)}) {{
{before}        memcpy(next, in{f" + {(n - 1) * size}" if n > 1 else ""}, {size});
{call}        memcpy(chain, next, {size});
    }}
"""
    return calls + long_messages.end(kernels)


def begun(size: int, chain_bytes: int, source: str) -> str:
    """What is read at `chain` beside a block: the beginning of the blocks that a kernel works on."""
    more = chain_bytes - size
    return f"        memcpy(chain + {size}, {source}, {more});\n" if more else ""


def _last_chained(kernels: Kernels, chain_bytes: int) -> str:
    if kernels.sizes[-1] == 1:
        return ""
    size = kernels.block_bytes
    return f"""\
    if (blocks) {{
        uint8_t last[{kernels.last_bytes}] = {{0}};
        memcpy(last, in, blocks * {size});
        memcpy(next, last + blocks * {size} - {size}, {size});
{begun(size, chain_bytes, "last")}        {kernels.last}(k, last, chain, last);
        memcpy(out, last, blocks * {size});
        memcpy(chain, next, {size});
    }}
"""


def cbc_decrypt_in_memory(kernels: Kernels) -> str:
    """Cipher block chaining by kernels that only decrypt."""
    size = kernels.block_bytes
    loops = "".join(_cbc_chunks(kernels, n) for n in kernels.sizes)
    return f"""\
{head(kernels, "iv", "blocks")}
{{
    uint8_t chain[{size} + {kernels.sizes[0] * size}] = {{0}};
    {memory("plain", kernels.sizes[0] * size)};
    memcpy(chain, iv, {size});
{loops}    memcpy(iv, chain, {size});
}}
"""


def _cbc_chunks(kernels: Kernels, n: int) -> str:
    size = kernels.block_bytes
    last = n == kernels.sizes[-1]
    return f"""\
    while (blocks{"" if last else f" >= {n}"}) {{
        const size_t now = {size} * {f"(blocks < {n} ? blocks : {n})" if last else n};
        memcpy(chain + {size}, in, now);
        {kernels.name}_{n}(k, chain + {size}, plain);
        xor_bytes(out, plain, chain, now);
        memcpy(chain, chain + now, {size});
        {_advance("blocks", f"now / {size}", "now")};
    }}
"""


def cbc_encrypt(kernels: Kernels, begin: list[str], turn: list[str], end: list[str]) -> str:
    """Cipher block chaining in registers: statements before the loop, of one block, and after."""
    size = kernels.block_bytes
    lines = [*begin, f"    for (; blocks; {_advance('blocks', 1, size)}) {{", *turn, "    }", *end]
    return f"{head(kernels, 'iv', 'blocks')}\n{{\n" + "\n".join(lines) + "\n}\n"


def cbc_encrypt_in_memory(kernels: Kernels) -> str:
    """Cipher block chaining by a kernel of one block."""
    size = kernels.block_bytes
    return f"""\
{head(kernels, "iv", "blocks")}
{{
    for (; blocks; {_advance("blocks", 1, size)}) {{
        xor_bytes(iv, iv, in, {size});
        {kernels.last}(k, iv, iv);
        memcpy(out, iv, {size});
    }}
}}
"""


def head(kernels: Kernels, state: str, count: str) -> str:
    """The driver's declaration; ``state``: what it goes on from, if anything; ``count``: of what it is
    given how many."""
    more = f"uint8_t *{state}, " if state else ""
    given = f"{kernels.key}, {more}const uint8_t *in, uint8_t *out, size_t {count}"
    return f"{kernels.linkage}void {kernels.public}({given})"


def _enough(left: str, count: int) -> str:
    return f"{left} >= {count}" if count > 1 else left


def _advance(left: str, count: int | str, size: int | str = "") -> str:
    """Past so many bytes of input and output, and so much less left."""
    size = size or count
    return f"{left}{'--' if count == 1 else f' -= {count}'}, in += {size}, out += {size}"
