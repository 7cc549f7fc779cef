"""Intermediate values as a cipher's publication prints them, which its definition declares."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from finalist.language.cipher import Intermediate
from finalist.language.watch import STATE
from finalist.vectors.intermediate import Named, Way

#: The number of a round, the publication's name, the value.
Entry = tuple[int, str, Named]


def published(way: Way, layout: Intermediate) -> list[Entry]:
    """The values that the publication prints, in the order in which they are made.

    What is known by several names one after the other goes by the last of them.
    """
    names = layout.encrypt if way.operation == "encrypt" else layout.decrypt
    found = [(_number(one), names[one.full], one) for one in way.raw if one.full in names]
    return [a for a, b in pairwise([*found, None]) if a and not (b and a[2].same == b[2].same)]


def _number(value: Named) -> int:
    """What ends a round is what the next one starts from."""
    return value.number + (value.kind == STATE)


def lines(way: Way, layout: Intermediate) -> Iterator[str]:
    """The same as text."""
    head = layout.encrypt_head if way.operation == "encrypt" else layout.decrypt_head
    if head:
        yield head.format(key=way.key.hex(), input=way.given.hex())
    for number, name, value in published(way, layout):
        yield layout.line.format(round=number, name=name, value=value.hex)
