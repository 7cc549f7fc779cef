"""Counts that are known by hand: of the ciphers' specifications, and of the papers."""

from __future__ import annotations

from functools import cache

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.ops import Op
from finalist.report.counts import Counts
from finalist.report.kinds import MULTIPLICATIONS, Kind
from finalist.report.profile import COMPILED, NARROW, WRITTEN, Form, forms, lowered, profile, written


@cache
def form(name: str, how: str, bits: int = 128, operation: str = "encrypt") -> Form:
    make = written if how == WRITTEN else lowered
    return make(cipher(name), operation, bits)


def numbers(counts: Counts, *kinds: Kind) -> list[int]:
    return [counts.of(kind) for kind in kinds]


# -- lookups -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "bits", "lookups"),
    [
        ("rijndael", 128, 160),
        ("rijndael", 192, 192),
        ("rijndael", 256, 224),
        ("mars", 128, 80),
        ("twofish", 128, 128),
        ("twofish", 256, 128),
        ("blowfish", 128, 64),
        ("cast-256", 128, 192),
        ("crypton-v05", 128, 192),
        ("crypton-v1", 256, 192),
        ("des", 64, 128),
        ("triple-des", 192, 3 * 128),
        ("e2", 128, 192),
        ("safer-plus", 128, 128),
        ("frog", 128, 128),
        ("hpc", 128, 24),
        ("dfc", 128, 8),
        ("rc6", 128, 0),
        ("serpent", 128, 0),
    ],
)
@pytest.mark.every(10)
def test_lookups_of_a_block_as_compiled(name: str, bits: int, lookups: int) -> None:
    assert form(name, COMPILED, bits).counts.lookups == lookups


@pytest.mark.parametrize(
    ("name", "bits", "lookups"),
    [("deal", 128, 6 * 128), ("deal", 256, 8 * 128), ("loki97", 128, 16 * 16), ("safer-plus", 256, 256)],
)
@pytest.mark.every(2)
def test_lookups_of_a_block_as_written(name: str, bits: int, lookups: int) -> None:
    assert form(name, WRITTEN, bits).counts.lookups == lookups


@pytest.mark.check
def test_wide_tables() -> None:
    """E2's S and P together are eight tables of 64 bits; the second S of a round stays as it is."""
    found = forms(cipher("e2"), "encrypt", 128)
    assert [one.name for one in found] == [WRITTEN, COMPILED, NARROW]
    _, compiled, narrow = found
    assert [(table.width, table.lookups) for table in compiled.counts.tables].count((64, 12)) == 8
    assert compiled.counts.operations[Kind.LOOKUP, 8] == 96
    assert compiled.table_bytes == 8 * 2048 + 256
    assert narrow.counts.operations[Kind.LOOKUP, 8] == narrow.counts.lookups == 192
    assert (narrow.key_schedule, narrow.key_bytes) == (None, compiled.key_bytes)


def test_no_narrow_form_where_no_map_is_wide() -> None:
    assert [one.name for one in forms(cipher("rijndael"), "encrypt", 128)] == [WRITTEN, COMPILED]


# -- all operations ------------------------------------------------------------------------------------


def test_rc6() -> None:
    """Each of 20 rounds: two multiplications, four rotations, two XORs, two doublings with 1, two keys."""
    counts = form("rc6", WRITTEN).counts
    kinds = (Kind.MUL, Kind.DATA_ROTATE, Kind.ROTATE, Kind.XOR, Kind.SHIFT, Kind.ADD, Kind.KEY_WORD)
    assert numbers(counts, *kinds) == [40, 40, 40, 40, 40, 44 + 40, 44]
    assert counts.total == 284
    assert form("rc6", COMPILED).counts.operations == counts.operations


def test_rijndael_as_written() -> None:
    """SubBytes on 16 bytes ten times, MixColumns on 4 columns nine times, eleven round keys."""
    counts = form("rijndael", WRITTEN).counts
    kinds = (Kind.LOOKUP, Kind.LINEAR, Kind.XOR, Kind.KEY_WORD)
    assert numbers(counts, *kinds) == [160, 36, 176, 176]
    assert counts.total == 372


def test_rijndael_as_compiled() -> None:
    """Four lookups and four XORs for each column of nine rounds; then bytes, and the last key."""
    counts = form("rijndael", COMPILED).counts
    assert counts.operations[Kind.LOOKUP, 32] == 144
    assert counts.operations[Kind.LOOKUP, 8] == 16
    assert counts.of(Kind.XOR) == 9 * 16 + 2 * 4
    assert counts.total == 160 + 152


def test_mars() -> None:
    counts = form("mars", WRITTEN).counts
    kinds = (Kind.LOOKUP, Kind.XOR, Kind.MUL, Kind.ROTATE, Kind.DATA_ROTATE)
    assert numbers(counts, *kinds) == [80, 80, 16, 64, 32]
    assert counts.of(Kind.ADD, Kind.SUB) == 96


def test_twofish() -> None:
    counts = form("twofish", COMPILED).counts
    kinds = (Kind.KEYED_LOOKUP, Kind.ADD, Kind.SHIFT, Kind.XOR, Kind.ROTATE)
    assert numbers(counts, *kinds) == [128, 64, 16, 136, 32]
    assert form("twofish", WRITTEN).counts.of(Kind.KEYED_FUNCTION) == 128


def test_serpent() -> None:
    """As written four Boolean functions in each of 32 S-box layers, 132 key words, 31 linear layers."""
    counts = form("serpent", WRITTEN).counts
    kinds = (Kind.BOOL, Kind.XOR, Kind.ROTATE, Kind.SHIFT)
    assert numbers(counts, *kinds) == [128, 132 + 248, 186, 62]
    compiled = form("serpent", COMPILED).counts
    assert compiled.of(Kind.BOOL) == 0
    assert compiled.total - 132 - 248 - 186 - 62 <= 524  # the submission's circuits


def test_blowfish() -> None:
    counts = form("blowfish", WRITTEN).counts
    kinds = (Kind.KEYED_LOOKUP, Kind.ADD, Kind.XOR, Kind.KEY_WORD)
    assert numbers(counts, *kinds) == [64, 32, 16 + 16 + 18, 18]


def test_cast_256() -> None:
    """48 round functions: a key operation, a rotation by a key word, four lookups, three sums, an XOR."""
    counts = form("cast-256", WRITTEN).counts
    assert counts.of(Kind.KEY_ROTATE) == 48
    assert counts.of(Kind.DATA_ROTATE) == 0
    assert counts.of(Kind.ADD, Kind.SUB, Kind.XOR) == 48 + 144 + 48
    assert counts.of(*MULTIPLICATIONS) == 0


def test_e2_inverts_its_keys_once() -> None:
    """The divisors of the final transformation are inverted by Newton's method, on the key alone."""
    counts = form("e2", WRITTEN).counts
    assert (counts.of(Kind.MUL), counts.of_key) == (8 + 4 * 8, 4 * (8 + 4) + 4 + 4)
    compiled = form("e2", COMPILED).counts
    assert (compiled.of(Kind.MUL), compiled.of_key) == (8, 0)


@pytest.mark.parametrize(("bits", "rounds"), [(128, 8), (192, 12), (256, 16)])
def test_safer_plus(bits: int, rounds: int) -> None:
    counts = form("safer-plus", WRITTEN, bits).counts
    layer = 4 * 8  # pairs: u + v, and that twice u for a shift
    kinds = (Kind.LOOKUP, Kind.XOR, Kind.ADD, Kind.SHIFT)
    assert numbers(counts, *kinds) == [
        16 * rounds,
        16 * rounds + 8,
        (16 + 2 * layer) * rounds + 8,
        layer * rounds,
    ]


def test_crypton() -> None:
    counts = form("crypton-v1", WRITTEN).counts
    assert numbers(counts, Kind.LOOKUP, Kind.XOR, Kind.AND) == [192, 4 + 11 * 16 + 4, 11 * 16]


def test_dfc() -> None:
    """A round: a wide product, two by thirteen (of one also the upper half), one lookup."""
    counts = form("dfc", WRITTEN).counts
    assert numbers(counts, Kind.MUL, Kind.MULHI, Kind.LOOKUP) == [8 * 3, 8 * 2, 8]


def test_loki97() -> None:
    """A round's keyed exchange is two XORs and an AND; one more XOR is the Feistel network's."""
    counts = form("loki97", WRITTEN).counts
    assert counts.of(Kind.ADD) == 32
    assert counts.operations[Kind.XOR, 64] == 3 * 16
    assert counts.of(Kind.AND) == 16
    assert form("loki97", WRITTEN).table_bytes == 8192 + 2048


def test_frog() -> None:
    counts = form("frog", WRITTEN).counts
    kinds = (Kind.KEYED_LOOKUP, Kind.KEY_WORD, Kind.XOR, Kind.READ, Kind.WRITE, Kind.ADD)
    assert numbers(counts, *kinds) == [128, 256, 384, 128, 128, 0]


def test_hpc() -> None:
    """Eight rounds, and two key words at each end; one sum a round is an amount to shift by."""
    counts = form("hpc", WRITTEN).counts
    kinds = (Kind.XOR, Kind.SHIFT, Kind.DATA_SHIFT, Kind.AND, Kind.KEYED_LOOKUP, Kind.KEY_WORD)
    assert numbers(counts, *kinds) == [104, 8 * 14, 8, 24, 24, 8 + 4]
    assert counts.of(Kind.ADD, Kind.SUB) == 84 + 8


def test_magenta() -> None:
    """Half of the result of each round's last PI is not used: 16 lookups and 8 XORs less in six rounds."""
    counts = form("magenta", WRITTEN).counts
    assert numbers(counts, Kind.LOOKUP, Kind.XOR) == [2304 - 6 * 16, 1392 - 6 * 8]


def test_rc4() -> None:
    """S[i] and S[j] are read before and after they change places, then the byte of the stream."""
    counts = form("rc4", WRITTEN).counts
    assert numbers(counts, Kind.READ, Kind.WRITE, Kind.ADD, Kind.XOR) == [5, 2, 3, 1]
    assert counts.lookups == 0


# -- key schedules -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "lookups"), [(128, 40), (192, 32), (256, 52)])
def test_key_schedule_of_rijndael(bits: int, lookups: int) -> None:
    schedule = form("rijndael", WRITTEN, bits).key_schedule
    assert schedule is not None
    assert schedule.lookups == lookups


def test_key_schedule_of_the_inverse_cipher() -> None:
    """Decryption by tables needs InvMixColumns on nine round keys."""
    schedule = form("rijndael", COMPILED, operation="decrypt").key_schedule
    assert schedule is not None
    assert schedule.operations[Kind.LOOKUP, 32] == 9 * 16


@pytest.mark.parametrize(
    ("name", "bits", "lookups"),
    [("cast-256", 256, 768), ("loki97", 256, 48 * 16), ("loki97", 128, 50 * 16), ("deal", 128, 768)],
)
def test_lookups_of_key_schedules(name: str, bits: int, lookups: int) -> None:
    schedule = form(name, WRITTEN, bits).key_schedule
    assert schedule is not None
    assert schedule.lookups == lookups


def test_loops_count_as_often_as_they_turn() -> None:
    """Blowfish enciphers 521 times: 64 reads of its boxes each, at places that the blocks choose."""
    schedule = form("blowfish", WRITTEN).key_schedule
    assert schedule is not None
    assert schedule.of(Kind.READ) == 521 * 64
    assert (schedule.at_most, schedule.uncertain) == (False, 0)


def test_loops_with_bounds_of_the_data_count_at_most() -> None:
    schedule = form("frog", WRITTEN).key_schedule
    assert schedule is not None
    assert schedule.at_most
    assert schedule.uncertain == 0


# -- the rest of a profile -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rounds"),
    [
        ("rijndael", "10"),
        ("crypton-v05", "12"),
        ("serpent", "32"),
        ("mars", "8 + 16 + 8"),
        ("e2", "12"),
        ("rc4", ""),
    ],
)
def test_rounds(name: str, rounds: str) -> None:
    assert form(name, WRITTEN).round_numbers == rounds


def test_equal_rounds() -> None:
    (group,) = form("rc6", COMPILED).rounds
    ((numbers, operations),) = group.sorts
    assert numbers == tuple(range(20))
    assert operations == {
        (Kind.MUL, 32): 2,
        (Kind.ADD, 32): 4,
        (Kind.SHIFT, 32): 2,
        (Kind.ROTATE, 32): 2,
        (Kind.DATA_ROTATE, 32): 2,
        (Kind.XOR, 32): 2,
    }


def test_unequal_rounds() -> None:
    """The first and second of four mixing rounds add a word more."""
    forward, core, _ = form("mars", WRITTEN).rounds
    assert [numbers for numbers, _ in forward.sorts] == [(0, 1, 4, 5), (2, 3, 6, 7)]
    assert [len(numbers) for numbers, _ in core.sorts] == [16]


def test_bytes() -> None:
    rijndael, twofish = form("rijndael", COMPILED), form("twofish", COMPILED)
    assert (rijndael.table_bytes, rijndael.key_table_bytes, rijndael.key_bytes) == (4 * 1024 + 256, 0, 176)
    assert (twofish.table_bytes, twofish.key_table_bytes, twofish.key_bytes) == (0, 4096, 160 + 4096)


def test_timing() -> None:
    labels = [form(name, COMPILED).timing for name in ("rc6", "serpent", "rijndael", "frog")]
    assert labels == ["constant-time", "constant-time", "table lookups", "data-dependent time"]


@pytest.mark.check
def test_a_whole_profile() -> None:
    found = profile(cipher("safer-plus"), 128)
    assert {operation: [one.name for one in made] for operation, made in found.forms.items()} == {
        "encrypt": [WRITTEN, COMPILED],
        "decrypt": [WRITTEN, COMPILED],
    }
    assert found.by_length.keys() == {128, 192, 256}
    assert found.by_length[128] is found.form(WRITTEN)
    assert found.form(COMPILED, "decrypt").counts.of(Kind.SUB) > 0


def test_every_operation_is_counted_or_free() -> None:
    """Without loops, the counts and what is free add up to the nodes of the graph."""
    found = form("twofish", WRITTEN)
    counted = sum(found.counts.operations.values())
    assert counted == sum(node.op is not Op.EXTEND for node in found.kernel.body)
