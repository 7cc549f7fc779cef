"""What is measured: for each cipher a grid of quantities and sizes, in each cell all that have the cipher."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from finalist.errors import VectorError
from finalist.language.cipher import Cipher
from finalist.measure import clock
from finalist.measure.clock import Measurement
from finalist.measure.memory import buffers
from finalist.measure.turns import Measurer, measure_python
from finalist.peers import python
from finalist.peers.check import Keyed
from finalist.peers.field import WANTED, Field
from finalist.peers.interface import Peer
from finalist.peers.ours import NAME, Programs
from finalist.peers.python import Opened, Package

#: Bytes of a message.
SIZES = (16, 64, 256, 512, 1024, 4096, 16384, 1 << 16, 1 << 20, 1 << 25)
#: Code in C; or objects of Python, where what Python takes for a call is in the figure.
LEVELS = ("C", "Python")
#: Quantities by size of message, each with its operation and mode.
BY_SIZE = dict(zip(("ECB", "ECB decryption", "CTR", "CBC", "CBC decryption"), WANTED, strict=True))
#: Those that encrypt many blocks that wait for no other.
ENCRYPTION = ("ECB", "CTR")
#: In Python also a new object for each message, each under another key, by its size.
NEW = {f"new object, {mode.upper()}": ("encrypt", mode) for mode in ("ecb", "ctr", "cbc")}
NEW_SIZES = (16, 1024, 65536, 1 << 20)
_OPERATIONS = BY_SIZE | NEW
#: Bytes of a run at least, where a key stream goes on from call to call.
_OF_A_STREAM = 1 << 16
#: Keys that take turns; a library might remember the last ones.
_KEYS = 64
#: One block after the other, each a call on the result of the one before; one key after the other.
CHAINED, SETUP = "chained block", "key set-up"


@dataclass(frozen=True)
class Cell:
    """One comparison. ``data_bytes``: of a message, a block or a key."""

    cipher: str
    key_bits: int
    level: str
    quantity: str
    data_bytes: int

    def __str__(self) -> str:
        return f"{self.cipher} {self.key_bits}, {self.level}, {self.quantity}, {self.data_bytes} bytes"


@dataclass(frozen=True)
class Entry:
    """One of those compared: its name, what its figure includes, its schedule if it is ours."""

    name: str
    includes: str
    schedule: str
    measurer: Measurer


def cells(field: Field) -> Iterator[Cell]:
    """All comparisons of a cipher that there is another library or package for."""
    yield from (cell for cell in all_cells(field.definition, field.key_bits) if _others(field, cell))


def all_cells(definition: type[Cipher], key_bits: int) -> Iterator[Cell]:
    """All comparisons of a cipher, whoever else has it: of messages of a block at least."""
    make, least = partial(Cell, definition.name(), key_bits), definition.block.bytes
    sizes, new = ([size for size in every if size >= least] for every in (SIZES, NEW_SIZES))
    for level in LEVELS:
        yield from (make(level, quantity, size) for quantity in BY_SIZE for size in sizes)
    yield from (make(LEVELS[1], quantity, size) for quantity in NEW for size in new)
    yield make(LEVELS[0], CHAINED, definition.block.bytes)
    if key_bits:
        yield make(LEVELS[0], SETUP, key_bits // 8)


def _others(field: Field, cell: Cell) -> Sequence[Peer] | Sequence[Package]:
    operation_and_mode = _OPERATIONS.get(cell.quantity, WANTED[0])
    return (field.packages if cell.level == LEVELS[1] else field.peers)[operation_and_mode]


class Grid:
    """The comparisons of a field."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.programs = Programs(field.definition, field.key_bits)

    def entries(self, cell: Cell) -> list[Entry]:
        """Ours, then all others. Raises what making ours does, and VectorError."""
        operation, mode = _OPERATIONS.get(cell.quantity, WANTED[0])
        if cell.level == LEVELS[1]:
            packages = (python.ours(), *self.field.packages[operation, mode])
            if cell.quantity in NEW:
                return [self._new_objects(one, cell, mode) for one in packages]
            return [self._calls(one, cell, operation, mode) for one in packages]
        measure = _MEASURES.get(cell.quantity, _bulk)
        found = []
        for peer in self.field.peers[operation, mode]:
            kernel = self.field.kernel(peer, operation)
            keyed = kernel.open(self.field.key)
            assert keyed is not None
            function = peer.interface.setup_address if cell.quantity == SETUP else kernel.function
            task = self._task(function, keyed, cell)
            includes = "its key set-up" if cell.quantity == SETUP else peer.includes
            found.append(Entry(peer.name, includes, "", partial(measure, task)))
        return [self._ours(cell, operation, mode), *found]

    def _ours(self, cell: Cell, operation: str, mode: str) -> Entry:
        chain = cell.quantity not in BY_SIZE
        ours = self.programs.serving(
            operation, mode, self.field.block_bytes if chain else cell.data_bytes, chain
        )
        keyed = ours.program.expand(self.field.key)
        measure, function, name = _MEASURES.get(cell.quantity, _bulk), ours.function, ours.function_name
        if cell.quantity == SETUP:
            function, name = ours.program.function_address("expand"), "expand_key"
        elif mode != "ecb":
            measure = partial(_mode, in_blocks=mode == "cbc")
        task = self._task(function, keyed, cell)
        return Entry(NAME, f"..._{name}", str(ours.program.schedule), partial(measure, task))

    def _task(self, function: int, keyed: Keyed, cell: Cell) -> _Task:
        block, goes_on = self.field.block_bytes, self.field.definition.stateful
        sizes = (_whole_blocks(cell, block), block)
        return _Task(function, keyed, *sizes, self.field.key, _OF_A_STREAM if goes_on else 1)

    def _calls(self, package: Package, cell: Cell, operation: str, mode: str) -> Entry:
        work = Opened(package, self.field.cipher, mode, operation == "decrypt").open(self.field.key)
        data, target = bytes(buffers(cell.data_bytes)[0]), package.target(cell.data_bytes)
        assert work is not None
        call: Callable[[], Any] = partial(work, data, target)
        return _of_python(package, package.includes, call, cell.data_bytes)

    def _new_objects(self, package: Package, cell: Cell, mode: str) -> Entry:
        once, data = package.once(self.field.cipher, mode), bytes(buffers(cell.data_bytes)[0])
        if once(self.field.key, data) != Opened(package, self.field.cipher, mode)(self.field.key, data):
            raise VectorError(f"{package.name}: {cell.quantity} of {cell.data_bytes} bytes differs")
        drawn = random.Random(self.field.key)
        keys = itertools.cycle([drawn.randbytes(len(self.field.key)) for _ in range(_KEYS)])
        return _of_python(package, package.includes_once, lambda: once(next(keys), data), cell.data_bytes)


def _whole_blocks(cell: Cell, block_bytes: int) -> int:
    """The bytes of a message as whole blocks, as those of permutations are no powers of two."""
    return cell.data_bytes // block_bytes * block_bytes


def _of_python(package: Package, includes: str, call: Callable[[], Any], data_bytes: int) -> Entry:
    name = NAME if package.library == NAME else package.name
    return Entry(name, includes, "", partial(measure_python, call, data_bytes))


# -- what is measured of a function ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Task:
    """A function, the expanded key that it is called with, which has to live as long; sizes in bytes.

    ``least_bytes``: those of a run.
    """

    function: int
    keyed: Keyed
    data_bytes: int
    block_bytes: int
    key: bytes
    least_bytes: int = 1


class _Measure(Protocol):
    def __call__(self, task: _Task, *, seconds: float) -> Measurement: ...


def _bulk(task: _Task, *, seconds: float) -> Measurement:
    sizes, least = (task.data_bytes, task.block_bytes), task.least_bytes
    return clock.measure_bulk(task.function, task.keyed.address, *sizes, least_bytes=least, seconds=seconds)


def _mode(task: _Task, *, in_blocks: bool, seconds: float) -> Measurement:
    sizes = (task.data_bytes, task.block_bytes)
    return clock.measure_mode(
        task.function, task.keyed.address, *sizes, in_blocks=in_blocks, fresh=True, seconds=seconds
    )


def _chained(task: _Task, *, seconds: float) -> Measurement:
    return clock.measure_chained(task.function, task.keyed.address, task.block_bytes, seconds=seconds)


def _setup(task: _Task, *, seconds: float) -> Measurement:
    return clock.measure_setup(task.function, task.key, task.keyed.address, seconds=seconds)


_MEASURES: dict[str, _Measure] = {CHAINED: _chained, SETUP: _setup}
