"""The functions that callers see of cipher feedback (CFB) and output feedback (OFB); NIST SP 800-38A.

Both encrypt the shift register that `iv` holds, whichever way the message goes, and both take any number of
bytes. Where the last segment was begun but not filled, `iv` ends in the rest of its key stream: a caller who
keeps a message in parts adds that to the bytes that follow (and, in cipher feedback, puts ciphertext in its
place), and has the register that the next segment begins with.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.machines.native.text.drivers import begun, chain_begins, chained_calls, head, memory
from finalist.machines.native.text.kernels import Kernels


def ofb(kernels: Kernels) -> str:
    """Output feedback, both ways, by a kernel of one block."""

    def block(now: str | int) -> list[str]:
        return [f"{kernels.last}(k, chain, chain);", f"xor_bytes(out, in, chain, {now});"]

    return _chain(kernels, kernels.block_bytes, block)


def cfb_encrypt(kernels: Kernels) -> str:
    """Cipher feedback of whole blocks, encryption: by a kernel of one block that XORs."""
    size = kernels.block_bytes
    return f"""\
{head(kernels, "iv", "bytes")}
{{
    uint8_t part[{size}] = {{0}};
    const uint8_t *chain = iv;
    for (; bytes >= {size}; bytes -= {size}, in += {size}, out += {size}) {{
        {kernels.last}(k, in, chain, out);
        chain = out;
    }}
    memcpy(iv, chain, {size});
    if (bytes) {{
        memcpy(part, in, bytes);
        {kernels.last}(k, part, iv, iv);
        memcpy(out, iv, bytes);
    }}
}}
"""


def cfb_encrypt_in_memory(kernels: Kernels, segment: int) -> str:
    """Cipher feedback of ``segment`` bytes, encryption: block after block, by a kernel of one."""
    size = kernels.block_bytes

    def lines(now: str | int) -> list[str]:
        shift = f"memmove(chain, chain + {segment}, {size - segment});"
        return [
            f"uint8_t stream[{size}];",
            f"{kernels.last}(k, chain, stream);",
            f"xor_bytes(stream, stream, in, {now});",
            *([shift] if segment < size else []),
            f"memcpy(chain + {size - segment}, stream, {segment});",
            f"memcpy(out, stream, {now});",
        ]

    return _chain(kernels, segment, lines)


def _chain(kernels: Kernels, segment: int, lines: Callable[[str | int], list[str]]) -> str:
    """A function that goes segment after segment; ``lines``: statements of one, and of a last part of one."""
    size = kernels.block_bytes
    turn = "".join(f"        {line}\n" for line in lines(segment))
    rest = "".join(f"        {line}\n" for line in lines("bytes"))
    return f"""\
{head(kernels, "iv", "bytes")}
{{
    uint8_t chain[{size}];
    memcpy(chain, iv, {size});
    for (; bytes >= {segment}; bytes -= {segment}, in += {segment}, out += {segment}) {{
{turn}    }}
{f"    if (bytes) {{{chr(10)}{rest}    }}{chr(10)}" if segment > 1 else ""}    memcpy(iv, chain, {size});
}}
"""


def cfb_decrypt(kernels: Kernels, chain_bytes: int) -> str:
    """Cipher feedback of whole blocks, decryption, by kernels that XOR.

    ``chain_bytes``: those that they take at `chain`.
    """
    size = kernels.block_bytes
    begin = chain_begins(kernels, chain_bytes, "bytes", 1)
    calls = chained_calls(kernels, chain_bytes, "bytes", 1)
    return f"""\
{head(kernels, "iv", "bytes")}
{{
{begin}{calls}    if (bytes) {{
        uint8_t last[{kernels.last_bytes}] = {{0}}, plain[{kernels.last_bytes}];
        memcpy(last, in, bytes);
{begun(size, chain_bytes, "last")}        {kernels.last}(k, last, chain, plain);
        memcpy(out, plain, bytes);
        /* Ciphertext, then key stream that was not used. */
        memcpy(plain, last, bytes);
        memcpy(chain, plain + (bytes - 1) / {size} * {size}, {size});
    }}
    memcpy(iv, chain, {size});
}}
"""


def cfb_decrypt_in_memory(kernels: Kernels, segment: int) -> str:
    """Cipher feedback of ``segment`` bytes, decryption, by kernels that only encrypt: many registers at once.

    The registers of all segments are windows on the ciphertext, each ``segment`` bytes past the one before.
    """
    size, most = kernels.block_bytes, kernels.sizes[0]
    loops = "".join(_chunks(kernels, n, segment) for n in kernels.sizes)
    return f"""\
{head(kernels, "iv", "bytes")}
{{
    uint8_t chain[{size + most * segment}] = {{0}};
    {memory("stream", most * size)} = {{0}};
    memcpy(chain, iv, {size});
{loops}    memcpy(iv, chain, {size});
}}
"""


def _chunks(kernels: Kernels, n: int, segment: int) -> str:
    size, taken = kernels.block_bytes, n * segment
    last = n == kernels.sizes[-1]
    windows, source, together = "", "chain", ""
    if segment < size:
        loop = f"        for (size_t i = 0; {segment} * i < now; i++)\n"
        windows = f"{loop}            memcpy(stream + {size} * i, chain + {segment} * i, {size});\n"
        together = f"{loop}            memmove(stream + {segment} * i, stream + {size} * i, {segment});\n"
        source = "stream"
    return f"""\
    while (bytes{"" if last else f" >= {taken}"}) {{
        const size_t now = {f"bytes < {taken} ? bytes : {taken}" if last else taken};
        const size_t whole = (now + {segment - 1}) / {segment} * {segment};
        memcpy(chain + {size}, in, now);
{windows}        {kernels.name}_{n}(k, {source}, stream);
{together}        xor_bytes(out, in, stream, now);
        memcpy(chain + {size} + now, stream + now, whole - now);
        memmove(chain, chain + whole, {size});
        bytes -= now, in += now, out += now;
    }}
"""
