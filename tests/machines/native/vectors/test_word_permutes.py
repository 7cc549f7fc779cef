"""Tables of words read by permutes: sizes, places, entries, odd vectors, no permutes at all, refusals."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language import BIG, LITTLE, Array, Cipher, Table, rol, ror, rounds, u16, u32, words
from finalist.machines.native.text.dialect import Vector
from finalist.machines.native.text.emit import key_struct_bytes
from finalist.machines.native.vectors import word_permutes
from finalist.machines.native.vectors.word_permutes import WordVector, halves_of_table
from finalist.toolchain import compiler
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler

needs_vectors = pytest.mark.skipif(
    not compiler.available() or compiler.vector_bits() < word_permutes.VECTOR,
    reason="needs vectors of 512 bits",
)
QUICK = ("-O0", "-march=native")
#: The same text where the vector unit has no permutes of half words, or none at all.
UNITS = ("-march=native", "-mno-avx512bw", "-mno-avx512f")
NUMBERS = random.Random(17)


def table(entries: int, width: int) -> Table:
    return Table([NUMBERS.getrandbits(width) for _ in range(entries)], width, name=f"T{entries}x{width}")


#: Of every size a permute is written for, and a smaller one; wide entries, narrow ones, of half a lane.
TABLES = [
    table(*shape) for shape in ((8, 32), (64, 32), (128, 16), (256, 32), (256, 9), (512, 24), (512, 17))
]


class Reads(Cipher):
    """Each table at places in the lower half of a word, across its middle, and in the upper half."""

    block = words(2, u32, LITTLE)
    key_bits = (128,)
    key_words = words(4, u32, LITTLE)

    def expand_key(self, key):
        S, R = Array(256, 32), Array(32, 32)
        for i in range(256):
            S[i] = (key[i % 4] + TABLES[3][i]) * (2 * i + 1)
        for i in range(32):
            R[i] = key[i % 4] ^ TABLES[1][i]
        return {"S": S, "R": R, "K": Array(4, 32, [0] * 4)}

    def encrypt(self, block, keys):
        a, b = block
        for _ in rounds(2):
            for box in TABLES:
                for low in (0, 3, 7, 12, 16, 32 - box.index_width):
                    found = box[b[low : low + box.index_width]]
                    a, b = b, a + found.extend(32)
            a = (
                a
                ^ keys["S"][b[9:17]]
                ^ keys["R"][b[20:25]]
                ^ keys["S"][(b + a)[0:8]]
                ^ keys["R"][b]
                ^ keys["S"][b[28:]]
            )
            a, b = b, a
        return a, b

    decrypt = encrypt


def reading(name: Any = Reads, operation: str = "encrypt", **choices: Any) -> Any:
    asked = {"lookup": "permute", "word": 32, "width": 512} | choices
    program: Any = finalist.compile(name, "native", operation, 128, **asked)
    program.flags = QUICK
    return program


# -- what they find --------------------------------------------------------------------------------------


@needs_vectors
@pytest.mark.parametrize(("unit", "blocks"), [(UNITS[0], 16), (UNITS[0], 48), (UNITS[1], 48), (UNITS[2], 32)])
@pytest.mark.every(3)
def test_every_kind_of_read(unit: str, blocks: int) -> None:
    program, key = reading(blocks=blocks), bytes(range(16))
    program.flags = (*QUICK, unit)
    data = random.Random(blocks).randbytes(8 * (2 * blocks + 1))
    right = finalist.compile(Reads, "interpreter", "encrypt", 128).run(key, data).output
    assert program.run(key, data).output == right


@needs_vectors
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 31, 32, 33, 65])
@pytest.mark.every(2)
def test_sizes_and_places(count: int) -> None:
    program, key = reading("blowfish", blocks=32), bytes(range(16))
    data = bytes(i * 7 % 251 for i in range(8 * count))
    right = finalist.compile("blowfish", "interpreter", "encrypt", 128).run(key, data).output
    assert program.run(key, data).output == right
    assert program.crypt_in_place(key, data, 3) == right


@needs_vectors
@pytest.mark.parametrize(
    ("name", "operation", "choices"),
    [
        ("blowfish", "decrypt", {"blocks": 64}),
        ("cast-256", "decrypt", {"blocks": 64, "skew": 4}),
        ("mars", "encrypt", {"blocks": 32}),
        ("mars", "decrypt", {"blocks": 16}),
        ("twofish", "decrypt", {"blocks": 48, "constant_time": True}),
    ],
    ids=str,
)
@pytest.mark.every(3)
def test_vectors(name: str, operation: str, choices: dict[str, Any]) -> None:
    program = reading(name, operation, **choices)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


class Halves(Cipher):
    """Arrays of the key read at places of 16 bits, which also meet the block at places of the round."""

    block = words(4, u16, BIG)
    key_bits = (128,)
    key_words = words(8, u16, LITTLE)
    lengths = (64, 128, 512)

    def expand_key(self, key):
        found = {}
        for length in self.lengths:
            array = Array(length, 16)
            for i in range(length):
                array[i] = key[i % 8] * (2 * i + 1) ^ key[(i + 3) % 8]
            found[f"K{length}"] = array
        return found

    def encrypt(self, block, keys):
        made = list(block)
        for i in rounds(4):
            for k in range(4):
                a, b, c = made[k - 1], made[k - 2], made[k - 3]
                made[k] = rol(made[k] + keys["K64"][4 * i + k] + (a & b) + (~a & c), 3 * k)
            for k, length in enumerate(self.lengths):
                made[k] = ror(made[k], 5) - keys[f"K{length}"][made[k + 1][0 : length.bit_length() - 1]]
        return made

    decrypt = encrypt


@needs_compiler
@pytest.mark.parametrize(
    ("width", "unit"), [(128, UNITS[0]), (256, UNITS[0]), (512, UNITS[0]), (512, UNITS[1])]
)
def test_lanes_of_halves(width: int, unit: str) -> None:
    """Permutes, where there are none all of an array; rotations as instructions and by shifts."""
    if width > compiler.vector_bits():
        pytest.skip("this CPU has no such vectors")
    program, key = reading(Halves, word=16, width=width, blocks=width // 8), bytes(range(16))
    program.flags = (*QUICK, unit)
    data = random.Random(width).randbytes(8 * (2 * program.schedule.blocks + 1))
    right = finalist.compile(Halves, "interpreter", "encrypt", 128).run(key, data).output
    assert program.run(key, data).output == right
    assert program.timing == "constant-time"


def test_lanes_of_halves_as_text() -> None:
    """At the blocks' places an array is read as it is, at the round's from words that loads spread."""
    program = reading(Halves, word=16)
    assert "vec_half64(k->K64_a0, " in program.text and "vec_same(k->K64_a0_same[" in program.text
    assert "_mm512_shldi_epi16" in program.text and "K512_a2_same" not in program.text
    assert key_struct_bytes(program.program, program.shape, program.schedule) == 2 * 704 + 4 * 64


def test_lanes_of_halves_read_what_permutes_take() -> None:
    class Few(Halves):
        lengths = (64, 32, 128)

    class Tables(Halves):
        def encrypt(self, block, keys):
            return [TABLES[2][block[0][0:7]], *block[1:]]

    for definition in (Few, Tables):
        with pytest.raises(ScheduleError, match="lanes of 16 bits"):
            reading(definition, word=16)


@needs_vectors
@pytest.mark.parametrize("name", [Reads, "twofish", "mars"])
def test_the_size_of_a_key_is_known_before_it_is_compiled(name: Any) -> None:
    """Libraries make room for it; arrays in halves need some as well."""
    program = reading(name, blocks=32)
    assert key_struct_bytes(program.program, program.shape, program.schedule) == program.key_struct_bytes


# -- the text --------------------------------------------------------------------------------------------


def test_two_vectors_share_a_lookup() -> None:
    pairs, alone = (reading("blowfish", blocks=blocks).text for blocks in (64, 16))
    kernel = pairs[pairs.index("static inline void blowfish_encrypt_64") :].partition("\n}\n")[0]
    assert kernel.count("vec_words256(k->S") == 4 * 2
    assert alone.count("vec_words256(k->S") == 4
    assert "gather" not in kernel


def test_a_vector_alone_shares_its_own_lookups() -> None:
    """Twofish reads each of its tables twice a round, at places that are both known before either is read."""
    kernel = reading("twofish", blocks=16, rounds="unroll").text.partition("twofish_encrypt_16")[2]
    kernel = kernel.partition("\n}\n")[0]
    assert [kernel.count(f"vec_words256(k->table{n}_halves") for n in range(4)] == [16] * 4
    assert ".b" in kernel


def test_a_table_lies_in_halves_and_small_ones_again_and_again() -> None:
    words = halves_of_table(TableData((0x00012345, 0xFFFF0000), 32, "T"))
    assert words.values == (0x2345, 0) * 32 + (1, 0xFFFF) * 32
    assert halves_of_table(TableData(tuple(range(128)), 16, "T")).values == tuple(range(128))


def test_what_permutes_read_has_no_address() -> None:
    assert reading("cast-256").parts.kernel == "constant-time"
    assert reading("cast-256", constant_time=True).timing == "constant-time"


def test_the_key_schedule_reads_the_same_table_word_by_word() -> None:
    """MARS's stands in the file twice, where both read it."""
    text = reading("mars").text
    assert (
        text.count("static const uint32_t S[512]") == text.count("static const uint16_t S_halves[1024]") == 1
    )
    assert "static const uint32_t S0" not in text


@pytest.mark.parametrize("cc", ["gcc", "clang"])
@pytest.mark.parametrize("machine", ["skylake-avx512", "x86-64"])
@pytest.mark.every(4)
def test_compiled_without_warnings(cc: str, machine: str, tmp_path: Path) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"needs {cc}")
    file = tmp_path / "words.c"
    file.write_text(reading(blocks=32).text)
    strict = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-march={machine}")
    command = [cc, *strict, "-c", str(file), "-o", str(tmp_path / "words.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


# -- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [128, 256])
def test_a_permute_of_words_takes_the_widest_vectors(width: int) -> None:
    said = f"width={width}: a permute of words takes vectors of 512 bits; accepted with it: width=512"
    with pytest.raises(ScheduleError, match=said):
        reading("mars", width=width)


def test_a_narrower_word_has_no_other_use() -> None:
    with pytest.raises(ScheduleError, match="word=32 is not legal for mars: it has no word of more than 32"):
        reading("mars", lookup="gather")


def test_a_permute_takes_tables_of_some_size() -> None:
    make = Builder()
    x = make.param("memory", WordType(10), "x")
    lookup = make.make(Op.LOOKUP, (x,), TableData((0,) * 1024, 32))
    assert "reads tables of up to 512 entries" in WordVector.refusal(lookup, 32, "permute")
    assert not WordVector.refusal(lookup, 32, "gather")


@pytest.mark.parametrize(
    ("dialect", "lookup"), [(Vector, "gather"), (WordVector, "gather"), (WordVector, "permute")]
)
def test_an_entry_wider_than_a_lane_has_no_form(dialect: type[Vector], lookup: str) -> None:
    make = Builder()
    x = make.param("memory", WordType(8), "x")
    narrow, wide = (make.make(Op.LOOKUP, (x,), TableData((0,) * 256, width)) for width in (32, 64))
    assert not dialect.refusal(narrow, 32, lookup)
    assert "an entry of 64 bits does not fit a lane of 32" in dialect.refusal(wide, 32, lookup)


def test_operations_are_those_of_half_a_pair() -> None:
    """Of 256 words: four permutes and three choices a half, and what puts indices and words together."""
    assert word_permutes.operations(256) == 4 + 3 + 3
