"""What Finalist runs, its file and an exported library, side by side: what is measured, and of what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import cycle
from typing import Any

from finalist.errors import VectorError
from finalist.export.figures.built import BuiltLibrary, Functions
from finalist.language.cipher import Cipher
from finalist.machines.native.memory import Buffer
from finalist.measure import clock
from finalist.measure.bench import match
from finalist.measure.clock import Measurement
from finalist.measure.turns import Measurer
from finalist.peers.check import Kernel, check_vectors
from finalist.peers.ours import Ours, Programs
from finalist.vectors.load import vectors_of

#: What a user compiles a file with.
AS_A_USER = ("-O2", "-march=native")
RUN, FILE, LIBRARY = "finalist.new", "file", "library"
ECB, CTR, DECRYPTION = "ECB", "CTR", "ECB decryption"
LATENCY, SETUP_ONE, SETUP_MANY = "chained block", "key set-up, one block", "key set-up, 64 KiB"
_SETUPS = (SETUP_ONE, SETUP_MANY)
#: Bytes of a call in bulk; `SETUP_MANY` is of messages of the last size.
SIZES = (16384, 65536)
#: Bytes of a page and of a cache line, and the lines from one sample's page offset to the next one's.
#: Processors take a load for one of what was just stored at the same offset of another page (4K
#: aliasing), and wait: by where an expanded key lies, a set-up may take a tenth longer.
_PAGE, _LINE, _STRIDE = 4096, 64, 27
_MODES = {ECB: ("encrypt", "ecb"), CTR: ("encrypt", "ctr"), DECRYPTION: ("decrypt", "ecb")}


@dataclass(frozen=True)
class Cell:
    """One comparison; ``data_bytes``: of a call in bulk, else 0."""

    quantity: str
    data_bytes: int = 0


CELLS = (
    *(Cell(mode, size) for mode in (ECB, CTR) for size in SIZES),
    Cell(DECRYPTION, SIZES[-1]),
    Cell(LATENCY),
    Cell(SETUP_ONE),
    Cell(SETUP_MANY),
)


@dataclass(frozen=True)
class Entry:
    """One of those compared: which, its schedule, and what takes its figure."""

    name: str
    about: str
    measurer: Measurer


class Compared:
    """A cipher under keys of one length, in all that a user has it from.

    Each is held to the vectors before it is measured. Raises VectorError, CompilerError, or as `Functions`.
    """

    def __init__(self, cipher: type[Cipher], key_bits: int, library: BuiltLibrary) -> None:
        self.cipher, self.key_bits, self.library = cipher, key_bits, library
        self.rows = [row for row in vectors_of(cipher) if len(row.key) * 8 == key_bits]
        if not self.rows:
            raise VectorError(f"{cipher.name()} has no vectors for {key_bits}-bit keys")
        # A key of many different bytes: zeros could be quicker than others to set up.
        self.key = max((row.key for row in self.rows), key=lambda key: len(set(key)))
        self.programs = Programs(cipher, key_bits)
        self._files: dict[tuple[str, str], Any] = {}

    def cells(self) -> Iterator[Cell]:
        """What there is to compare; a stream cipher has no modes."""
        return (cell for cell in CELLS if not (self.cipher.stateful and cell.quantity == CTR))

    def entries(self, cell: Cell) -> list[Entry]:
        """What Finalist runs, the file, the library."""
        operation, mode = _MODES.get(cell.quantity, _MODES[ECB])
        chain = cell.quantity in (LATENCY, SETUP_ONE)
        size = self.cipher.block.bytes if chain else cell.data_bytes or SIZES[-1]
        ours = self.programs.serving(operation, mode, size, chain)
        file = Ours(self._file(ours.program, mode), mode)
        about = str(ours.program.schedule)
        return [
            Entry(RUN, about, self._of_program(cell, ours)),
            Entry(FILE, about, self._of_program(cell, file)),
            self._of_library(cell, operation, mode),
        ]

    def _file(self, program: Any, mode: str) -> Any:
        """The same text, compiled as a user would."""
        made = (str(program.operation), str(program.schedule))
        if made not in self._files:
            self._files[made] = program.compiled_with(AS_A_USER)
            match(self._files[made], self.rows, [mode])
        return self._files[made]

    def _of_program(self, cell: Cell, ours: Ours) -> Measurer:
        program, key = ours.program, ours.program.expand(self.key)
        if cell.quantity not in _SETUPS:
            return self._measurer(cell, ours.function, key)
        return _AtAllOffsets(
            key.size, partial(clock.measure_setup, program.function_address("expand"), self.key)
        )

    def _of_library(self, cell: Cell, operation: str, mode: str) -> Entry:
        functions = self._checked[operation]
        context = functions.open(self.key)
        about = functions.programs(context)
        if cell.quantity not in _SETUPS:
            return Entry(LIBRARY, about, self._measurer(cell, functions.address(mode), context))
        size = SIZES[-1] if cell.quantity == SETUP_MANY else self.cipher.block.bytes
        message = None if self.cipher.stateful else size
        set_key = partial(clock.measure_set_key, functions.setup_address, self.key, message=message)
        return Entry(LIBRARY, about, _AtAllOffsets(context.size, set_key))

    def _measurer(self, cell: Cell, function: int, keyed: Any) -> Measurer:
        """``keyed`` lives as long as what is returned."""
        block = self.cipher.block.bytes
        if cell.quantity == LATENCY:
            return lambda *, seconds: clock.measure_chained(function, keyed.address, block, seconds=seconds)
        if cell.quantity == CTR:
            mode = partial(clock.measure_mode, in_blocks=False, fresh=True)
            return lambda *, seconds: mode(function, keyed.address, cell.data_bytes, block, seconds=seconds)
        bulk = clock.measure_bulk
        return lambda *, seconds: bulk(function, keyed.address, cell.data_bytes, block, seconds=seconds)

    @cached_property
    def _checked(self) -> dict[str, Functions]:
        """The library's functions of each operation."""
        found = {}
        for operation in ("encrypt", "decrypt"):
            functions = Functions(self.library, self.cipher, operation, self.key_bits)
            ecb = Kernel(functions.address("ecb"), self.cipher.block.bytes, functions.open)
            if not self.cipher.stateful and check_vectors(ecb, self.rows, operation):
                raise VectorError(f"{self.library.folder}: {self.cipher.name()} orders bytes otherwise")
            found[operation] = functions
        return found


class _AtAllOffsets:
    """Measures a key set-up that writes so many bytes, each sample to another page offset; all sides of a
    comparison have the same ones, in the same order."""

    def __init__(self, size: int, set_up: Callable[..., Measurement]) -> None:
        self._set_up, self._memory = set_up, Buffer(size + 2 * _PAGE)
        page = -(-self._memory.address // _PAGE) * _PAGE
        self._addresses = cycle(page + line * _STRIDE * _LINE % _PAGE for line in range(_PAGE // _LINE))

    def __call__(self, *, seconds: float) -> Measurement:
        return self._set_up(next(self._addresses), seconds=seconds)
