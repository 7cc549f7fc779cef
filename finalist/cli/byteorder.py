"""``finalist byteorder``."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, tables
from finalist.language.cipher import USUAL_KEY_BITS
from finalist.papers import byteorder as papers


def byteorder(
    cipher: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CIPHER]...",
            help="Names of ciphers or paths of definition files; those of the paper if none is given.",
            autocompletion=options.complete_cipher,
        ),
    ] = None,
    machine: options.MachineName = "interpreter",
    key_bits: Annotated[int, typer.Option(min=1, help="Length of the key in bits.")] = USUAL_KEY_BITS,
    target: options.Page = None,
    as_json: options.AsJson = False,
) -> None:
    """Find which re-ordering of bytes test vectors, as printed, need on a little-endian machine.

    Each is tried on the cipher's definition; the result is laid beside Gladman's table of 1999.
    """
    chosen = options.ciphers_of(cipher or list(papers.published()))
    renew = output.part_of(target, "finalist byteorder")
    found = []
    with output.progress(len(chosen)) as step:
        for one in chosen:
            step(f"{one.name()} {key_bits}")
            found.append(tables.of_comparison(papers.compare(one, key_bits, machine)))
    renew(tables.byte_orders_in_markdown(found))
    output.show_either(as_json, found, tables.byte_orders(found), target)
