"""Two programs, proved equal from one word to the next by cut points.

Words of both that have the same bits on keys and blocks at random are held to be equal, and proved so one
after the other: each from words before it that are proved to be equal already, of whose bits nothing else is
known any more (the cut points of equivalence checking; Kuehlmann, Krohm 1997). So no proof is longer than a
few operations, whatever the program's length, and what comes again round after round is proved once. What is
not proved is no cut, and the words after it are proved from further back.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from finalist.ir.graph import Node, every_node, in_order
from finalist.ir.ops import BITWISE, CONTROL, Op
from finalist.ir.program import ByteOrder, Program
from finalist.ir.types import WordType
from finalist.prove.candidates import Candidates
from finalist.prove.integers import CARRYING
from finalist.prove.literals import Candidate, Cut, Literals
from finalist.prove.question import Question
from finalist.prove.questions import Questions
from finalist.prove.recorded import Recorded, Recorder, Value
from finalist.prove.ternary import GATE
from finalist.prove.walk import described
from finalist.prove.words import NotCoveredError, OutOfTimeError

#: How far back a proof goes: over so many words that are equal in both programs.
LEVELS = 3
#: Operations that may do no more than name bits of words that are cut, such as the halves of a rotation.
RENAMING = 40


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found of two programs. ``reason``: where it stopped; empty where they are proved equal.
    ``words``: of the first program that are proved to be words of the second; ``asked``: proofs of them, of
    which ``settled`` have a shape of their own; ``solved``: whether a solver proved any."""

    reason: str
    words: int = 0
    asked: int = 0
    settled: int = 0
    solved: bool = False


def compare(before: Program, after: Program, seconds: float | None = None) -> Compared:
    """Whether two programs make the same of all keys and data, of as many blocks as both can be given;
    ``seconds``: of the CPU. Of programs whose blocks hand on a state nothing is said."""
    if before.stateful or after.stateful:
        return Compared("its blocks hand on a state")
    if not (gives_block_words(before) and gives_block_words(after)):
        return Compared("a kernel does not give the words of a block")
    size = math.lcm(before.block.bytes, after.block.bytes)
    clock = _Clock(seconds)
    recorder = Recorder(clock.check)
    try:
        recorded = [recorder.record(one, size // one.block.bytes) for one in (before, after)]
        return Cuts(recorder.nodes, recorded[0], recorded[1], clock).compared()
    except NotCoveredError as error:
        return Compared(str(error))


def gives_block_words(program: Program) -> bool:
    """Whether a kernel's first results are the words of a block."""
    words = program.kernel.results[: program.block.count]
    return len(words) == program.block.count and all(word.width == program.block.width for word in words)


def narrower(before: Program, after: Program) -> bool:
    """Whether a program calculates with words that are wider than any of another: then limbs with carries are
    in their place, which word by word are the same sooner than all at once."""
    return _widest(before, CARRYING) > _widest(after, CARRYING | BITWISE)


def remapped(before: Program, after: Program) -> bool:
    """Whether gates of one program are mapped to fewer gates of three inputs in another. Word by word, each
    is the few that it stands for; over one store, products of sums would be multiplied out."""
    (operations, functions), (left, mapped) = _gates(before), _gates(after)
    return max(functions, default=0) <= GATE and len(mapped) > len(functions) and left < operations


def _gates(program: Program) -> tuple[int, list[int]]:
    """How many bitwise operations of one or two words a kernel has; inputs of each Boolean function."""
    nodes = list(every_node(program.kernel))
    functions = [len(node.inputs) for node in nodes if node.op is Op.BOOL]
    return sum(node.op in BITWISE for node in nodes) - len(functions), functions


def _widest(program: Program, ops: frozenset[Op]) -> int:
    """Bits of the widest word that one of some operations makes; but for the numbers of iterations."""
    widest = 0
    for graph in (program.expand, program.kernel):
        counted: set[Node] = set()
        for node in every_node(graph):
            if node.op in CONTROL:
                counted.update(param for param in node.region.params if param.attr == "index")
            elif all(child.op is Op.CONST or child in counted for child in node.inputs):
                counted.add(node)
            elif node.op in ops:
                widest = max(widest, node.width)
    return widest


class _Clock:
    """Seconds of the CPU that are left."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._begun = time.process_time()

    def check(self) -> None:
        """Raises OutOfTimeError where they are over."""
        if self.seconds is not None and time.process_time() - self._begun > self.seconds:
            raise OutOfTimeError(f"not done within {self.seconds:g} seconds of the CPU")


class Cuts:
    """The words of two programs, cut one after the other."""

    def __init__(self, nodes: Sequence[Node], before: Recorded, after: Recorded, clock: _Clock) -> None:
        self.before, self.after, self.clock = before, after, clock
        self.first, second = _needed(nodes, before), _needed(nodes, after)
        self.both = frozenset(self.first) & frozenset(second)
        self.cut = Cut(before, after)
        self.candidates = Candidates(nodes, second, (before, after), self.cut)
        self.questions = Questions(clock.check)
        self.proved = 0
        #: The first word that is equal to one of the second program on all keys tried, and not proved so.
        self.stopped: Node | None = None

    def compared(self) -> Compared:
        """The verdict."""
        for node in self.first:
            self.clock.check()
            self._word(node)
        wrong, asked = self._outputs(), self.questions
        return Compared(wrong, self.proved, asked.asked, asked.settled, asked.solved)

    # -- from word to word ----------------------------------------------------------------------

    def _word(self, node: Node) -> None:
        """Cut a word, if it can be."""
        if not self._is_known(node) and self._has_rows(node):
            self._by_rows(node)
        self._step(node)

    def _is_known(self, node: Node) -> bool:
        """Whether a word has bits of words that are cut alone, or is the other program's as well."""
        known = self._renamed(node)
        if node in self.both:
            known = self.cut.filled(known)
        if any(bit is not None for bit in known):
            self.cut.words[node] = known
        return self.cut.is_cut(node)

    def _step(self, node: Node) -> None:
        """Cut a word at what is proved to be equal to it in the other program. Bits that are others of the
        first program have their literals; so has the other program, if that is seen at once."""
        if self._is_known(node):
            return
        known = self.cut.of(node)
        open_: list[list[Candidate]] = []
        for candidates in self.candidates.of(node):
            one = candidates[0]
            if None in known[one.start :][: one.width]:
                open_.append(candidates)
            elif not self.cut.is_cut(one.second):
                self._proved(node, [candidates], 1)
        if not open_:
            return
        if self._proved(node, open_, LEVELS):
            self.proved += 1
        else:
            self.stopped = self.stopped or node

    def _renamed(self, node: Node) -> Literals:
        """The literals that the bits of a word are; None for those that are made."""
        cone = self.cut.cone([node])
        if not cone or len(cone) > RENAMING:
            return self.cut.of(node)
        question = Question(cone, self.cut)
        return question.literals(self.questions.renamed(question, node))

    def _proved(self, node: Node, slices: Sequence[Sequence[Candidate]], levels: int) -> bool:
        """Whether of the candidates of each of some slices one is proved; the bits of those are cut."""
        opened: frozenset[int] = frozenset()
        left = list(slices)
        for _ in range(levels):
            done, below = self._ask(node, list(chain.from_iterable(left)), opened)
            left = [some for some in left if not any(one in done for one in some)]
            if not left:
                return True
            if not below:
                return False
            opened |= below
        return False

    def _ask(
        self, node: Node, asked: Sequence[Candidate], opened: frozenset[int]
    ) -> tuple[list[Candidate], frozenset[int]]:
        """The candidates of a word that are proved, and the literals to open next."""
        cone = self.cut.cone([node, *(candidate.second for candidate in asked)], opened)
        if cone is None:
            return [], frozenset()
        question = Question(cone, self.cut, opened, asked)
        answers = zip(asked, self.questions.proved(question), strict=True)
        done = [candidate for candidate, answer in answers if answer]
        below = self._opened_next(question)
        for candidate in reversed(done):  # what was tried first is what was cut last
            self.cut.equate(candidate)
        return done, below

    def _opened_next(self, question: Question) -> frozenset[int]:
        """The literals, of words before these, that candidates are made of and the word is not, or that they
        are: a carry is seen in how its sum is made. If there are none, those that the word is made of."""
        node, opened = question.candidates[0].node, question.opened
        own = question.below(node)
        others = [question.below(candidate.second) for candidate in question.candidates]
        theirs = own.union(*others, *map(self.cut.bits, question.candidates)) - own
        for literals in (theirs, own):
            below = frozenset(bit for bit in literals - opened if bit >= self.cut.own)
            if below:
                return below
        return frozenset()

    # -- products -------------------------------------------------------------------------------

    def _has_rows(self, node: Node) -> bool:
        return node.op is Op.MUL and node.width > self.candidates.widths[0]

    def _by_rows(self, node: Node) -> None:
        """Cut a product at what the sum of those of one factor's limbs with the other is, row by row, as it
        is made of narrow words; where the other program has no such rows, nothing."""
        for first, second in (node.inputs, node.inputs[::-1]):
            totals = list(_rows(first, second, self.candidates.widths[0], self.candidates))
            if len(self.candidates.of(totals[0])) > 1:
                break
        else:
            return
        for total in totals:
            self._step(total)
        if totals[-1] in self.cut.words:
            self.cut.words[node] = self.cut.words[totals[-1]]

    # -- outputs --------------------------------------------------------------------------------

    def _outputs(self) -> str:
        """Which byte of the output is not proved; empty if none."""
        pairs = zip(_bytes(self.before), _bytes(self.after), strict=True)
        for number, (first, second) in enumerate(pairs):
            if not self._same(*first, *second):
                where = f"byte {number} of the output"
                return where if self.stopped is None else f"{where}; first {_unproved(self.stopped)}"
        return ""

    def _same(self, first: Value, start: int, second: Value, second_start: int) -> bool:
        """Whether two bytes, of which the lowest bits are there, are proved to be equal."""
        if isinstance(first, int) or isinstance(second, int):
            return (
                isinstance(first, int)
                and isinstance(second, int)
                and first >> start & 255 == second >> second_start & 255
            )
        one = Candidate(first, start, second, second_start, 8)
        same = first is second and start == second_start
        return same or self.cut.equal(one) or self._proved(first, [[one]], LEVELS)


def _rows(first: Node, second: Node, width: int, candidates: Candidates) -> Iterator[Node]:
    """The sums of the products of a word's limbs with another word: of the lowest, of the lowest two, and so
    on; the last is the product of both."""
    type_ = first.type
    assert isinstance(type_, WordType)
    total: Node | None = None
    for start in range(0, type_.width, width):
        limb = Node(Op.CONST, (), type_, ((1 << width) - 1 << start) & (1 << type_.width) - 1)
        part = Node(Op.AND, (first, limb), type_, line=second.line)
        row = Node(Op.MUL, (part, second), type_, line=second.line)
        made = [part, row]
        if total is not None:
            row = Node(Op.ADD, (total, row), type_, line=second.line)
            made.append(row)
        for node in made:
            candidates.include(node)
        yield row
        total = row


def _needed(nodes: Sequence[Node], recorded: Recorded) -> list[Node]:
    """The words that a program's results need, in the order that they were made in."""
    results = [word for block in recorded.results for word in block if isinstance(word, Node)]
    seen = set(in_order(results, lambda node: node.inputs))
    return [node for node in nodes if node in seen and node.op is not Op.ARRAY]


def _bytes(recorded: Recorded) -> Iterator[tuple[Value, int]]:
    """For each byte of the output the word that it is in, and the index of its lowest bit there."""
    layout = recorded.program.block
    starts = range(0, layout.width, 8)
    for words in recorded.results:
        for word in words:
            yield from ((word, k) for k in (starts if layout.order is ByteOrder.LITTLE else reversed(starts)))


def _unproved(node: Node) -> str:
    return f"{described(node)}, {node.width} bits, not proved to be the same"
