"""A list schedule of a basic block before its words have registers, from its end to its beginning.

Each instruction is issued as late as what takes its results allows, so that words are there for a short time:
registers are few where several blocks are worked on side by side. Of instructions that could be issued in one
cycle those come first that the longest chain leads to. Where registers run out, those that take more words
than they make wait. (R. L. Graham 1966; backwards as in J. R. Goodman and W.-C. Hsu, "Code scheduling and
register allocation in large basic blocks", 1988.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from finalist.isa.assembly.text import Issue
from finalist.isa.code import ZERO, Ins
from finalist.isa.schedule.dependences import Edge, latency, of_words
from finalist.isa.schedule.packets import takes
from finalist.isa.target.instruction import Way
from finalist.isa.target.meaning import Flow
from finalist.isa.target.processor import Processor


class NoScheduleError(Exception):
    """More words are needed at once than there are registers."""


@dataclass(slots=True)
class Timed:
    """A block's instructions with the cycle and the way of each; ``length``: cycles of the block."""

    body: list[Ins]
    cycles: list[int]
    ways: list[Way]
    length: int = 0

    def packets(self) -> list[list[Ins]]:
        """The instructions by cycle."""
        found: list[list[Ins]] = [[] for _ in range(self.length)]
        for ins, cycle, way in zip(self.body, self.cycles, self.ways, strict=True):
            ins.issue = Issue(way, ins.issue.condition if ins.issue else 0)
            found[cycle].append(ins)
        return found


@dataclass(slots=True)
class Rooms:
    """Registers, by file, for the words that only the block has; ``fewer``: how many of them are left alone
    at positions, counted from its end."""

    counts: Mapping[str, int]
    fewer: dict[tuple[str, int], int] = field(default_factory=dict)

    def at(self, file: str, position: int) -> int:
        """Registers at a position."""
        return max(2, self.counts[file] - self.fewer.get((file, position), 0))

    def spare(self, file: str, position: int) -> None:
        """Leave one more alone around a position: what is issued there is there for some cycles."""
        for near in range(position - 6, position + 1):
            self.fewer[file, near] = self.fewer.get((file, near), 0) + 1


@dataclass(slots=True)
class _Open:
    """Words that something reads that has its cycle, and whose maker has none yet."""

    #: The register file of each word.
    files: Mapping[int, str]
    #: By word the position of its last reader, from the block's end, and the cycles that it takes to make.
    words: dict[int, tuple[int, int]] = field(default_factory=dict)
    #: What `held` found last: the position, and the words by file; none after a change.
    _counted: tuple[int, Counter[str]] | None = None

    def add(self, word: int, position: int, cycles: int) -> None:
        """Something at a position reads a word that takes so many cycles to make."""
        self.words[word] = position, cycles
        self._counted = None

    def drop(self, word: int) -> None:
        """The word's maker has a cycle."""
        if self.words.pop(word, None) is not None:
            self._counted = None

    def held(self, position: int, file: str) -> int:
        """How many of them wait in a register: those whose makers are late. Two that are loaded can be made
        in a cycle."""
        if self._counted is None or self._counted[0] != position:
            self._counted = position, Counter(self._late(position))
        return self._counted[1][file]

    def _late(self, position: int) -> Iterator[str]:
        waiting = 0
        for word, (since, cycles) in self.words.items():
            if position + (waiting // 2 if cycles > 2 else 0) - since >= cycles - 1:
                yield self.files[word]
            waiting += cycles > 2


class Backward:
    """The schedule of one block. ``rooms``: by register file how many words may be there at once that are not
    ``lasting``; ``leaving``: those of them that are there at its end."""

    def __init__(
        self,
        body: Sequence[Ins],
        processor: Processor,
        files: Mapping[int, str],
        lasting: AbstractSet[int],
        rooms: Rooms,
        spilled: Callable[[int], tuple[Ins, Ins]] | None = None,
    ) -> None:
        self.body, self.processor, self.files = list(body), processor, files
        self.lasting, self.rooms, self.spilled = lasting, rooms, spilled
        self.before: list[list[Edge]] = [[] for _ in body]
        self.waiting = [0] * len(body)
        for edge in self._edges():
            self.before[edge.target].append(edge)
            self.waiting[edge.source] += 1
        self.depth = self._depths()
        self.position = [0] * len(body)
        self.way: list[Way | None] = [None] * len(body)
        self.earliest = [max([1, *self._latencies(ins)]) for ins in body]
        self.used: dict[int, dict[str, int]] = {}
        self.open = _Open(files)
        #: Whether the next instruction is issued though there may be no register for what it reads.
        self.forced = False
        #: Of words that have gone to memory what puts them there.
        self.stores: dict[int, int] = {}
        self.flowless = [ins.instruction.flow is None for ins in body]
        self.makers = {word: k for k, ins in enumerate(body) for word in ins.written}
        #: By instruction the words that it reads, and by word the instructions that read it.
        self.read = [ins.read for ins in body]
        self.readers: dict[int, list[int]] = {}
        for k, words in enumerate(self.read):
            for word in dict.fromkeys(words):
                self.readers.setdefault(word, []).append(k)
        self.ways = [self._ways(ins) for ins in body]
        #: By unit how many instructions can be issued on no unit of another kind.
        self.demand: dict[str, int] = {}
        for ways in self.ways:
            if len({way.unit[:-1] for way in ways}) == 1:
                for unit in {way.unit for way in ways}:
                    self.demand[unit] = self.demand.get(unit, 0) + 1

    def _edges(self) -> Iterator[Edge]:
        """Dependences; a word that crosses can take longer."""
        slow = self.processor.across
        for edge in of_words(self.body, self.lasting):
            more = slow if slow and edge.distance > 0 and self._crosses(edge) else 0
            yield Edge(edge.source, edge.target, edge.distance + more)

    def _crosses(self, edge: Edge) -> bool:
        """Whether a result, not of a load, is read on the other side."""
        maker, taker = self.body[edge.source], self.body[edge.target]
        if maker.instruction.effect:
            return False
        sides = {self.files[word] for word in taker.written if word in self.files}
        words = set(maker.written) & set(taker.read)
        return bool(words) and any(self.files.get(word) not in sides for word in words) and bool(sides)

    def _depths(self) -> list[int]:
        """Cycles from the block's beginning to each instruction, at least."""
        depth = [0] * len(self.body)
        for k in range(len(self.body)):
            depth[k] = max((edge.distance + depth[edge.source] for edge in self.before[k]), default=0)
        return depth

    def _latencies(self, ins: Ins) -> Iterator[int]:
        if ins.instruction.flow not in (None, Flow.IDLE):
            yield ins.instruction.latency
        for word in ins.written:
            if word != ZERO:
                yield latency(ins, word)

    def _ways(self, ins: Ins) -> list[Way]:
        return [
            way
            for way in ins.instruction.ways
            if takes(ins, way)
            and all(
                (way.files.get(o.name) or o.file) == self.files.get(int(x), way.files.get(o.name) or o.file)
                for o, x in zip(ins.instruction.operands, ins.operands, strict=True)
                if o.is_register
            )
        ]

    # -- scheduling -----------------------------------------------------------------------------

    def run(self) -> Timed:
        """The schedule. Raises NoScheduleError."""
        ready = [k for k, count in enumerate(self.waiting) if not count]
        position, left, idle = 1, len(self.body), 0
        while left:
            done = []
            for k in sorted(ready, key=lambda k: (self.flowless[k], -self.depth[k], -k)):
                if self.earliest[k] <= position and self._fits(k, position):
                    self._put(k, position)
                    done.append(k)
                    left -= 1
            ready = [k for k in ready if k not in done]
            for k in done:
                for edge in self.before[k]:
                    self.earliest[edge.source] = max(self.earliest[edge.source], position + edge.distance)
                    self.waiting[edge.source] -= 1
                    if not self.waiting[edge.source]:
                        ready.append(edge.source)
            again = any(self.earliest[k] <= position for k in ready if not self.waiting[k]) and done
            idle = 0 if done else idle + 1
            if idle > 6 and not any(self.earliest[k] > position for k in ready):
                size = len(self.body)
                made = self._spill(position)
                if made is None and idle > 40:
                    raise NoScheduleError
                self.forced = made is None
                if made is not None:
                    # What made the word was ready, perhaps, and is not before it is stored.
                    ready = [k for k in ready if not self.waiting[k]] + [made]
                    left, idle = left + len(self.body) - size, 0
            position += 0 if again else 1
        length = max(self.position, default=0)
        ways = [way for way in self.way if way is not None]
        return Timed(list(self.body), [length - p for p in self.position], ways, length)

    def _spill(self, position: int) -> int | None:
        """Sends a word to memory that is not made for long, from where its readers so far get it; the place
        of the load, that can be issued."""
        full = {
            file
            for file in self.rooms.counts
            if self.open.held(position, file) >= self.rooms.at(file, position) - 1
        }
        words = [
            word
            for word in self.open.words
            if word in self.makers and self.files[word] in full and not self._is_stored(word)
        ]
        if not words or self.spilled is None:
            return None
        word = min(words, key=lambda word: self.depth[self.makers[word]])
        self.open.drop(word)
        store, load = self.spilled(word)
        fresh, maker = load.written[0], self.makers[word]
        readers = self.readers.pop(word)
        later = [k for k in readers if self.way[k] is None]
        served = [k for k in readers if self.way[k] is not None]
        for k in served:
            self._replace(k, word, fresh)
        earliest = max([1, *(self.position[k] + latency(load, fresh) for k in served)])
        self.readers[word], self.readers[fresh] = list(later), served
        depth = self.depth[maker] + latency(self.body[maker], word)
        if word not in self.stores:
            self.stores[word] = self._add(store, depth, 1)
            self._order(maker, self.stores[word], latency(self.body[maker], word))
            for reader in later:
                self._order(self.stores[word], reader, 0)
        made = self._add(load, depth + 1, max(earliest, position))
        self._order(self.stores[word], made, 1)
        self.makers[fresh] = made
        self.open.add(fresh, earliest - latency(load, fresh), latency(load, fresh))
        return made

    def _is_stored(self, word: int) -> bool:
        return word in self.stores and self.way[self.stores[word]] is not None

    def _order(self, source: int, target: int, distance: int) -> None:
        self.before[target].append(Edge(source, target, distance))
        self.waiting[source] += 1

    def _replace(self, k: int, word: int, fresh: int) -> None:
        ins = self.body[k]
        for place in ins.instruction.read:
            if ins.operands[place] == word:
                ins.operands[place] = fresh
        if ins.condition is not None and ins.condition[0] == word:
            ins.condition = fresh, ins.condition[1]
        self.read[k] = ins.read

    def _add(self, ins: Ins, depth: int, earliest: int) -> int:
        self.body.append(ins)
        self.before.append([])
        self.waiting.append(0)
        self.depth.append(depth)
        self.position.append(0)
        self.way.append(None)
        self.earliest.append(earliest)
        self.ways.append(self._ways(ins))
        self.flowless.append(True)
        self.read.append(ins.read)
        for word in dict.fromkeys(ins.read):
            self.readers.setdefault(word, []).append(len(self.body) - 1)
        return len(self.body) - 1

    def _fits(self, k: int, position: int) -> bool:
        ins = self.body[k]
        if ins.instruction.flow not in (None, Flow.IDLE) and position != self.earliest[k]:
            raise NoScheduleError  # a branch that does not take effect with the block's end
        if ins.instruction.flow is not None or self.forced:
            self.forced = False
            return self._way(k, position) is not None
        new: dict[str, int] = {}
        for word in set(self.read[k]):
            if word not in self.lasting and word not in self.open.words and word != ZERO:
                new[self.files[word]] = new.get(self.files[word], 0) + 1
        for file, more in new.items():
            made = sum(self.files[w] == file and w in self.open.words for w in ins.written)
            if more > made and self.open.held(position, file) - made + more > self.rooms.at(file, position):
                return False
        return self._way(k, position) is not None

    def _way(self, k: int, position: int) -> Way | None:
        """The way that leaves most to others: on the unit that fewest of those that wait need."""
        free = [way for way in self.ways[k] if self._is_free(k, way, position)]
        return min(free, key=lambda way: (len(way.paths), self.demand.get(way.unit, 0)), default=None)

    def _is_free(self, k: int, way: Way, position: int) -> bool:
        units = self.processor.unit_count
        used = self.used.get(position, {})
        if used.get("", 0) >= self.processor.issue:
            return False
        if any(used.get(resource, 0) >= units(resource) for resource in way.resources):
            return False
        read, most = self.read[k], self.processor.reads
        if most and any(used.get(f"word {word}", 0) + read.count(word) > most for word in read):
            return False
        return all(
            self.used.get(position - later, {}).get(resource, 0) < units(resource)
            for resource, later in way.later
        )

    def _put(self, k: int, position: int) -> None:
        ins, way = self.body[k], self._way(k, position)
        assert way is not None
        self.position[k], self.way[k] = position, way
        now = (*way.resources, "", *(f"word {word}" for word in self.read[k]))
        for resource, later in (*((r, 0) for r in now), *way.later):
            used = self.used.setdefault(position - later, {})
            used[resource] = used.get(resource, 0) + 1
        for word in ins.written:
            self.open.drop(word)
        for word in self.read[k]:
            if word not in self.lasting and word != ZERO and word not in self.open.words:
                maker = self.makers.get(word)
                cycles = 1 if maker is None else latency(self.body[maker], word)
                self.open.add(word, position, cycles)
