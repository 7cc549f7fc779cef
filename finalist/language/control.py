"""Rounds, arrays and structured control flow."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.rewrite import substitute
from finalist.language.trace import ArrayState, Trace, builder, current, fail
from finalist.language.word import Word, as_word, word_type


def rounds(start: int, stop: int | None = None, step: int = 1) -> Iterator[int]:
    """As `range`, but each turn is marked as one round; unrolling, looping and pipelining use the marks."""
    turns = range(start) if stop is None else range(start, stop, step)
    trace = current()
    if trace.depth:
        raise fail("rounds() inside rounds(), loop() or when(); mark the outer one only")
    first = trace.builder.phase + 1
    done = 0
    try:
        for turn in turns:
            _name_locals(sys._getframe(1))
            trace.builder.phase = first + done
            trace.depth = 1
            done += 1
            yield turn
    finally:  # also where the definition leaves by `break`
        trace.depth = 0
        trace.rounds.append((first, done))
        trace.builder.phase = first + done


_UNNAMED = frozenset({Op.PARAM, Op.CONST, Op.LOAD})


def _name_locals(frame: FrameType) -> None:
    """Let the values that the definition has names for at a round's start keep them, for reading."""
    for name, value in frame.f_locals.items():
        parts = value if isinstance(value, list | tuple) else (value,)
        for place, part in enumerate(parts):
            if isinstance(part, Word) and part.node.op not in _UNNAMED and not part.node.name:
                part.node.name = name if part is value else f"{name}{place}_"


class Array:
    """``length`` words of ``width`` bits that can be read and written at computed places.

    ``a[i]`` and ``a[i] = x``; an index is taken modulo the length.
    """

    def __init__(self, length: int, width: int, values: Sequence[int] = ()) -> None:
        if not 1 <= length <= 1 << 16:
            raise fail(f"an array of {length!r} words; accepted: 1 to 65536")
        entries = tuple(values) or (0,) * length
        word_type(width)
        if len(entries) != length or min(entries) < 0 or max(entries) >= 1 << width:
            raise fail(f"an array of {length} words of {width} bits can't hold these {len(entries)} values")
        self._adopt(builder().array(entries, width))

    def _adopt(self, node: Node) -> None:
        self.state = ArrayState(node)
        current().arrays.append(self.state)

    @classmethod
    def of(cls, node: Node) -> Array:
        """The array of the definition for this node."""
        array = cls.__new__(cls)
        array._adopt(node)
        return array

    def __len__(self) -> int:
        return self.state.node.length

    @property
    def width(self) -> int:
        """Bits of an entry."""
        return self.state.node.width

    def _index(self, index: Word | int) -> Node:
        if isinstance(index, int) and not 0 <= index < len(self):
            raise fail(f"index {index} of an array of {len(self)} words")
        return as_word(index, 32).node

    def __getitem__(self, index: Word | int) -> Word:
        place = self._index(index)
        return Word(builder().make(Op.LOAD, (self.state.node, place)))

    def __setitem__(self, index: Word | int, value: Word | int) -> None:
        word = as_word(value, self.width)
        if word.width != self.width:
            raise fail(f"a word of {word.width} bits into an array of {self.width}-bit words")
        place = self._index(index)
        self.state.node = builder().make(Op.STORE, (self.state.node, place, word.node))


def loop(start: Word | int, stop: Word | int) -> Iterator[Word]:
    """``for i in loop(start, stop)``: a loop that stays a loop; traced once, i a word of 32 bits.

    What one turn hands to the next must be in an `Array`; a Python name rebound in the body would keep
    the value of the only turn that is traced, so using it afterwards is an error.
    """
    first, last = as_word(start, 32), as_word(stop, 32)
    if first.width != 32 or last.width != 32:
        raise fail("the bounds of a loop are words of 32 bits or integers")
    trace = current()
    index = trace.builder.param("index", word_type(32), "i")
    frame = sys._getframe(1)
    before = _words_of(frame)
    with _region(trace, Op.LOOP, (first.node, last.node), (index,)) as used:
        yield Word(index)
    for name, node in before.items():
        if _words_of(frame).get(name, node) is not node and node in used:
            raise fail(f"the loop reads {name!r} and rebinds it; what turns hand on must be in an Array")


def _words_of(frame: FrameType) -> dict[str, Node]:
    return {name: value.node for name, value in frame.f_locals.items() if isinstance(value, Word)}


@contextmanager
def when(condition: Word) -> Iterator[None]:
    """``with when(c):`` the writes to arrays made within happen where the one-bit c is 1."""
    if not isinstance(condition, Word) or condition.width != 1:
        raise fail("when() takes a one-bit word, such as a comparison")
    with _region(current(), Op.WHEN, (condition.node,), ()):
        yield


@contextmanager
def _region(
    trace: Trace, op: Op, inputs: tuple[Node, ...], leading: tuple[Node, ...]
) -> Iterator[set[Node]]:
    """Collect what is traced within as the region of a loop or conditional over the arrays alive."""
    make = trace.builder
    states = list(trace.arrays)
    before = [state.node for state in states]
    params = [make.param("carried", node.type, f"a{k}") for k, node in enumerate(before)]
    for state, param in zip(states, params, strict=True):
        state.node = param
    depth, trace.depth = trace.depth, trace.depth + 1
    used: set[Node] = set()
    yield used
    trace.depth = depth
    del trace.arrays[len(states) :]
    changed = [k for k, state in enumerate(states) if state.node is not params[k]]
    # An array that is only read inside stays outside: its parameter stands for the version before.
    region = _region_of(make, leading, params, states, changed, before)
    if not changed:
        raise fail(f"this {op.label} writes to no array, so it does nothing")
    used.update(region.free)
    node = make.make(op, (*inputs, *(before[k] for k in changed)), region)
    for state, old in zip(states, before, strict=True):
        state.node = old
    for k, result in zip(changed, make.results(node), strict=True):
        states[k].node = result


def _region_of(
    make: Builder,
    leading: tuple[Node, ...],
    params: list[Node],
    states: list[ArrayState],
    changed: list[int],
    before: list[Node],
) -> Region:
    own = (*leading, *(params[k] for k in changed))
    read_only = {params[k]: before[k] for k in range(len(params)) if k not in changed}
    results = [states[k].node for k in changed]
    return Region(own, substitute(results, read_only, make))
