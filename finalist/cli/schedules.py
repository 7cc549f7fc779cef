"""``finalist schedules``: what may be chosen for a cipher on a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.console import RenderableType

from finalist.cli import options, output, tables
from finalist.errors import either
from finalist.tuning import legal
from finalist.tuning.legal import Choice, Schedules, Value


def schedules(
    cipher: options.CipherName,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    as_json: options.AsJson = False,
) -> None:
    """List what -s takes for a cipher on a machine: each word, what is legal, the default, what is refused.

    Each value is tried with all other words left open; where it is refused, the table says why, and with
    what else it would be legal.
    """
    options.operations_of(operation)
    with output.progress(legal.count(machine)) as step:
        found = legal.schedules(cipher, machine, operation, key_bits, step=step)
    output.show_either(as_json, asdict(found), _shown(found))


def _shown(found: Schedules) -> Iterator[RenderableType]:
    """The default; a row for each value of each word; where to read more."""
    yield f"{found.cipher} {found.operation}, {found.key_bits}-bit keys, {found.machine}"
    yield f"default: {found.default}"
    if not found.words:
        yield "This machine takes no schedule."
        return
    table = tables.plain(["word", "value", "here", "what it changes, or why it is refused"])
    for choice in found.words:
        for row in _rows(choice):
            table.add_row(*row)
        table.add_section()
    yield table


def _rows(choice: Choice) -> Iterator[tuple[str, str, str, str]]:
    """What the word is about, and what is taken by default; then the values, those that are legal first."""
    reasons = {one.reason for one in choice.values}
    if len(reasons) == 1 and not choice.legal:
        yield choice.word, "", "", choice.says
        yield "", "any", "refused", _refusal(choice.values[0])
        return
    yield choice.word, "", "", f"{choice.says}; by default {choice.why}"
    if choice.default is not None and choice.default not in choice.legal:
        yield "", choice.default, "default", ""
    for one in choice.values:
        if one.legal:
            yield "", one.value or "yes", "default" if one.value == choice.default else "legal", one.says
    for one in choice.values:
        if not one.legal:
            yield "", one.value or "yes", "refused", _refusal(one)
    if choice.others:
        yield "", "...", "", choice.others


def _refusal(one: Value) -> str:
    return one.reason + (f"; legal with {either(one.legal_with)}" if one.legal_with else "")
