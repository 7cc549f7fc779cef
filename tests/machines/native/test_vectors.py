"""The vectors of all ciphers and key lengths: interpreter, and native under several schedules.

`finalist verify` runs the whole product, optimised; here the schedules beside the two main ones take turns,
in the first tier more than in the second. Of two directions one is optimised: of the other the text alone
is put to the test, which takes a fraction of the time.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError, VectorError
from finalist.language.definition import OPERATIONS
from finalist.machines.native.machine import MACHINE
from finalist.machines.native.memory import Buffer
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers, check_monte_carlo
from finalist.vectors.load import MODES, key_lengths, monte_carlo_of, vectors_of
from tests.catalogue import USUAL
from tests.marks import needs_compiler


def lengths(name: str) -> list[int]:
    """The key lengths of a cipher; of a range the shortest, the usual and the longest with vectors."""
    found = key_lengths(cipher(name))
    few = found if len(found) < 6 else (found[0], cipher(name).usual_key_bits(), found[-1])
    return [bits for bits in found if bits in few]


PROGRAMS = [(name, bits, operation) for name in USUAL for bits in lengths(name) for operation in OPERATIONS]
#: Key schedules with so many iterations that the interpreter takes ten seconds for one: one program of these
#: is enough, in the second tier; `verify` takes them all.
LONG = {"frog"}


def tier(case: tuple[Any, ...], *, first: bool) -> Any:
    """A case of a test, in the first tier or in the second alone."""
    return pytest.param(*case, marks=() if first else pytest.mark.check)


def interpreted() -> Iterator[Any]:
    """All key lengths in both directions; in the first tier the usual one, and one in nine of the others."""
    for place, (name, bits, operation) in enumerate(PROGRAMS):
        usual = bits == cipher(name).usual_key_bits()
        if name not in LONG or (usual and operation == "encrypt"):
            yield tier((name, bits, operation), first=name not in LONG and (usual or place % 9 == 0))


LENGTHY = {"deal"}
#: Chains of each mode that are run here; DEAL has hundreds.
MOST_CHAINS = 8
ONE_BLOCK = Schedule(blocks=1, width=1)
#: Cipher, direction and schedule. Each schedule with one cipher in five, in turns, and in three for wide
#: words; in the first tier with one in twenty. What is bitsliced has a file of its own: a few ciphers, since
#: that code is long. So is DEAL's, whose rounds are whole encryptions by another cipher of these.
_ONE_IN, _FIRST_ONE_IN = 5, 20  # of the ciphers
OTHERS = [
    tier((name, OPERATIONS[(place + number) % 2], schedule), first=(place + number) % _FIRST_ONE_IN == 0)
    for place, name in enumerate(USUAL)
    if name not in LENGTHY
    for number, schedule in enumerate(s for s in MACHINE.variants if s not in (Schedule(), ONE_BLOCK))
    if schedule.lookup != "bitslice" and (place + number) % (3 if schedule.word == 32 else _ONE_IN) == 0
]


def native(
    name: str, operation: str, bits: int, schedule: Schedule, *, optimised: bool = True
) -> NativeProgram:
    program: Any = finalist.compile(name, "native", operation, bits, schedule)
    return program if optimised else program.unoptimised()


def is_optimised(name: str, operation: str, bits: int | None = None) -> bool:
    """One direction of each cipher's usual key length, in turns."""
    turn = OPERATIONS[USUAL.index(name) % 2]
    return operation == turn and bits in (None, cipher(name).usual_key_bits())


@pytest.mark.parametrize(("name", "bits", "operation"), list(interpreted()))
def test_interpreter(name: str, bits: int, operation: str) -> None:
    program = finalist.compile(name, "interpreter", operation, bits)
    rows = vectors_of(cipher(name))
    assert check_known_answers(program, rows[::4] if name in LONG else rows) > 0


def natively() -> Iterator[Any]:
    """All key lengths in both directions; in the first tier the usual one in one, of every other cipher in
    both."""
    for place, name in enumerate(USUAL):
        usual = cipher(name).usual_key_bits()
        for bits in lengths(name) if name not in LENGTHY else [usual]:
            first = bits == usual and name not in LENGTHY
            for number, operation in enumerate(OPERATIONS):
                yield tier((name, bits, operation), first=first and (place + number) % 4 != 0)


@needs_compiler
@pytest.mark.parametrize(("name", "bits", "operation"), list(natively()))
def test_native(name: str, bits: int, operation: str) -> None:
    """Known answers, and published Monte Carlo chains of 10,000 blocks, ECB and CBC; `verify` takes all."""
    program = native(name, operation, bits, Schedule(), optimised=is_optimised(name, operation, bits))
    assert check_known_answers(program, vectors_of(cipher(name))) > 0
    own = [r for r in monte_carlo_of(cipher(name)) if (len(r.key) * 8, r.direction) == (bits, operation)]
    chains = [row for mode in MODES for row in [r for r in own if r.mode == mode][:MOST_CHAINS]]
    assert check_monte_carlo(program, chains) == len(chains)


@needs_compiler
@pytest.mark.parametrize(
    ("place", "name"),
    [tier((place, name), first=place % 2 == 0 and name not in LENGTHY) for place, name in enumerate(USUAL)],
)
def test_one_block_at_a_time(place: int, name: str) -> None:
    """Directions in turns; `verify` takes them all."""
    operation = OPERATIONS[place // 2 % 2]
    optimised = is_optimised(name, operation)
    program = native(name, operation, cipher(name).usual_key_bits(), ONE_BLOCK, optimised=optimised)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


@needs_compiler
@pytest.mark.parametrize(("name", "operation", "schedule"), OTHERS, ids=str)
def test_other_schedules(name: str, operation: str, schedule: Schedule) -> None:
    """Right, or refused with the reason."""
    found = cipher(name)
    try:
        optimised = is_optimised(name, operation)
        program = native(name, operation, found.usual_key_bits(), schedule, optimised=optimised)
        assert check_known_answers(program, vectors_of(found)) > 0
    except ScheduleError as error:
        refusal = str(error)
    else:
        return
    assert any(text.partition("=")[0] in refusal for text in schedule.texts())


@needs_compiler
def test_a_vector_of_another_cipher_is_found() -> None:
    with pytest.raises(VectorError, match="rc6 encrypt"):
        check_known_answers(native("rc6", "encrypt", 128, Schedule()), vectors_of(cipher("serpent")))


# -- sizes, places -----------------------------------------------------------------------------------

#: A scalar program of one block, one of several with a tail, and vectors of blocks.
SHAPES = [("rijndael", 1, 1), ("twofish", 3, 1), ("rc6", 8, 128), ("serpent", 8, 256)]
GUARD = b"\xa5" * 32


@pytest.fixture(params=SHAPES, ids=str)
def program(request: pytest.FixtureRequest) -> NativeProgram:
    name, blocks, width = request.param
    return native(name, "encrypt", 128, Schedule(blocks=blocks, width=width))


def message(blocks: int) -> bytes:
    return bytes(i * 7 % 256 for i in range(16 * blocks))


def expected(program: NativeProgram, key: bytes, data: bytes) -> bytes:
    return finalist.compile(program.cipher, "interpreter").run(key, data).output


def sizes(program: NativeProgram) -> list[int]:
    lanes = program.schedule.blocks or 1
    return sorted({0, 1, lanes - 1, lanes, lanes + 1, 2 * lanes + 1})


@needs_compiler
class TestPlaces:
    KEY = bytes(range(16))

    def test_sizes(self, program: NativeProgram) -> None:
        right = expected(program, self.KEY, message(max(sizes(program))))
        for count in sizes(program):
            assert program.run(self.KEY, message(count)).output == right[: 16 * count]

    def test_in_place_at_every_offset(self, program: NativeProgram) -> None:
        right = expected(program, self.KEY, message(max(sizes(program))))
        for count, offset in itertools.product(sizes(program), range(16)):
            assert program.crypt_in_place(self.KEY, message(count), offset) == right[: 16 * count]

    def test_from_and_to_every_offset(self, program: NativeProgram) -> None:
        """Nothing but the output is written, and the input is left as it was."""
        count = max(sizes(program))
        data, key = message(count), program.expand(self.KEY)
        right = expected(program, self.KEY, data)
        for inward, outward in itertools.product(range(16), range(16)):
            source, target = Buffer(inward + len(data)), Buffer(outward + len(data) + 2 * len(GUARD))
            ctypes.memmove(source.address + inward, data, len(data))
            target.write(GUARD[:1] * target.size)
            begin = len(GUARD) + outward
            program.crypt_at(key, source.address + inward, target.address + begin, count)
            written = target.read()
            assert written[begin : begin + len(data)] == right
            assert set(written[:begin] + written[begin + len(data) :]) <= set(GUARD)
            assert source.read()[inward:] == data

    def test_keys_at_every_offset(self, program: NativeProgram) -> None:
        right = expected(program, self.KEY, message(1))
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
        expand = prototype(program.function_address("expand"))
        for offset in range(16):
            source, expanded = Buffer(offset + 16), program.expand(bytes(16))
            ctypes.memmove(source.address + offset, self.KEY, 16)
            expand(source.address + offset, expanded.address)
            assert program.crypt(expanded, message(1)) == right

    def test_one_block_after_the_other(self, program: NativeProgram) -> None:
        crypt, block = program.one_block(self.KEY), message(1)
        for _ in range(5):
            block, before = crypt(block), block
            assert block == expected(program, self.KEY, before)
