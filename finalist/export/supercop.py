"""Programs in SUPERCOP's folders (bench.cr.yp.to): `crypto_stream` in counter mode, `crypto_core` for blocks.

`crypto_OPERATION/CIPHERBITSctr/finalist-LEVEL/`: `api.h` with the sizes, one C file that defines the
operation's functions, `implementors`, and where it is for one kind of processor `architectures`. SUPERCOP
compiles each with every compiler and keeps those that compile, so a level's file says what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.export.code import comment, guard
from finalist.export.levels import Level
from finalist.export.parts import Part, Plan
from finalist.language.cipher import Cipher
from finalist.licence import SPDX_LINE
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.emit import emit_part
from finalist.machines.native.text.names import c_name
from finalist.version import VERSION

_ARCHITECTURE = "amd64\n"


def supercop_files(command: str, cipher: type[Cipher], plans: Sequence[Plan]) -> Mapping[str, str]:
    """The texts of a block cipher, by path."""
    texts: dict[str, str] = {}
    for plan in plans:
        for way in plan.ways:
            first, last = way.parts[0], way.parts[-1]
            one = next(program for program in first.programs if program.key_bits == way.key_bits)
            if first.level is way.level:
                texts |= dict(_core(command, cipher, first, one))
            if plan.operation == "encrypt":
                many = next(program for program in last.programs if program.key_bits == way.key_bits)
                texts |= dict(_stream(command, cipher, last, many))
    return texts


def _stream(
    command: str, cipher: type[Cipher], part: Part, program: NativeProgram
) -> Iterator[tuple[str, str]]:
    own = c_name(cipher.name())
    sizes = {"KEYBYTES": program.key_bits // 8, "NONCEBYTES": cipher.block.bytes}
    functions = f"""\
int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                      const unsigned char *n, const unsigned char *k)
{{
    {own}_key key;
    uint8_t counter[{cipher.block.bytes}];
    memcpy(counter, n, sizeof counter);
    {own}_expand_key_{program.key_bits}(k, &key);
    {own}_ctr(&key, counter, m, c, mlen);
    return 0;
}}

int crypto_stream(unsigned char *c, unsigned long long clen, const unsigned char *n, const unsigned char *k)
{{
    {own}_key key;
    uint8_t counter[{cipher.block.bytes}];
    memcpy(counter, n, sizeof counter);
    {own}_expand_key_{program.key_bits}(k, &key);
    memset(c, 0, clen);
    {own}_ctr(&key, counter, c, c, clen);
    return 0;
}}
"""
    primitive = f"crypto_stream/{own}{program.key_bits}ctr"
    about = f"{_title(cipher)}, {program.key_bits}-bit keys, counter mode; its first block is the nonce"
    yield from _folder(command, cipher, part, program, primitive, "stream", ("ctr",), sizes, functions, about)


def _core(
    command: str, cipher: type[Cipher], part: Part, program: NativeProgram
) -> Iterator[tuple[str, str]]:
    own, size = c_name(cipher.name()), cipher.block.bytes
    sizes = {"OUTPUTBYTES": size, "INPUTBYTES": size, "KEYBYTES": program.key_bits // 8, "CONSTBYTES": 0}
    functions = f"""\
int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k, const unsigned char *c)
{{
    {own}_key key;
    (void)c;
    {own}_expand_key_{program.key_bits}(k, &key);
    {own}_{program.operation}(&key, in, out, 1);
    return 0;
}}
"""
    primitive = f"crypto_core/{own}{program.key_bits}{program.operation}"
    about = f"{_title(cipher)} with {program.key_bits}-bit keys, one block, {program.operation}"
    yield from _folder(command, cipher, part, program, primitive, "core", ("ecb",), sizes, functions, about)


def _folder(
    command: str,
    cipher: type[Cipher],
    part: Part,
    program: NativeProgram,
    primitive: str,
    operation: str,
    modes: tuple[str, ...],
    sizes: Mapping[str, int],
    functions: str,
    about: str,
) -> Iterator[tuple[str, str]]:
    """The files of one implementation, and those of what it implements."""
    folder = f"{primitive}/finalist-{part.level.name}"
    body = emit_part(
        program.program, program.shape, program.schedule, program.parts, modes, [program.program]
    )
    head = _head(command, about, part.level, program)
    pieces = [head, guard(part.level), f'#include "crypto_{operation}.h"\n', body, functions]
    yield f"{folder}/{operation}.c", "\n".join(piece for piece in pieces if piece)
    yield f"{folder}/api.h", "".join(f"#define CRYPTO_{name} {value}\n" for name, value in sizes.items())
    yield f"{folder}/implementors", f"Finalist {VERSION} (generated)\n"
    if part.level.flags:
        yield f"{folder}/architectures", _ARCHITECTURE
    yield f"{primitive}/description", f"{about}\n"
    yield f"{primitive}/designers", f"{cipher.facts.designers if cipher.facts else 'unknown'}\n"


def _title(cipher: type[Cipher]) -> str:
    return cipher.facts.title if cipher.facts else cipher.name()


def _head(command: str, about: str, level: Level, program: NativeProgram) -> str:
    return comment(
        [
            f"{about}, for {level.summary}. Generated by Finalist {VERSION}; do not edit.",
            "",
            f"  {command}",
            "",
            f"Schedule: {program.schedule}.",
            f"Timing: key schedule {program.parts.key_schedule}, kernel {program.parts.kernel}.",
            SPDX_LINE,
        ]
    )
