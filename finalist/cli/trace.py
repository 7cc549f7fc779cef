"""``finalist trace``: every value that a definition has a name for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import inputs, options, output
from finalist.cli.commands import FAILED
from finalist.errors import DataError, UnknownNameError, reason
from finalist.vectors.compare import RESULT, Compared, compare, lines, parse, published
from finalist.vectors.intermediate import KEY_SCHEDULE, ROUND_KEYS, Named, Way, way

LAYOUTS = ("definition", "published")
#: Words of a value that are printed; a table of the key has thousands.
_MOST = 64


def trace(
    cipher: options.CipherName,
    key: inputs.Key,
    block: inputs.Blocks,
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_schedule: Annotated[
        bool, typer.Option("--key-schedule", help="Also every named value of the key schedule.")
    ] = False,
    states: Annotated[
        bool, typer.Option("--states", help="No more than the state after each round.")
    ] = False,
    layout: Annotated[
        str | None,
        typer.Option(
            help="definition: by the definition's own names; published: as the cipher's publication prints"
            " them, which is what is shown where the definition says how."
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="A file with values of somebody else, `name = hex` below `round N`, or what this command"
            " prints: the first that differs is named."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the values on the way from a block to its ciphertext, by the definition's own names.

    The round keys; then, round by round, what is assigned to names, what functions return, and, marked with
    an asterisk, the state that the next round goes on from. Words are printed as numbers, bytes one after
    the other.
    """
    definition = find_cipher(cipher)
    options.operations_of(operation)
    chosen = _layout(layout, definition.intermediate is not None, key_schedule or states)
    secret, given = inputs.key_of(definition, key), b"".join(inputs.blocks_of(definition, block))
    found = way(definition, operation, secret, given, key_schedule=key_schedule)
    if against is not None:
        _compare(found, against, as_json)
    elif as_json:
        records = [_record(one, definition.intermediate is not None) for one in found]
        output.show_json(records[0] if len(records) == 1 else records)
    elif chosen == LAYOUTS[1] and definition.intermediate:
        typer.echo("\n\n".join("\n".join(lines(one, definition.intermediate)) for one in found))
    else:
        typer.echo("\n\n".join("\n".join(_lines(one, states)) for one in found))
    if found[0].hidden and against is None:
        output.say(
            f"{found[0].hidden} values in loop(), when() and keyed functions have no value of their own"
        )


def _layout(asked: str | None, declared: bool, own: bool) -> str:
    if asked not in (None, *LAYOUTS):
        raise UnknownNameError(f"unknown layout {asked!r}; accepted: {', '.join(LAYOUTS)}")
    if asked == LAYOUTS[1] and not declared:
        raise UnknownNameError("the definition does not say how its publication prints values (intermediate)")
    return asked or LAYOUTS[declared and not own]


# -- showing -------------------------------------------------------------------------------------------


def _lines(found: Way, states: bool) -> Iterator[str]:
    name = found.cipher.name()
    yield f"# {name}, {found.operation}, {len(found.key) * 8}-bit key; * is what the next round goes on from"
    yield f"key = {found.key.hex()}"
    yield f"input = {found.given.hex()}"
    section = ""
    for one in found.values:
        if states and not one.state:
            continue
        if one.section != section:
            section = one.section
            yield f"\n{section}"
        yield f"  {'*' if one.state else ' '} {one.name} = {_text(one)}"
    yield f"\n{RESULT}"
    yield f"    output = {found.output.hex()}"


def _text(one: Named) -> str:
    if len(one.words) <= _MOST:
        return one.hex
    digits = -(-one.bits // 4)
    first = " ".join(f"{word:0{digits}x}" for word in one.words[:4])
    return f"{first} ...  # {len(one.words)} words; --json has all"


def _record(found: Way, declared: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "cipher": found.cipher.name(),
        "definition": identity(found.cipher),
        "operation": found.operation,
        "key": found.key.hex(),
        "input": found.given.hex(),
        "output": found.output.hex(),
        "values": [_value(one) for one in found.values],
    }
    if declared and found.cipher.intermediate:
        entries = published(found, found.cipher.intermediate)
        record["published"] = [{"round": k, "name": name, "hex": one.hex} for k, name, one in entries]
    return record


def _value(one: Named) -> dict[str, Any]:
    kept = ("section", "name", "kind", "bits", "state", "line")
    fields = asdict(one)
    return {name: fields[name] for name in kept} | {"hex": one.hex}


# -- comparing -----------------------------------------------------------------------------------------


def _compare(found: list[Way], path: Path, as_json: bool) -> None:
    """Names the first value that differs; exit code 1 if one does. Raises DataError."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} can't be read: {reason(error)}") from error
    if len(found) != 1:
        raise DataError(f"{len(found)} blocks; with --against one is accepted")
    compared = compare(found[0], parse(text, found[0].cipher.intermediate))
    if not compared.agreed and compared.difference is None:
        had = {one.name: None for one in found[0].values if one.section not in (KEY_SCHEDULE, ROUND_KEYS)}
        raise DataError(f"{path} has no value that the definition has a name for; accepted: {', '.join(had)}")
    if as_json:
        output.show_json(asdict(compared))
    else:
        typer.echo(_told(compared, path))
    if compared.difference is not None:
        raise typer.Exit(FAILED)


def _told(compared: Compared, path: Path) -> str:
    parts = [f"{compared.agreed} values agree"]
    if compared.difference is not None:
        parts = [f"{path}: {compared.difference}", f"{compared.agreed} values before it agree"]
    if compared.unknown:
        parts.append(f"not compared, since the definition has no such names: {', '.join(compared.unknown)}")
    return "\n".join(parts)
