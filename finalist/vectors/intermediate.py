"""The values that a cipher has on the way from a block to its ciphertext, under the definition's own names.

They are the interpreter's, of the definition as it is traced, so they are what every machine has to come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from finalist.ir.execute import Bytes, expand_keys, merge, split
from finalist.ir.graph import Graph, Node, operands
from finalist.ir.interpreter import Value as Words
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.watched import reachable, values
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.language.watch import BOUND, GIVEN, RETURNED, STATE, Event, Watcher, nodes_of

#: Sections that are no round.
KEY_SCHEDULE, ROUND_KEYS, BEFORE, AFTER = (
    "key schedule",
    "round keys",
    "before the rounds",
    "after the rounds",
)


#: Words of the key from which on they are no round key, but all of them.
_MANY = 16


@dataclass(frozen=True, slots=True)
class Named:
    """A value: ``words`` of so many ``bits``, or the entries of an array.

    ``section``: what `of_phase` says, or `KEY_SCHEDULE` or `ROUND_KEYS`. ``kind``, ``line``: as an event has
    them; ``number``: the round as publications count, 0 before the first. ``state``: whether it is part of
    what the next round goes on from. ``full``: the name that `finalist.language.Intermediate` has for it;
    ``same``: a number that values have in common which are one and the same in the graph.
    """

    section: str
    number: int
    kind: str
    name: str
    words: tuple[int, ...]
    bits: int
    line: str = ""
    state: bool = False
    full: str = ""
    same: int = 0

    @property
    def hex(self) -> str:
        """Bytes one after the other, wider words apart, each as a number, the highest digit first."""
        digits = -(-self.bits // 4)
        return ("" if self.bits == 8 else " ").join(f"{word:0{digits}x}" for word in self.words)


@dataclass(frozen=True, slots=True)
class Way:
    """All values of one block (of a stream cipher: of one step) under one key.

    ``raw``: every event, for `finalist.vectors.compare`; ``hidden``: how many values lie in loops,
    conditions and keyed functions, where they have none of their own.
    """

    cipher: type[Cipher]
    operation: str
    key: bytes
    given: bytes
    output: bytes
    values: tuple[Named, ...]
    raw: tuple[Named, ...]
    hidden: int


def way(
    cipher: type[Cipher], operation: str, key: bytes, data: bytes, *, key_schedule: bool = False
) -> list[Way]:
    """The values of each block of ``data``, whole blocks, under ``key``, of a length that the cipher has.

    With ``key_schedule`` also those of the names in the key schedule. Raises DefinitionError.
    """
    watchers = (Watcher(cipher) if key_schedule else None, Watcher(cipher))
    program = trace(cipher, operation, len(key) * 8, watchers)
    expanded = expand_keys(program, _row(key))
    before = _key_schedule(watchers[0], program, key) if watchers[0] else _Shown((), (), 0)
    found, size = [], program.block.bytes
    for start in range(0, len(data), size):
        block = data[start : start + size]
        output, own, expanded = _block(cipher, operation, program, watchers[1], block, expanded)
        shown = (*before.values, *own.values)
        found.append(Way(cipher, operation, key, block, output, shown, own.raw, before.hidden + own.hidden))
    return found


def _row(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8)[None, :]


@dataclass(frozen=True, slots=True)
class _Shown:
    values: tuple[Named, ...]
    raw: tuple[Named, ...]
    hidden: int


def _key_schedule(watcher: Watcher, program: Program, key: bytes) -> _Shown:
    graph = program.expand
    events = [event for event in watcher.events if event.kind in (BOUND, RETURNED)]
    had = reachable((node for event in events for node in event.nodes), graph)
    known = values(graph, split(program.key, _row(key)), had)[1]
    kept = [event for event in events if had.issuperset(event.nodes)]
    named = tuple(_named(event, known, KEY_SCHEDULE, 0, _qualified(event)) for event in _short(kept))
    return _Shown(named, (), len(events) - len(kept))


def _block(
    cipher: type[Cipher], operation: str, program: Program, watcher: Watcher, block: bytes, keys: list[Words]
) -> tuple[bytes, _Shown, list[Words]]:
    """The output, the values, and the keys (of a stream cipher its state) for the block after."""
    graph = program.kernel
    every = [node for event in watcher.events for node in event.nodes]
    had = reachable([*every, *nodes_of(watcher.keys)], graph)
    results, known = values(graph, [*split(program.block, _row(block)), *keys], had)
    kept = [event for event in watcher.events if had.issuperset(event.nodes)]
    state = _state(graph, kept)
    count = program.block.count
    left = iter(results[count:])
    after = [next(left) if p.attr == "state" else k for p, k in zip(graph.params[count:], keys, strict=True)]
    hidden = sum(e.kind in (BOUND, RETURNED) for e in watcher.events) - sum(
        e.kind in (BOUND, RETURNED) for e in kept
    )
    raw = tuple(_of_event(event, known, watcher) for event in kept if event.kind != STATE or event in state)
    named = (
        *_round_keys(cipher, operation, watcher.keys, known),
        *(_of_event(event, known, watcher, event in state) for event in _shown(graph, kept, state)),
    )
    output = merge(program.block, results[:count], 1).tobytes()
    return output, _Shown(named, raw, hidden), after


# -- which events are shown ----------------------------------------------------------------------------


def _state(graph: Graph, events: Sequence[Event]) -> set[Event]:
    """Of what is known at round boundaries, what depends on the block and is used afterwards.

    Of two names for the same words the later one counts.
    """
    last: dict[Node, int] = {}
    for node in graph.body:
        for child in operands(node):
            last[child] = max(last.get(child, 0), node.serial)
    last |= dict.fromkeys(graph.results, 1 << 62)
    secret = _of_block(graph)
    found: set[Event] = set()
    covered: dict[int, set[Node]] = {}
    for event in reversed(events):
        if event.kind == STATE:
            live = {n for n in event.nodes if n in secret and last.get(n, 0) > event.mark}
            if live - covered.setdefault(event.mark, set()):
                found.add(event)
                covered[event.mark] |= live
    return found


def _of_block(graph: Graph) -> set[Node]:
    """What depends on the block, or on a stream cipher's state."""
    found = {param for param in graph.params if param.attr in ("memory", "state")}
    for node in graph.body:
        if not found.isdisjoint(operands(node)):
            found.add(node)
    return found


def _shown(graph: Graph, events: Sequence[Event], state: set[Event]) -> Iterator[Event]:
    """The state, and what is new to the reader: what was not shown under another name, nor is the whole key.

    An assignment of what is the state as the round ends is left to that.
    """
    secret, seen = _of_block(graph), set[Node]()
    ends = {(event.phase, event.function, event.name, event.nodes) for event in state}
    for event in _short(events):
        if event.kind == STATE and event not in state:
            continue
        if event.kind == BOUND and (event.phase, event.function, event.name, event.nodes) in ends:
            continue
        new = not seen.issuperset(event.nodes) and any(node.op is not Op.CONST for node in event.nodes)
        whole_key = len(event.nodes) > _MANY and secret.isdisjoint(event.nodes)
        given = event.kind == GIVEN and event.depth == 1
        new = new or (event.kind == BOUND and event.depth == 1)
        if event.kind in (STATE, RETURNED) or (new and not whole_key and not given):
            yield event
            seen.update(event.nodes)
        elif given:
            seen.update(node for node in event.nodes if node in secret)


def _short(events: Sequence[Event]) -> Iterator[Event]:
    """Without what a function returns where that is given a name at once."""
    for k, event in enumerate(events):
        after = events[k + 1] if k + 1 < len(events) else None
        named = after is not None and after.kind == BOUND and after.nodes == event.nodes
        if event.kind != RETURNED or (event.depth > 1 and not named):
            yield event


# -- values --------------------------------------------------------------------------------------------


def _of_event(event: Event, known: dict[Node, Words], watcher: Watcher, state: bool = False) -> Named:
    section = of_phase(event.phase, watcher.turns)
    return _named(event, known, section, event.phase, _qualified(event), state)


def of_phase(phase: int, turns: dict[int, tuple[int, int]]) -> str:
    """``round 3``, as the definition counts; where it has several loops of rounds ``loop 2 round 3``."""
    several = max((loop for loop, _ in turns.values()), default=1) > 1
    if phase in turns:
        loop, turn = turns[phase]
        return f"loop {loop} round {turn}" if several else f"round {turn}"
    later = [turns[one][0] for one in turns if one > phase]
    if later:
        return f"before loop {min(later)}" if several else BEFORE
    return AFTER if turns else "the operation"


def _qualified(event: Event) -> str:
    if event.kind == RETURNED:
        return f"{event.function}()"
    return event.name if event.depth == 1 or event.kind == STATE else f"{event.function}.{event.name}"


def _named(
    event: Event, known: dict[Node, Words], section: str, number: int, name: str, state: bool = False
) -> Named:
    words, bits = _words(event.nodes, known)
    full = {GIVEN: f"{event.function}.{event.name}", RETURNED: event.function, STATE: "rounds"}
    same = hash(tuple(node.serial for node in event.nodes))
    return Named(
        section, number, event.kind, name, words, bits, event.line, state, full.get(event.kind, ""), same
    )


def _words(nodes: Iterable[Node], known: dict[Node, Words]) -> tuple[tuple[int, ...], int]:
    """The numbers, and of how many bits the widest is."""
    listed = list(nodes)
    found = [int(one) for node in listed for one in np.ravel(known[node])]
    return tuple(found), max(node.width for node in listed)


def _round_keys(cipher: type[Cipher], operation: str, keys: Any, known: dict[Node, Words]) -> Iterator[Named]:
    """What the key schedule has handed on, by the name that the operation has for it."""
    method = getattr(cipher, "key_stream" if cipher.stateful else operation)
    own = list(signature(method).parameters)[-1]
    for name, part in _parts(own, keys):
        nodes = nodes_of(part)
        if nodes and all(node in known for node in nodes):
            words, bits = _words(nodes, known)
            yield Named(ROUND_KEYS, 0, BOUND, name, words, bits)


def _parts(name: str, keys: Any) -> Iterator[tuple[str, Any]]:
    """The outermost items, each by the Python that reads it."""
    if isinstance(keys, dict):
        for key, part in keys.items():
            yield from _parts(f"{name}[{key!r}]", part)
    elif isinstance(keys, list | tuple):
        yield from ((f"{name}[{k}]", part) for k, part in enumerate(keys))
    else:
        yield name, keys
