"""The C files of a library's own test: each cipher's vectors and functions, and the list of ciphers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from finalist.errors import VectorError
from finalist.export.code import comment
from finalist.export.identity import Identity
from finalist.export.interface import Function, functions_of
from finalist.export.parts import Plan
from finalist.language.cipher import Cipher
from finalist.machines.native.text.names import c_name
from finalist.vectors.load import HOW_TO_BRING, KnownAnswer, vectors_of


def rows_of(cipher: type[Cipher], lengths: Collection[int]) -> list[KnownAnswer]:
    """The vectors of key lengths in bits. Raises VectorError if a length has none."""
    rows = [row for row in vectors_of(cipher) if len(row.key) * 8 in lengths]
    without = sorted(set(lengths) - {len(row.key) * 8 for row in rows})
    if without:
        raise VectorError(
            f"{cipher.name()} has no vectors for {without[0]}-bit keys, and unchecked code is not exported;"
            f" {HOW_TO_BRING}"
        )
    return rows


def test_text(identity: Identity, cipher: type[Cipher], plans: Sequence[Plan]) -> str:
    """The file with what is tested of a cipher."""
    rows = rows_of(cipher, {way.key_bits for plan in plans for way in plan.ways})
    lengths = sorted({way.key_bits // 8 for plan in plans for way in plan.ways})
    name, own = identity.stem(cipher), c_name(cipher.name())
    functions = [function for plan in plans for function in functions_of(cipher, plan)]
    adaptors = [_adaptor(name, function) for function in functions]
    own_rows = "\n".join(map(_row, rows))
    return (
        comment([f"What is tested of {cipher.name()}: {_told(rows)}, and its functions."])
        + f'#include "check.h"\n#include "{name}.h"\n\n'
        + f"static const struct vector vectors[] = {{\n{own_rows}\n}};\n\n"
        + f"static const size_t key_lengths[] = {{{', '.join(map(str, lengths))}, 0}};\n\n"
        + "\n".join(adaptors)
        + f"\nextern const struct cipher cipher_{own};\nconst struct cipher cipher_{own} = {{\n"
        + f'    .name = "{cipher.name()}",\n    .block_bytes = {cipher.block.bytes},\n'
        + "".join(
            f"    .{plan.operation}_key_bytes = sizeof({name}_{plan.operation}_key),\n" for plan in plans
        )
        + f"    .stateful = {int(cipher.stateful)},\n    .key_lengths = key_lengths,\n"
        + "    .vectors = vectors,\n"
        + "    .vector_count = sizeof vectors / sizeof vectors[0],\n"
        + "".join(f"    .{function.suffix} = {function.suffix},\n" for function in functions)
        + "};\n"
    )


def _told(rows: Sequence[KnownAnswer]) -> str:
    """What vectors these are."""
    return "its own vectors, not published" if all(row.own for row in rows) else "its published vectors"


def _row(row: KnownAnswer) -> str:
    origin = row.origin.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return (
        f'    {{"{origin}",\n     "{row.key.hex()}",\n     "{row.plaintext.hex()}",\n'
        f'     "{row.ciphertext.hex()}", {row.offset}}},'
    )


def _adaptor(name: str, function: Function) -> str:
    """The function with a context of any type."""
    parameters = (
        function.parameters.format(key="KEY").replace("const KEY", "KEY").replace("KEY *key", "void *key")
    )
    names = ", ".join(part.rpartition(" ")[2].lstrip("*") for part in parameters.split(", "))
    call = f"{name}_{function.suffix}({names});"
    return f"static int {function.suffix}({parameters})\n{{\n    return {call}\n}}\n"


def list_text(ciphers: Iterable[str]) -> str:
    """The file with the list of all ciphers, by their names."""
    names = [f"cipher_{c_name(name)}" for name in ciphers]
    declared = "".join(f"extern const struct cipher {name};\n" for name in names)
    listed = "".join(f"    &{name},\n" for name in names)
    return (
        comment(["The ciphers of this library."])
        + f'#include "check.h"\n\n{declared}\nextern const struct cipher *const ciphers[];\n'
        + f"const struct cipher *const ciphers[] = {{\n{listed}    0,\n}};\n"
    )
