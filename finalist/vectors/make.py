"""Known answers made by a definition itself, for one that has no published ones.

They are the interpreter's, so they say nothing of whether the definition is the cipher that was meant; they
hold what compilers make of it to it, and the next version of it to this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from finalist import api
from finalist.errors import VectorError
from finalist.language.cipher import Cipher
from finalist.schedule import Schedule
from finalist.vectors.load import KnownAnswer
from finalist.version import VERSION

#: The machine whose answers count.
REFERENCE = "interpreter"
#: Rows of a key length where no other number is asked for.
COUNT = 8
#: Bytes of a stream cipher's message, at least.
_MESSAGE = 32
_COLUMNS = 100


def usual_lengths(cipher: type[Cipher]) -> tuple[int, ...]:
    """Key lengths, in bits, that rows are made for: all; of a range the shortest, usual and longest."""
    every = tuple(cipher.key_bits)
    few = (every[0], cipher.usual_key_bits(), every[-1])
    return tuple(dict.fromkeys(every if isinstance(cipher.key_bits, tuple) else few))


def candidates(cipher: type[Cipher], key_bits: int, count: int = COUNT, seed: int = 1) -> list[KnownAnswer]:
    """``count`` known answers for keys of a length, those that tell most first.

    Key and block of bytes that all differ, which tell every order of bytes and words from every other; zeros;
    keys and blocks of one bit, the first and the last; then blocks under the first key and others at random,
    by ``seed``. Raises VectorError where decryption does not give back what was encrypted, and what
    `finalist.compile` raises.
    """
    size = cipher.block.bytes
    message = size * -(-_MESSAGE // size) if cipher.stateful else size
    given = _inputs(key_bits // 8, message, Random(seed))
    pairs = [next(given) for _ in range(count)]
    keys, blocks = [key for key, _ in pairs], [block for _, block in pairs]
    done = api.compile(cipher, REFERENCE, "encrypt", key_bits, Schedule()).run_many(keys, blocks)
    back = api.compile(cipher, REFERENCE, "decrypt", key_bits, Schedule()).run_many(keys, done)
    for key, block, secret, plain in zip(keys, blocks, done, back, strict=True):
        if plain != block:
            raise VectorError(
                f"{cipher.name()}, {key_bits}-bit keys: decryption does not undo encryption; under key"
                f" {key.hex()} block {block.hex()} becomes {secret.hex()}, and that {plain.hex()}"
            )
    rows = zip(keys, blocks, done, strict=True)
    return [KnownAnswer(*row, origin=f"own_vectors[{k}]", own=True) for k, row in enumerate(rows)]


def _inputs(key_bytes: int, size: int, numbers: Random) -> Iterator[tuple[bytes, bytes]]:
    """Keys and blocks, each pair once, without end."""
    key = bytes(i % 256 for i in range(key_bytes))
    # 17 is odd, so that up to 256 bytes differ, and so do their sums with those of the key.
    block = bytes(17 * i % 256 for i in range(size))
    first, last = b"\x80", b"\x01"
    yield key, block
    yield bytes(key_bytes), bytes(size)
    yield first.ljust(key_bytes, b"\0"), bytes(size)
    yield bytes(key_bytes), first.ljust(size, b"\0")
    yield last.rjust(key_bytes, b"\0"), bytes(size)
    yield bytes(key_bytes), last.rjust(size, b"\0")
    yield key, numbers.randbytes(size)
    while True:
        yield numbers.randbytes(key_bytes), numbers.randbytes(size)


def as_attribute(rows: Sequence[KnownAnswer], command: str) -> str:
    """The class attribute with these rows, to be put into the definition; ``command`` made them."""
    lines = [
        f"    #: Own, not published: made from this definition by Finalist {VERSION},",
        f"    #: {command}",
        "    own_vectors = [",
    ]
    bits = 0
    for row in rows:
        if len(row.key) * 8 != bits:
            bits = len(row.key) * 8
            lines.append(f"        # {bits}-bit keys")
        lines += _row([f'"{part.hex()}"' for part in (row.key, row.plaintext, row.ciphertext)])
    return "\n".join([*lines, "    ]"])


def _row(parts: list[str]) -> list[str]:
    whole = f"        ({', '.join(parts)}),"
    if len(whole) <= _COLUMNS:
        return [whole]
    return ["        (", *(f"            {part}," for part in parts), "        ),"]
