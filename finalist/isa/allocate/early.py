"""Copies of words in memory are made as early as they can be, so that the place of what is copied is free
again for what comes after it.

What a loop hands on is copied at the end of an iteration; often where it goes has not been needed for long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from finalist.isa.allocate.tidy import (
    Location,
    accesses,
    live_at_ends,
    reads,
    words_read,
    words_written,
    writes,
)
from finalist.isa.code import Block, Cell, Ins


def with_early_copies(
    blocks: Sequence[Block], late: Iterable[int] = (), homes: Mapping[int, int] | None = None
) -> None:
    """Changes the blocks; ``late``: words that are copied to where that stands; ``homes``: the bytes of words
    that have one for good, which may be another word's before."""
    there: dict[int, set[int]] = {}
    for word, home in (homes or {}).items():
        there.setdefault(home, set()).add(word)
    alike = {word: words for words in there.values() for word in words}
    ends = live_at_ends(blocks)
    for block in blocks:
        live = _live(block.body, ends[block.label])
        for place in range(1, len(block.body)):
            if _is_copy(block.body, place) and not set(late) & set(writes(block.body[place])):
                _move(block.body, place, live, alike)


def _is_copy(body: Sequence[Ins], place: int) -> bool:
    load, store = body[place - 1], body[place]
    first, second = accesses(load.instruction), accesses(store.instruction)
    return (
        len(first.loads) == 1
        and not (first.read or first.stores or second.loads)
        and len(second.stores) == 1
        and second.read <= first.written
        and isinstance(load.operands[first.loads[0]], Cell)
        and isinstance(store.operands[second.stores[0]], Cell)
    )


def _move(body: list[Ins], place: int, live: list[set[str]], alike: Mapping[int, set[int]]) -> None:
    """Moves a copy up as far as it can be, and the registers that are ``live`` before each instruction; not
    beyond words that are in the byte that it goes to (``alike``)."""
    pair = body[place - 1 : place + 1]
    source = next(word for word in reads(pair[0]) if isinstance(word, int))
    target = next(word for word in writes(pair[1]) if isinstance(word, int))
    targets = alike.get(target, {target})
    changed = {file for ins in pair for file in writes(ins) if isinstance(file, str)}
    handed_on = place + 1 < len(body) and source in writes(body[place + 1])
    if handed_on or live[place + 1] & changed:
        return
    first = place - 1
    for k in range(place - 2, -1, -1):
        written = words_written(body[k])
        if (
            source in written
            or not targets.isdisjoint(written)
            or not targets.isdisjoint(words_read(body[k]))
        ):
            break
        if not live[k] & changed:
            first = k
    if first < place - 1:
        stored = {file for file in reads(pair[1]) if isinstance(file, str)}
        body[first : place + 1] = [*pair, *body[first : place - 1]]
        live[first : place + 1] = [live[first], live[first] | stored, *live[first : place - 1]]


def _live(body: Sequence[Ins], live_at_end: set[Location]) -> list[set[str]]:
    """The registers that are live before each instruction, and at the end."""
    live = {file for file in live_at_end if isinstance(file, str)}
    found = [set(live)]
    for ins in reversed(body):
        live.difference_update(file for file in writes(ins) if isinstance(file, str))
        live.update(file for file in reads(ins) if isinstance(file, str))
        found.append(set(live))
    return found[::-1]
