"""Registers after the schedule, on processors whose pipeline shows.

Each basic block is scheduled on words (`finalist.isa.schedule.backward`), then its words get registers by the
cycles in which they are there. Where more are there at once than registers, one goes to memory and the block
is scheduled again; a block for which that does not end gets registers first (`finalist.isa.allocate.linear`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from finalist.isa.allocate import linear
from finalist.isa.allocate.intervals import NoRegisterError, coloured, intervals, overfull
from finalist.isa.allocate.linear import Frame, Registers, Spilling
from finalist.isa.code import ZERO, Block, Code, Ins
from finalist.isa.schedule import packets
from finalist.isa.schedule.backward import Backward, NoScheduleError, Rooms, Timed
from finalist.isa.target.processor import Processor

#: Instructions from which on a block that is worked on once for a key gets registers first: that is quick.
LONG = 800
#: How often a block is scheduled again, with fewer words where there were too many; one that is worked on
#: once for a key less often.
_TRIES, _TRIES_ONCE = 6, 2


def gets_registers_first(block: Block) -> bool:
    """Whether a block is long, and worked on once for a key."""
    return block.part == "expand" and len(block.body) > LONG


class PairsError(Exception):
    """A block that gets registers first, which cannot be with pairs of them; ``label``: which."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.label = label


def allocate(code: Code, processor: Processor, frame: Frame, spilling: Spilling) -> None:
    """Schedules all blocks, and replaces the numbers of words by those of registers."""
    living, registers, fixed, free = linear.across(code, processor, frame)
    linear.set_up(code, {word: word for word in fixed}, frame, spilling)
    for block in code.blocks:
        own = (registers, free[block.label], frame, spilling)
        _Block(block, code, processor, fixed, *own).run(living.end[block.label])


class _Block:
    def __init__(
        self,
        block: Block,
        code: Code,
        processor: Processor,
        fixed: Mapping[int, int],
        registers: Registers,
        free: Mapping[str, list[int]],
        frame: Frame,
        spilling: Spilling,
    ) -> None:
        self.block, self.code, self.processor = block, code, processor
        self.fixed, self.registers, self.free = fixed, registers, free
        self.frame, self.spilling = frame, spilling
        self.files = code.files

    def run(self, leaving: set[int]) -> None:
        before = [replace(ins, operands=list(ins.operands)) for ins in self.block.body]
        made = None if gets_registers_first(self.block) else self._scheduled()
        if made is None:
            if any(o.pair for ins in before for o in ins.instruction.operands):
                raise PairsError(self.block.label)
            self.block.body = before
            self._registers_first(leaving)
            return
        timed, registers = made
        for ins in timed.body:
            self._settle(ins, registers)
        self.block.body = list(packets.flat(timed.packets(), self.processor))

    def _registers_first(self, leaving: set[int]) -> None:
        own = (self.fixed, self.registers, self.free, leaving, self.frame, self.spilling)
        linear.Local(self.block, *own).run()
        for ins in self.block.body:
            self.registers.settle(ins)
        packets.pack(Code([self.block]), self.processor)

    # -- words ----------------------------------------------------------------------------------

    def _scheduled(self) -> tuple[Timed, dict[int, int]] | None:
        self._fetch()
        self._rename()
        local = {word for ins in self.block.body for word in (*ins.read, *ins.written)}
        local -= set(self.fixed) | {ZERO}
        pairs = dict(self._pairs())
        tested = self._tested(local)
        rooms = Rooms({file: len(free) for file, free in self.free.items()})
        for _ in range(
            _TRIES_ONCE if self.block.part == "expand" or len(self.block.body) > 2 * LONG else _TRIES
        ):
            try:
                timed, words = self._timed(rooms)
            except NoScheduleError:
                return None
            found = intervals(timed, local | words)
            crowded = overfull(found, {f: len(free) for f, free in self.free.items()}, self.files)
            try:
                return timed, coloured(found, self.free, self.files, pairs, tested)
            except NoRegisterError as error:
                for file, cycle in crowded or [(self.files[error.word], error.cycle)]:
                    rooms.spare(file, timed.length - cycle)
        return None

    def _timed(self, rooms: Rooms) -> tuple[Timed, set[int]]:
        """A schedule, and the words that it has made for what goes to memory."""
        made: set[int] = set()

        def spilled(word: int) -> tuple[Ins, Ins]:
            fresh, home = self.code.fresh(), self.frame.of(word)
            self.files[fresh] = self.files[word]
            made.add(fresh)
            store, load = self.spilling.store(word, home), self.spilling.load(fresh, home)
            return self._access(store, home), self._access(load, home)

        body = [replace(ins, operands=list(ins.operands)) for ins in self.block.body]
        late = Backward(body, self.processor, self.files, set(self.fixed), rooms, spilled)
        return late.run(), made

    def _pairs(self) -> list[tuple[int, int]]:
        found = []
        for ins in self.block.body:
            places = {o.name: k for k, o in enumerate(ins.instruction.operands)}
            for o in ins.instruction.operands:
                if o.pair:
                    found.append((int(ins.operands[places[o.pair]]), int(ins.operands[places[o.name]])))
        return found

    def _tested(self, local: set[int]) -> dict[int, list[int]]:
        """Words that conditions test, and the registers that these can test."""
        return {
            ins.condition[0]: sorted(self.registers.conditions)
            for ins in self.block.body
            if ins.condition is not None and ins.condition[0] in local
        }

    def _fetch(self) -> None:
        """What lives in memory across blocks is fetched where it is read, and put back where it is
        written."""
        body: list[Ins] = []
        for ins in self.block.body:
            made: list[Ins] = []
            for k, o in enumerate(ins.instruction.operands):
                word = ins.operands[k]
                if not o.is_register or word not in self.frame.lasting or word in self.fixed or word == ZERO:
                    continue
                fresh = self.code.fresh()
                self.files[fresh] = self.registers.file(int(word))
                ins.operands[k] = fresh
                home = self.frame.of(int(word))
                if o.written:
                    made.append(self._access(self.spilling.store(fresh, home), home))
                else:
                    body.append(self._access(self.spilling.load(fresh, home), home))
            if ins.condition is not None and ins.condition[0] in self.frame.lasting - set(self.fixed):
                word, home = self.code.fresh(), self.frame.of(ins.condition[0])
                self.files[word] = self.registers.file(ins.condition[0])
                body.append(self._access(self.spilling.load(word, home), home))
                ins.condition = word, ins.condition[1]
            body += [ins, *made]
        self.block.body = body

    @staticmethod
    def _access(ins: Ins, home: int) -> Ins:
        ins.access = ("home", home)
        return ins

    def _rename(self) -> None:
        """Each word that only the block has is written once."""
        now: dict[int, int] = {}
        known: set[int] = set()
        for ins in self.block.body:
            operands = list(ins.operands)
            for k in ins.instruction.read:
                operands[k] = now.get(int(operands[k]), operands[k])
            if ins.condition is not None:
                ins.condition = now.get(ins.condition[0], ins.condition[0]), ins.condition[1]
            for k in ins.instruction.written:
                word = int(ins.operands[k])
                if word in self.fixed or word == ZERO:
                    continue
                if word in known:
                    now[word] = self.code.fresh()
                    self.files[now[word]] = self.registers.file(word)
                known.add(word)
                operands[k] = now.get(word, word)
            ins.operands = operands

    def _settle(self, ins: Ins, registers: Mapping[int, int]) -> None:
        for k, o in enumerate(ins.instruction.operands):
            if o.is_register:
                word = int(ins.operands[k])
                ins.operands[k] = self.fixed[word] if word in self.fixed else registers[word]
        if ins.condition is not None:
            word, sense = ins.condition
            ins.condition = (self.fixed[word] if word in self.fixed else registers[word]), sense
        self.registers.settle(ins)
