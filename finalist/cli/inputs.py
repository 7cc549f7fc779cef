"""Keys and blocks as they are given on the command line."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from finalist.errors import DataError, KeyLengthError
from finalist.language.cipher import Cipher

Key = Annotated[
    str, typer.Option("--key", metavar="HEX", help="The key in hex, the leftmost byte at the lowest address.")
]
Blocks = Annotated[
    list[str],
    typer.Option(
        "--block",
        metavar="HEX",
        help="A block in hex, or several; of a stream cipher a message. May be repeated.",
    ),
]


def bytes_of(option: str, text: str) -> bytes:
    """The bytes that an option gives in hex; blanks, colons, underscores and a leading 0x are no matter.

    Raises DataError.
    """
    digits = re.sub(r"[\s:_]|^0[xX]", "", text)
    try:
        return bytes.fromhex(digits)
    except ValueError as error:
        raise DataError(f"{option} {text!r}; accepted: pairs of hex digits") from error


def key_of(definition: type[Cipher], text: str) -> bytes:
    """The key. Raises KeyLengthError, with the lengths that the cipher has, or DataError."""
    key = bytes_of("--key", text)
    if len(key) * 8 not in definition.key_bits:
        accepted = definition.key_sizes(unit=8)
        raise KeyLengthError(f"key of {len(key)} bytes; {definition.name()} accepts {accepted}")
    return key


def blocks_of(definition: type[Cipher], texts: list[str]) -> list[bytes]:
    """The blocks, or messages of whole blocks, one for each text. Raises DataError."""
    size, found = definition.block.bytes, [bytes_of("--block", text) for text in texts]
    for data in found:
        if not data or len(data) % size:
            raise DataError(
                f"block of {len(data)} bytes; {definition.name()} accepts {size}, or a multiple of that"
            )
    return found
