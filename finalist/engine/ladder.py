"""Compiled programs for messages of different lengths."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from functools import cached_property

from finalist import calling, stored
from finalist.engine import parts
from finalist.engine.breakeven import Timed, function_name, least, rest
from finalist.engine.plans import ONE, Task, steps, text_mode
from finalist.engine.work import in_blocks, step
from finalist.errors import ScheduleError
from finalist.machines.native.binary import Binary
from finalist.schedule import Schedule
from finalist.target import Target

#: Bytes in messages that a program would serve, after which it is worth compiling.
PATIENCE = 1024
#: Bytes of a message of which setting up the key is so small a part that nobody measures it.
LONG = 16384
#: As many ladders as are remembered.
_MOST = 256


@dataclass(slots=True, eq=False)
class _Rung:
    """A program, once there is one.

    ``least``: blocks of a message from which on it serves; None: to be measured. ``pays``: blocks in such
    messages under one key from which on it is done sooner, with setting up that key for it. ``rests``: as
    `finalist.calling.Plan.serve` has them. ``seen``: blocks that have come in such messages, whatever the
    key.
    """

    least: int | None
    schedule: Schedule
    pays: int = 0
    rests: tuple[int, int, int] = (0, 0, 0)
    program: Binary | None = None
    seen: int = 0


class Ladder:
    """The programs of a mode in one direction by the length of a message, whatever the key.

    All but the first are compiled when enough has come to be worth it. ``open``: what makes quick calls
    under a key; ``apply``: what they do in the end. Raises CompilerError.
    """

    def __init__(self, task: Task, mode: str) -> None:
        target = task[0]
        self._task, self._mode, self._block = task, mode, target.block_bytes
        self._step = step(mode, target.block_bytes)
        unit = self._unit = self._block if in_blocks(mode) else 1
        # Streams have their state in the expanded key, so that all programs must have the same.
        self._one_key = target.stateful
        alone = mode != "ecb" or target.stateful
        self._plan, self.open, self.apply = calling.plan(self._step, unit, alone, self._one_key)
        self.rungs = [_Rung(*found) for found in steps(*task, mode)]
        try:
            self._take(0)
        except ScheduleError:
            self.rungs[0] = _Rung(1, ONE)
            self._take(0)
        for place in range(len(self.rungs)):
            self._tell(place)
        self._turn = threading.Lock()

    def leasts(self) -> list[int]:
        """From how many blocks on each serves."""
        return [2 if rung.least is None else rung.least for rung in self.rungs]

    def way(self, threads: int) -> parts.Way | None:
        """How a message may be cut for so many threads; None where its blocks wait for each other."""
        begins = parts.begins(self._mode, self._task[1])
        if begins is None:
            return None
        return parts.way(begins, self._block, self._step, self._unit, threads)

    def prepare(self, size: int) -> None:
        """Compile what a message of so many bytes is worth it for.

        While another thread does so, what there is already serves.
        """
        if self._turn.acquire(blocking=False):
            try:
                self._prepare(-(-size // self._step))
            finally:
                self._turn.release()

    def _prepare(self, blocks: int) -> None:
        place = max(place for place, least in enumerate(self.leasts()) if least <= blocks)
        rung = self.rungs[place]
        if rung.program is None:
            rung.seen += blocks
            if rung.seen * self._block >= PATIENCE:
                self._add(place)
        over = blocks % rung.program.smallest_call if rung.program else 0
        if 0 < over < blocks:
            self._prepare(over)

    def _add(self, place: int) -> None:
        try:
            self._take(place)
        except ScheduleError:  # not legal here: messages are served as if it weren't on the list
            self.rungs[place].least = calling.ENDLESS
        else:
            self._measure(place)
            for longer in range(place, len(self.rungs)):
                self._measure_rests(longer)
        for longer in range(place, len(self.rungs)):
            self._tell(longer)

    def _take(self, place: int) -> None:
        rung = self.rungs[place]
        program = stored.program(*self._task, rung.schedule, (text_mode(self._mode),))
        first = self.rungs[0].program
        if self._one_key and first and first.key_form != program.key_form:
            raise ScheduleError(f"{rung.schedule}: its expanded key is not that of {first.schedule}")
        assert program.library is not None  # loaded
        rung.program = program

    def _measure(self, place: int) -> None:
        rung, most = self.rungs[place], max(LONG // self._block, 2)
        assert rung.program is not None
        if (rung.least or 2) >= most or (self._one_key and rung.least):
            rung.pays = rung.least or most
            return
        one, *others = (Timed(each, self._mode, most) for each in (rung.program, *self._lower(place)))
        if rung.least is None:
            rung.least = least(others[:1], one, 2, max(PATIENCE // self._block, 2), fresh=False)
        rung.pays = least(others, one, rung.least, most, fresh=True)

    def _measure_rests(self, place: int) -> None:
        """What of a rest the programs before it do sooner than a call of this one."""
        program, lower = self.rungs[place].program, self._lower(place)
        if program is None or not lower or program.smallest_call == 1:
            return
        whole = program.smallest_call
        one, *others = (Timed(each, self._mode, whole) for each in (program, *lower))
        ways = (False, not self._one_key)
        known, fresh = (rest(others, one, whole, fresh=fresh) for fresh in ways)
        self.rungs[place].rests = whole, known, fresh

    def _lower(self, place: int) -> list[Binary]:
        """The programs for shorter messages, as far as there are any."""
        return [rung.program for rung in self.rungs[:place] if rung.program is not None]

    def _tell(self, place: int) -> None:
        """Have quick calls find the program."""
        rung, program = self.rungs[place], self.rungs[place].program
        serves = self.leasts()[place], rung.pays
        if program is None:
            self._plan.serve(place, *serves, 0, 0, 0)
        else:
            function = program.function_address(function_name(program, self._mode))
            key = program.function_address("expand"), program.key_struct_bytes
            self._plan.serve(place, *serves, function, *key, rests=rung.rests)


#: Target, operation, bits of the key, mode.
_Asked = tuple[Target, str, int, str]
#: Those that there are.
ladders: dict[_Asked, Ladder] = {}
#: Who makes a ladder has its turn.
_turns: dict[_Asked, threading.Lock] = {}
_keeping = threading.Lock()


def ladder_of(target: Target, operation: str, key_bits: int, mode: str) -> Ladder:
    """One for all keys, made once a process; threads that ask for it at once wait for the first of them.

    Raises CompilerError.
    """
    asked = target, operation, key_bits, mode
    found = ladders.get(asked)
    if found is None:
        with _turns.setdefault(asked, threading.Lock()):
            found = ladders.get(asked) or Ladder(asked[:3], mode)
            _keep(asked, found)
    return found


def _keep(asked: _Asked, made: Ladder) -> None:
    with _keeping:
        ladders[asked] = made
        if len(ladders) > _MOST:
            oldest = next(iter(ladders))
            del ladders[oldest]
            _turns.pop(oldest, None)


def forget() -> None:
    """Look up compilers, schedules and programs anew from now on."""
    with _keeping:
        ladders.clear()
        _turns.clear()


class Compiled:
    """By programs for messages of different lengths."""

    def __init__(self, by: Ladder, key: bytes, state: bytes, free: int) -> None:
        self.ladder = by
        self.quick = by.open(key, state, free)
        #: How several threads may work on a message.
        self._way: parts.Way | None = None

    @cached_property
    def caller(self) -> calling.Caller:
        """What it has in common with quick calls."""
        return calling.caller(self.quick)

    @property
    def state(self) -> int:
        """The address of the block that the mode goes on from."""
        return self.caller.state or 0

    def share(self, threads: int) -> None:
        """Have at most so many threads work on a message, where its blocks do not wait for each other."""
        self._way, function = self.ladder.way(threads), parts.function()
        if self._way is not None and function is not None:
            self.caller.way = ctypes.addressof(self._way)
            self.caller.parted = ctypes.cast(function, ctypes.c_void_p).value

    def apply(self, source: int, target: int, size: int) -> None:
        """Work on so many bytes, from address to address."""
        self.ladder.prepare(size)
        self.ladder.apply(ctypes.addressof(self.caller), source, target, size)
