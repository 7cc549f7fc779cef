"""B. Gladman, "Implementation Experience with AES Candidate Algorithms" (1999), beside this computer.

Table 1 by his method: the least time of two calls less that of one, for key set-up, encryption and
decryption of one block; and his ranking of the candidates by the length of a message. His machine was a
Pentium Pro, his code plain C for words of 32 bits; ours is the C that Finalist emits for one block a call,
without vectors, for this computer's own words or, as an executable, for words of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import CompiledProgram
from finalist.measure import clock
from finalist.measure.bench import HostProgram, Matched, match
from finalist.measure.clock import Measurement
from finalist.measure.standalone import Source, Standalone
from finalist.papers.load import notes_on, paper
from finalist.schedule import Schedule
from finalist.vectors.load import vectors_of

KEY_BITS = (128, 192, 256)
#: His machine's clock, to which speeds are scaled, in Hz.
HIS_CLOCK = 200e6
#: Bytes of the messages by which he ranks: one block, 4096 bytes, more than a million.
MESSAGES = (16, 4096, 1 << 20)
#: Code for words of 32 bits; with no later instruction than his processor had.
FLAGS_32 = ("-m32", "-march=pentiumpro", "-mtune=generic", "-O2", "-fno-tree-vectorize", "-Wno-psabi")
_ONE_BLOCK = Schedule(blocks=1, width=1)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cipher and key length: core cycles of set-up and one block each way.

    ``key_setup`` has the encryption's and the decryption's.
    """

    cipher: str
    key_bits: int
    block_bytes: int
    key_setup: tuple[float, float]
    encrypt: float
    decrypt: float

    @property
    def average(self) -> float:
        """Cycles of a block, of as many encrypted as decrypted: his "average"."""
        return (self.encrypt + self.decrypt) / 2

    def mbit_per_s(self, what: str, frequency: float) -> float:
        """10^6 bits a second at so many cycles a second."""
        return 8 * self.block_bytes * frequency / float(getattr(self, what)) / 1e6

    def message_cycles(self, data_bytes: int) -> float:
        """Cycles of a key set-up and of encrypting a message."""
        return self.key_setup[0] + self.encrypt * -(-data_bytes // self.block_bytes)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates by the cycles of a message, quickest first: ours, his by his table, his as printed.

    ``correlation``: Spearman's, of our order and his by the table.
    """

    data_bytes: int
    ours: tuple[str, ...]
    his: tuple[str, ...]
    printed: tuple[str, ...]
    correlation: float


def rows() -> dict[str, str]:
    """The paper's candidates and the definition of each, in the paper's order: quickest encryption first."""
    names = notes_on("gladman").get("table_1", {}).get("names", {})
    return {name: names.get(name, name) for name in paper("gladman")["results"]}


def references() -> tuple[str, ...]:
    """Ciphers that are not candidates, which he measured by."""
    found: tuple[str, ...] = tuple(notes_on("gladman")["table_1"]["references"])
    return found


def unpackaged() -> tuple[str, ...]:
    """The candidates that no library of today has, to be measured beside: his code is what there is."""
    found: tuple[str, ...] = tuple(notes_on("gladman")["table_1"]["unpackaged"])
    return found


def published(name: str, key_bits: int) -> Cell:
    """The paper's own cell of a candidate."""
    entry: Mapping[str, Any] = paper("gladman")["results"][name]
    setup, bits = entry["key_setup_cycles"][str(key_bits)], str(key_bits)
    pair = (setup["encrypt"], setup["decrypt"]) if isinstance(setup, dict) else (setup, setup)
    encrypt, decrypt = entry["encrypt_cycles"][bits], entry["decrypt_cycles"][bits]
    return Cell(name, key_bits, 16, pair, encrypt, decrypt)


def measure(name: str, key_bits: int, *, seconds: float, bits: int = 64) -> Cell:
    """Our cell of a candidate; ``bits``: 64 for this process, 32 for an executable of 32-bit words.

    Raises what `finalist.compile`, `match` and `Standalone` raise.
    """
    definition = find_cipher(rows().get(name, name))
    setup: list[float] = []
    crypt: list[float] = []
    for operation in OPERATIONS:
        expand_figure, crypt_figure = _figures(definition, operation, key_bits, seconds, bits)
        setup.append(expand_figure.core_cycles)
        crypt.append(crypt_figure.core_cycles)
    return Cell(definition.name(), key_bits, definition.block.bytes, (setup[0], setup[1]), *crypt)


def _figures(
    definition: type[Cipher], operation: str, key_bits: int, seconds: float, bits: int
) -> tuple[Measurement, Measurement]:
    vectors = vectors_of(definition)
    if bits == 32:
        program = _narrow(definition, operation, key_bits)
        source = Source(program.cipher, operation, key_bits, program.block_bytes, program.text)
        alone = Standalone(source, FLAGS_32, vectors)
        return alone.measure_setup(seconds=seconds), alone.measure_call(seconds=seconds)
    matched = match(api.compile(definition, "native", operation, key_bits, _ONE_BLOCK), vectors)
    return set_up_and_call(matched, operation, seconds)


def set_up_and_call(matched: Matched, operation: str, seconds: float) -> tuple[Measurement, Measurement]:
    """The key set-up and one call on one block of a program that has matched."""
    one: HostProgram = matched.program
    expanded = one.expand(matched.key)
    expand, crypt = one.function_address("expand"), one.function_address(operation)
    return (
        clock.measure_setup(expand, matched.key, expanded.address, seconds=seconds),
        clock.measure_call(crypt, expanded.address, one.block_bytes, seconds=seconds),
    )


def _narrow(definition: type[Cipher], operation: str, key_bits: int) -> CompiledProgram:
    """The program in words of 32 bits, which a definition without wider ones has anyway."""
    try:
        return api.compile(definition, "native", operation, key_bits, Schedule(word=32).over(_ONE_BLOCK))
    except ScheduleError:
        return api.compile(definition, "native", operation, key_bits, _ONE_BLOCK)


# -- rankings ----------------------------------------------------------------------------------------


def rankings(cells: Sequence[Cell]) -> Iterator[Ranking]:
    """For each length of message, from the cells of all candidates (one key length, the paper's order)."""
    printed = list(paper("gladman")["ranking_by_message_length"].values())
    names = list(rows())
    for data_bytes, order in zip(MESSAGES, printed, strict=True):
        ours = [cell.message_cycles(data_bytes) for cell in cells]
        his = [published(name, cells[0].key_bits).message_cycles(data_bytes) for name in names]
        yield Ranking(
            data_bytes,
            _ordered([cell.cipher for cell in cells], ours),
            _ordered(names, his),
            tuple(order),
            rank_correlation(ours, his),
        )


def _ordered(names: Iterable[str], values: Iterable[float]) -> tuple[str, ...]:
    return tuple(name for _, name in sorted(zip(values, names, strict=True)))


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation; equal values share the mean of their ranks. Needs two values or more."""
    a, b = _ranks(one), _ranks(other)
    mean = (len(a) + 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    spread = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return covariance / spread**0.5 if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]
