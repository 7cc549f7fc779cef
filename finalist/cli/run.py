"""``finalist run``: what a cipher makes of a block."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import inputs, options, output
from finalist.schedule import parse_schedule
from finalist.vectors.make import REFERENCE


def run(
    cipher: options.CipherName,
    key: inputs.Key,
    block: inputs.Blocks,
    operation: options.Operation = options.DEFAULT_OPERATION,
    machine: Annotated[
        str | None,
        typer.Option(
            help=f"See `finalist machines`; else the {REFERENCE}, or with -s {options.DEFAULT_MACHINE}.",
            autocompletion=options.complete_machine,
        ),
    ] = None,
    schedule: options.Choices = None,
    as_json: options.AsJson = False,
) -> None:
    """Encrypt or decrypt blocks given in hex, on any machine, and print what comes in hex.

    A line for each --block: each may hold several blocks (ECB); of a stream cipher each is a message of its
    own. Lengths that a cipher does not have are answered with those that it has.
    """
    definition = find_cipher(cipher)
    secret, given = inputs.key_of(definition, key), inputs.blocks_of(definition, block)
    chosen = machine or (options.DEFAULT_MACHINE if schedule else REFERENCE)
    options.operations_of(operation)
    program = api.compile(definition, chosen, operation, len(secret) * 8, parse_schedule(schedule or ()))
    found = [program.run(secret, data).output.hex() for data in given]
    if not as_json:
        typer.echo("\n".join(found))
        return
    told = {"cipher": program.cipher, "definition": identity(definition), "operation": operation}
    told |= {"machine": chosen, "schedule": str(program.schedule)}
    rows = [{"input": data.hex(), "output": text} for data, text in zip(given, found, strict=True)]
    output.show_json(told | {"key_bits": program.key_bits, "key": secret.hex(), "blocks": rows})
