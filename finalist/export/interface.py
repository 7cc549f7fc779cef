"""The public functions of a cipher, and the header that declares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.export.code import comment, wrapped
from finalist.export.identity import Identity
from finalist.export.levels import Level
from finalist.export.parts import Plan
from finalist.language.cipher import Cipher
from finalist.licence import SPDX_LINE
from finalist.passes.timing import worst
from finalist.version import VERSION

_RETURNS = (
    "Returns 0; or -1 if `key` is all zeros, as one is that was refused, or if a pointer is null: then `out`,"
    " where it is not null, is all zeros."
)


_PARTS = (
    "Parts of a message may be decrypted by several threads: each begins with a copy of the ciphertext block"
    " before it, which in place is made before any of them writes. "
)

_REFUSED = (
    "Returns 0; or -1 if there are no keys of that length, or a pointer is null: then `key`, where it is not"
    " null, is all zeros, and no function takes it."
)


@dataclass(frozen=True, slots=True)
class Function:
    """A public function, which returns an error code: its declaration and body, with places for names, and
    what a caller has to know."""

    suffix: str
    parameters: str
    statements: str
    about: str

    def head(self, name: str, operation: str) -> str:
        """The declaration, without a semicolon."""
        parameters = self.parameters.format(key=f"{name}_{operation}_key")
        return f"int {name}_{self.suffix}({parameters})"

    def body(self, prefix: str, operation: str, block_bytes: int) -> str:
        """The statements."""
        return self.statements.format(prefix=prefix, ways=f"{operation}_ways", size=block_bytes)


def functions_of(cipher: type[Cipher], plan: Plan) -> Sequence[Function]:
    """The public functions of an operation."""
    operation = plan.operation
    if cipher.stateful:
        return _set_key(operation), _stream(operation)
    keys = (_set_key(operation), _set_key_for(operation))
    own = {"ecb": (_blocks(operation),), "ctr": (_CTR, _CTR_PART), "cbc": (_CBC[operation],)}
    return *keys, *(function for mode in plan.modes for function in own[mode])


def _setting(message: str) -> str:
    """The statements of a key set-up for messages of so many bytes, an expression."""
    return f"return {{prefix}}_set_key(key, bytes, length, {message}, &{{ways}});"


def _set_key(operation: str) -> Function:
    return Function(
        f"set_{operation}_key",
        "{key} *key, const uint8_t *bytes, size_t length",
        _setting("(size_t)-1"),
        f"Make `key` ready from `length` bytes, for messages of any length. {_REFUSED}",
    )


def _set_key_for(operation: str) -> Function:
    chains = " CBC goes by single blocks: `message` is one." if operation == "encrypt" else ""
    return Function(
        f"set_{operation}_key_for",
        "{key} *key, const uint8_t *bytes, size_t length, size_t message",
        _setting("message"),
        "The same for about `message` bytes in one call, if there are no others under this key: any message"
        " is done as well, but no program is made ready that would not pay for this one."
        f"{chains} {_REFUSED}",
    )


def _stream(operation: str) -> Function:
    return Function(
        f"{operation}_blocks",
        "{key} *key, const uint8_t *in, uint8_t *out, size_t blocks",
        "return {prefix}_stream(key, in, out, blocks, &{ways});",
        f"The next blocks of a message, any number of them; `key` goes on to those that follow. {_RETURNS}",
    )


def _blocks(operation: str) -> Function:
    return Function(
        f"{operation}_blocks",
        "const {key} *key, const uint8_t *in, uint8_t *out, size_t blocks",
        "return {prefix}_crypt(key, in, out, blocks, &{ways});",
        "Any number of blocks, each by itself (ECB), so that several threads may work on parts of a message. "
        + _RETURNS,
    )


_CTR = Function(
    "ctr",
    "const {key} *key, uint8_t *counter, const uint8_t *in, uint8_t *out, size_t bytes",
    "return {prefix}_count(key, counter, in, out, bytes, {size});",
    "Counter mode on any number of bytes, both ways. `counter` is a block, a big-endian number: that of the"
    f" first block, and after the call that of the first block that was not begun. {_RETURNS}",
)

_CTR_PART = Function(
    "ctr_part",
    "const {key} *key, const uint8_t *counter, uint64_t before,"
    " const uint8_t *in, uint8_t *out, size_t bytes",
    "uint8_t own[{size}];\n"
    "    return {prefix}_count_part(key, counter, own, before, in, out, bytes, {size});",
    "A part of a message in counter mode, for several threads to work on one: that of `bytes` bytes at `in`,"
    " with `before` blocks of the message before it. `counter` is that of the message's first block, and is"
    f" not changed. {_RETURNS}",
)


def _chained(operation: str, function: str) -> Function:
    return Function(
        f"cbc_{operation}",
        "const {key} *key, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks",
        f"return {{prefix}}_{function}(key, iv, in, out, blocks, {{size}});",
        "Cipher block chaining of any number of blocks. `iv` is a block, and becomes the last one of"
        f" ciphertext. {_PARTS if operation == 'decrypt' else ''}{_RETURNS}",
    )


_CBC = {"encrypt": _chained("encrypt", "chain"), "decrypt": _chained("decrypt", "unchain")}


def header_text(identity: Identity, cipher: type[Cipher], plans: Sequence[Plan]) -> str:
    """The header of a cipher."""
    name = identity.stem(cipher)
    size = f"#define {name.upper()}_BLOCK_BYTES {cipher.block.bytes}\n"
    types = "\n".join(_key_type(identity, cipher, plan) for plan in plans)
    functions = "\n".join(_declarations(identity, cipher, plan) for plan in plans)
    guard = f"{name.upper()}_H"
    return (
        f"{_head(identity, cipher, plans)}#ifndef {guard}\n#define {guard}\n\n"
        f'#include "{identity.prefix}.h"\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n'
        f"{size}\n{types}\n{functions}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )


def _head(identity: Identity, cipher: type[Cipher], plans: Sequence[Plan]) -> str:
    facts = cipher.facts
    known = f"Security: {facts.state}. {facts.analysis}" if facts else ""
    lengths = sorted({way.key_bits // 8 for plan in plans for way in plan.ways})
    levels = dict.fromkeys(way.level for plan in plans for way in plan.ways)
    return comment(
        [
            cipher.summary() or cipher.name(),
            *([known] if known else []),
            f"Generated by Finalist {VERSION}; do not edit.",
            "",
            f"  {identity.command}",
            "",
            f"Keys of {', '.join(map(str, lengths))} bytes; blocks of {cipher.block.bytes}"
            f" byte{'s' if cipher.block.bytes > 1 else ''}. All memory at any alignment, but key contexts as"
            " their type has it. `in` and `out` may be the same buffer, but may not overlap otherwise. Key"
            " contexts are plain data: they may be copied, are good in this process alone, and want"
            f" {identity.prefix}_wipe when they have served.",
            "Timing, by level, of key set-up and blocks:",
            *(f"  {level.name}: {_timing(plans, level)}" for level in levels),
            SPDX_LINE,
        ]
    )


def _timing(plans: Sequence[Plan], level: Level) -> str:
    """The worst labels of a level's programs."""
    ways = [way for plan in plans for way in plan.ways if way.level is level]
    labels = [p.parts for way in ways for part in way.parts for p in part.programs]
    key, kernel = worst(*(p.key_schedule for p in labels)), worst(*(p.kernel for p in labels))
    return key if key == kernel else f"{key}; {kernel}"


def _key_type(identity: Identity, cipher: type[Cipher], plan: Plan) -> str:
    name = f"{identity.stem(cipher)}_{plan.operation}_key"
    return (
        f"/* A key made ready to {plan.operation}. */\n"
        "typedef struct {\n    const void *set;\n    union {\n        uint64_t alignment;\n"
        f"        uint8_t bytes[{plan.key_bytes}];\n    }} expanded;\n}} {name};\n"
        "/* Its size, for languages that do not read this header. */\n"
        f"{identity.macro}_API extern const size_t {name}_bytes;\n"
    )


def _declarations(identity: Identity, cipher: type[Cipher], plan: Plan) -> str:
    return "\n".join(
        comment([function.about])
        + wrapped(
            f"{identity.macro}_API {identity.macro}_CHECK"
            f" {function.head(identity.stem(cipher), plan.operation)};"
        )
        + "\n"
        for function in functions_of(cipher, plan)
    )
