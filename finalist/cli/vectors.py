"""``finalist vectors``: known answers for a definition that has no published ones."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import options, output
from finalist.errors import KeyLengthError
from finalist.vectors import make


def vectors(
    cipher: options.CipherName,
    key_bits: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Length of the key in bits; may be repeated. Else all, of a range three."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Rows for each key length.")] = make.COUNT,
    seed: Annotated[int, typer.Option(help="Another number draws other random keys and blocks.")] = 1,
    as_json: options.AsJson = False,
) -> None:
    """Make known answers from a definition, to be put into it: its own, not published.

    Keys and blocks of bytes that all differ, of zeros, of one bit, and random ones, encrypted by the
    interpreter, decrypted again. With them `bench`, `tune`, `cycles` and `emit` hold programs to the
    definition; whatever they show is marked, since nothing says that the definition is right.
    """
    definition = find_cipher(cipher)
    lengths = tuple(dict.fromkeys(key_bits or make.usual_lengths(definition)))
    for bits in lengths:
        if bits not in definition.key_bits:
            accepted = definition.key_sizes()
            raise KeyLengthError(f"{definition.name()} has no {bits}-bit keys; accepted: {accepted}")
    rows = [row for bits in lengths for row in make.candidates(definition, bits, count, seed)]
    if as_json:
        listed = [[row.key.hex(), row.plaintext.hex(), row.ciphertext.hex()] for row in rows]
        output.show_json({"definition": identity(definition), "seed": seed, "own_vectors": listed})
        return
    asked = [f"--key-bits={bits}" for bits in key_bits or ()]
    asked += [f"--count={count}"] * (count != make.COUNT) + [f"--seed={seed}"] * (seed != 1)
    typer.echo(make.as_attribute(rows, shlex.join(["finalist", "vectors", cipher, *asked])))
