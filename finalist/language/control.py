"""Rounds, arrays and structured control flow."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from finalist.errors import DefinitionError
from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region, operands
from finalist.ir.ops import Op
from finalist.ir.rewrite import substitute
from finalist.language.trace import ArrayState, Trace, builder, current, definition_frame, fail, here
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
            if trace.watcher is not None:
                trace.watcher.boundary(sys._getframe(1), first + done, (len(trace.rounds) + 1, turn))
            trace.builder.phase = first + done
            trace.depth = 1
            done += 1
            yield turn
    finally:  # also where the definition leaves by `break`
        trace.depth = 0
        trace.rounds.append((first, done))
        trace.builder.phase = first + done
        if trace.watcher is not None:
            trace.watcher.boundary(sys._getframe(1), first + done, None)


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
    def holding(cls, words: Sequence[Word]) -> Array:
        """An array of these words, which all have one width."""
        if not words or not all(isinstance(word, Word) for word in words):
            raise fail("Array.holding takes at least one word, and words only")
        array = cls(len(words), words[0].width)
        for place, word in enumerate(words):
            array[place] = word
        return array

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

    def __iter__(self) -> Iterator[Word]:
        return (self[place] for place in range(len(self)))

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
    the value of the only turn that is traced, so reading it in the next turn or afterwards is an error.
    """
    first, last = as_word(start, 32), as_word(stop, 32)
    if first.width != 32 or last.width != 32:
        raise fail("the bounds of a loop are words of 32 bits or integers")
    trace = current()
    index = trace.builder.param("index", word_type(32), "i")
    names = _Names(trace, index)
    try:
        with _region(trace, Op.LOOP, (first.node, last.node), (index,)) as results:
            yield Word(index)
    except GeneratorExit:  # Python allows no error here, so the trace is told
        trace.fault = DefinitionError("break or return inside loop(); its turns are all alike", names.line)
        raise
    names.refuse_handing_on(results)
    names.retire()


class _Names:
    """The words that a function of the definition has names for, before and after a region."""

    def __init__(self, trace: Trace, mark: Node) -> None:
        self.make = trace.builder
        self.frame = definition_frame()
        self.line = here()
        self.mark = mark
        self.before = {name: (word, word.node) for name, word in _words_of(self.frame).items()}
        for name, (word, node) in self.before.items():
            if node.op is Op.CONST:  # a node of its own, so that reading it is told from a literal
                word.node = Node(Op.CONST, (), node.type, node.attr, line=node.line)
                self.before[name] = (word, word.node)

    def rebound(self) -> dict[str, Word]:
        """The names that stand for another word now, or for one for the first time."""
        after = _words_of(self.frame).items()
        return {n: word for n, word in after if n not in self.before or self.before[n][0] is not word}

    def refuse_handing_on(self, results: list[Node]) -> None:
        """An error if a name is read in the region, and rebound for the turn after."""
        rebound = self.rebound()
        read = self._read([*results, *(word.node for word in rebound.values())])
        for name in rebound:
            if name in self.before and self.before[name][1] in read:
                what = f"the loop reads {name!r} and rebinds it; what turns hand on must be in an Array"
                raise DefinitionError(what, self.line)

    def _read(self, nodes: list[Node]) -> set[Node]:
        """What the nodes made since the region began take."""
        read: set[Node] = set()
        stack, seen = list(nodes), set()
        while stack:
            node = stack.pop()
            if node.serial > self.mark.serial and node not in seen:
                seen.add(node)
                read.update(operands(node))
                stack.extend(operands(node))
        return read

    def retire(self) -> None:
        """Let no word that was bound within be used any more: its value would be that of one turn."""
        old = {id(word) for word, _ in self.before.values()}
        self.make.line = self.line
        for name, word in self.rebound().items():
            if id(word) not in old:
                word.node = self.make.param("carried", word.node.type, name)


def _words_of(frame: FrameType) -> dict[str, Word]:
    """By name; those in lists and tuples as ``name[k]``."""
    found: dict[str, Word] = {}
    for name, value in frame.f_locals.items():
        if isinstance(value, Word):
            found[name] = value
        elif isinstance(value, list | tuple):
            found |= {f"{name}[{k}]": part for k, part in enumerate(value) if isinstance(part, Word)}
    return found


@contextmanager
def when(condition: Word) -> Iterator[None]:
    """``with when(c):`` the writes to arrays made within happen where the one-bit c is 1.

    Names bound within stand for nothing afterwards.
    """
    if not isinstance(condition, Word) or condition.width != 1:
        raise fail("when() takes a one-bit word, such as a comparison")
    trace = current()
    names = _Names(trace, condition.node)
    with _region(trace, Op.WHEN, (condition.node,), ()):
        yield
    names.retire()


@contextmanager
def _region(
    trace: Trace, op: Op, inputs: tuple[Node, ...], leading: tuple[Node, ...]
) -> Iterator[list[Node]]:
    """Collect what is traced within as the region of a loop or conditional over the arrays alive."""
    make = trace.builder
    states = list(trace.arrays)
    before = [state.node for state in states]
    params = [make.param("carried", node.type, f"a{k}") for k, node in enumerate(before)]
    for state, param in zip(states, params, strict=True):
        state.node = param
    depth, trace.depth = trace.depth, trace.depth + 1
    results: list[Node] = []
    yield results
    trace.depth = depth
    del trace.arrays[len(states) :]
    changed = [k for k, state in enumerate(states) if state.node is not params[k]]
    # An array that is only read inside stays outside: its parameter stands for the version before.
    region = _region_of(make, leading, params, states, changed, before)
    if not changed:
        raise fail(f"this {op.label} writes to no array, so it does nothing")
    results.extend(region.results)
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
