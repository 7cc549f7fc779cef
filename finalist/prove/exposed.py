"""Words of processors whose pipeline shows, carried out as `finalist.isa.simulate.exposed` does it.

Instructions of a packet read what is there at its beginning; a result is written, and a branch carried out,
so many cycles later. A condition that is not known chooses between the new and the old word of a register, or
of memory; one that decides where the program goes is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from finalist.ir.ops import Op
from finalist.isa.assembly.decoder import Decoded
from finalist.isa.simulate.exposed import packets
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Flow
from finalist.prove.bits import Word, known
from finalist.prove.store import FALSE, TRUE
from finalist.prove.words import NotCoveredError

if TYPE_CHECKING:
    from finalist.prove.execute import Execution

#: A result under way: its register, the word, and the bit under which it is written.
Result = tuple[tuple[str, int], Word, int]
#: Cycles after which a program is taken not to end.
LIMIT = 2_000_000


class Pipeline:
    """What is under way in a processor."""

    def __init__(self, execution: Execution) -> None:
        self.of = execution
        self.packets = {places[0]: places for places in packets(execution.code)}
        self.results: dict[int, list[Result]] = {}
        #: By cycle where the program goes on; None for its end.
        self.branches: dict[int, int | None] = {}
        self.cycle = 0

    def run(self, pc: int) -> None:
        """From a place until the program halts."""
        place: int | None = pc
        idle = 0
        while True:
            self.cycle += 1
            self.of.words.check()
            self._commit()
            if self.cycle in self.branches:
                place, idle = self.branches.pop(self.cycle), 0
                if place is None:
                    return
            if self.cycle > LIMIT:
                raise NotCoveredError(f"more than {LIMIT} cycles")
            if idle:
                idle -= 1
                continue
            if place not in self.packets:
                raise NotCoveredError(f"no packet of instructions begins at {place}")
            places = self.packets[place]
            if self._packet(places):
                return
            last = self.of.code[places[-1]]
            place = places[-1] + last.length
            idle = max(self.of.code[at].instruction.cycles for at in places) - 1

    def _commit(self) -> None:
        """What arrives in this cycle is written."""
        store, written = self.of.words.store, dict[tuple[str, int], int]()
        for register, word, met in self.results.pop(self.cycle, ()):
            if store.both(met, written.get(register, FALSE)) != FALSE:
                raise NotCoveredError(f"two words are written to {register[0]}{register[1]} in one cycle")
            written[register] = store.either(met, written.get(register, FALSE))
            if met != TRUE:
                width = self.of.processor.files[register[0]].width
                word = known(self.of.words.select(met, word, self.of.register(*register), width))
            self.of.set(*register, word)

    def _packet(self, places: tuple[int, ...]) -> bool:
        """Carry out a packet; whether the program ends at once."""
        halts, made = False, []
        for at in places:
            self.of.at, self.of.executed = at, self.of.executed + 1
            self.of.visited.add(at)
            one = self.of.code[at]
            met = self.of.condition(one)
            if met == FALSE:
                continue
            operands = self.of.operands(one)
            self._check(one, operands)
            made += [(at, one, met, effect, self._words(effect, operands)) for effect in self.of.effects(at)]
        for at, one, met, effect, words in made:
            self.of.at = at
            halts |= self._change(one, met, effect, words)
        return halts

    def _words(self, effect: Effect, operands: Mapping[str, Word]) -> list[Word]:
        meaning = effect.value
        if effect.target:
            return [self.of.word(meaning, operands)]
        return [known(self.of.word(arg, operands)) for arg in meaning.args]

    def _check(self, one: Decoded, operands: Mapping[str, Word]) -> None:
        """Words that count for no more than their instruction is defined for."""
        for name, most in one.instruction.below.items():
            word, size = operands[name], (most - 1).bit_length()
            above = word >> size if isinstance(word, int) else self.of.words.nonzero(word[size:])
            if above or most & (most - 1):
                raise NotCoveredError(f"{name} may be {most} or more")

    def _change(self, one: Decoded, met: int, effect: Effect, words: list[Word]) -> bool:
        """One effect; whether the program ends at once."""
        meaning, later = effect.value, self.cycle + effect.latency
        if effect.target:
            register = self.of.file(one, effect.target), one.values[effect.target]
            self.results.setdefault(later, []).append((register, words[0], met))
        elif meaning.op is Op.STORE:
            if met != TRUE:
                words[1] = self._kept(meaning.attr, met, words)
            self.of.put(meaning, words)
        elif meaning.op is Flow.HALT and met == TRUE and effect.latency == 1:
            return True
        elif meaning.op is not Flow.IDLE:
            self._go(one, met, words, later, meaning.op is Flow.HALT)
        return False

    def _kept(self, size: int, met: int, words: list[Word]) -> Word:
        """What a store under a condition that is not known leaves in memory."""
        return known(self.of.words.select(met, words[1], self.of.memory.load(size, words[0]), 8 * size))

    def _go(self, one: Decoded, met: int, words: list[Word], later: int, ends: bool) -> None:
        taken = known(words[0]) if words else 1
        if met != TRUE or not isinstance(taken, int):
            raise NotCoveredError("a branch that depends on key or block")
        if not taken:
            return
        if later in self.branches:
            raise NotCoveredError("two branches are carried out in one cycle")
        self.branches[later] = None if ends else one.target
