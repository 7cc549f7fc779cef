"""The native machine: which schedules are legal, what it chooses by itself, and definitions of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import DataError, FinalistError, KeyLengthError, ScheduleError
from finalist.language import (
    BIG,
    Array,
    Cipher,
    Table,
    constant,
    gf_matrix,
    join,
    loop,
    mulhi,
    rol,
    ror,
    rounds,
    select,
    tabulate,
    u8,
    u16,
    u64,
    when,
    words,
)
from finalist.machines.native.machine import MACHINE, WIDTHS, remedies
from finalist.machines.native.passes.scalars.readiness import Readiness
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule, parse_schedule
from finalist.toolchain import compiler
from tests.language.toy import toy

SQUARES = Table([x * x % 257 % 256 for x in range(256)], name="S0")
NIBBLES = Table([12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2], name="S1")
MIX = gf_matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]], 0x11B)


def compiled(cipher: str | type[Cipher], operation: str = "encrypt", **choices: Any) -> Any:
    """The program, compiled without much optimisation: these tests time nothing."""
    program = compile_cipher(cipher, "native", operation, **choices)
    program.flags = ("-O1", "-march=native", "-Wno-psabi", "-Werror")
    return program


# -- legality ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cipher", "choices", "reason"),
    [
        ("rc6", {"width": 64}, r"width=64: this machine has 1, 128, 256, 512"),
        (
            "rijndael",
            {"width": 128, "lookup": "load"},
            r"width=128 is not legal for rijndael: lookup has no form on vectors with lookup=load",
        ),
        ("twofish", {"width": 256}, r"width=256 is not legal for twofish: .* has no form on vectors"),
        (
            "mars",
            {"width": 512},
            r"width=512 is not legal for mars: .* has no form on vectors with lookup=load",
        ),
        ("rc6", {"width": 128, "blocks": 6}, r"blocks=6 with width=128.*: accepted is a multiple of 4"),
        ("rc6", {"blocks": 100_000}, r"blocks=100000: accepted is 1 to "),
        ("rc6", {"planes": 2}, r"planes=2 is not legal for rc6: .* has no form on planes"),
        ("rijndael", {"planes": 4}, r"planes=4 is not legal for rijndael"),
        ("serpent", {"planes": 3}, r"planes=3 is not legal for serpent: a word of 32 bits has 2, 4, .. 32"),
        ("serpent", {"planes": 64}, r"planes=64 is not legal for serpent: a word of 32 bits has 2, 4, .. 32"),
        (
            "rc6",
            {"keyed_tables": "zero"},
            r"keyed-tables=zero is not legal for rc6: it has no keyed function",
        ),
        ("rc6", {"fuse": 8}, r"fuse=8 is not legal for rc6: it has no linear map"),
        ("rc6", {"lookup": "load"}, r"lookup=load is not legal for rc6: it has no table lookup"),
        (
            "rijndael",
            {"keyed_tables": "full"},
            r"keyed-tables=full is not legal for rijndael: it has no keyed function",
        ),
        (
            "rijndael",
            {"blocks": 1, "skew": 4},
            r"skew=4: one block \(or vector\) at a time has nothing to lag",
        ),
        ("rc6", {"lookup": "ptlu"}, r"lookup=ptlu: accepted: load"),
        ("rc6", {"keyed_tables": "some"}, r"keyed-tables=some: accepted: full, partial, minimal, zero"),
        ("rc6", {"rounds": "twice"}, r"rounds=twice: accepted: loop, unroll"),
        ("rc6", {"blocks": 0}, r"blocks=0: accepted is a positive integer"),
        ("rc6", {"width": True}, r"width=True: accepted is a positive integer"),
        ("rc6", {"fuse": -1}, r"fuse=-1: accepted is "),
        ("rc6", {"colour": 3}, r"unknown schedule word 'colour'; accepted: blocks, "),
        ("serpent", {"width": 256, "sums": "ready"}, "sums=ready with width=256 is for scalar code"),
        ("des", {"lookup": "bitslice", "sums": "ready"}, "sums=ready says nothing of single bits"),
        ("rijndael", {"lookup": "match", "sums": "ready"}, "sums=ready is not legal with lookup=match"),
    ],
)
def test_refused_schedules(cipher: str, choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        compile_cipher(cipher, "native", **choices)


def test_refusal_names_the_line_of_the_definition() -> None:
    with pytest.raises(ScheduleError, match=r"rijndael\.py:\d+"):
        compile_cipher("rijndael", "native", width=128, lookup="load")


def test_one_block_at_a_time_where_the_kernel_has_a_loop_of_its_own() -> None:
    with pytest.raises(
        ScheduleError, match=r"blocks=2 is not legal for toy: it has a (array|loop) \(.*py:\d+\)"
    ):
        compile_cipher(toy(looped, as_array), "native", blocks=2)


# -- defaults -----------------------------------------------------------------------------------------


def test_nothing_is_left_open() -> None:
    """Of what concerns the cipher: RC6 has no tables to fuse or key."""
    chosen = compile_cipher("twofish", "native").schedule
    assert None not in (
        chosen.blocks,
        chosen.width,
        chosen.rounds,
        chosen.fuse,
        chosen.keyed_tables,
        chosen.lookup,
    )
    chosen = compile_cipher("rc6", "native").schedule
    assert None not in (chosen.blocks, chosen.width, chosen.rounds)
    assert (chosen.fuse, chosen.keyed_tables, chosen.lookup) == (None, None, None)


def test_default_is_the_widest_vector_that_the_blocks_fill() -> None:
    best = compiler.vector_bits()
    assert compile_cipher("rc6", "native").schedule.width == (best if best > 1 else 1)
    assert compile_cipher("rc6", "native", blocks=1).schedule.width == 1
    assert compile_cipher("rc6", "native", blocks=4).schedule.width in (1, 128)
    assert compile_cipher("twofish", "native").schedule.width == 1


@pytest.mark.check
def test_what_is_asked_for_is_what_is_done() -> None:
    wanted = {"blocks": 5, "width": 1, "fuse": 8, "keyed_tables": "zero", "rounds": "unroll", "skew": 3}
    chosen = compile_cipher("twofish", "native", **wanted).schedule
    assert {name: getattr(chosen, name) for name in wanted} == wanted


def test_description_says_what_figures_depend_on() -> None:
    from finalist.machines.registry import machine

    assert set(machine("native").describe()) == {"processor", "compiler", "flags"}


# -- running ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blocks", [0, 1, 2, 3, 4, 5, 7, 8, 9, 31])
@pytest.mark.parametrize("choices", [{"width": 1, "blocks": 3}, {"width": 128, "blocks": 4}, {"width": 256}])
@pytest.mark.every(3)
def test_any_number_of_blocks(blocks: int, choices: dict[str, Any]) -> None:
    key, data = bytes(range(16)), np.random.default_rng(blocks).bytes(16 * blocks)
    expected = compile_cipher("rc6", "interpreter").run(key, data).output
    assert compiled("rc6", **choices).run(key, data).output == expected


def test_wrong_lengths_are_refused() -> None:
    program = compiled("rc6", width=1)
    with pytest.raises(KeyLengthError, match="key of 15 bytes; this program takes 16"):
        program.run(bytes(15), b"")
    with pytest.raises(DataError, match="data of 17 bytes; accepted: a multiple of 16"):
        program.run(bytes(16), bytes(17))


# -- definitions that the five ciphers do not cover ---------------------------------------------------


def looped(block, keys):
    """Reads round keys at the places that a loop counts, and nowhere else."""
    A = Array(4, 32)
    for i in range(4):
        A[i] = block[i]
    for i in loop(0, 8):
        A[i] = rol(A[i + 1] + keys[i], A[i])
    return [A[i] for i in range(4)]


def as_array(key):
    """The key as an array, for definitions that read it at computed places."""
    K = Array(4, 32)
    for i, word in enumerate(key):
        K[i] = word
    return K


def overwrites_its_key(block, keys):
    """As RC4 does: each block starts from the array that the key schedule left."""
    i = block[0]
    for _ in range(3):
        keys[i] = keys[i + 1] + block[1]
        i = i + keys[2]
    return [keys[k] ^ i for k in range(4)]


def overwrites_its_key_with_the_key(block, keys):
    keys[0] = keys[1]
    keys[2] = keys[0] + 5
    return [block[k] ^ keys[k] for k in range(4)]


def reads_its_key_and_overwrites_it(block, keys):
    """The write is of the key alone, but the array that it changes is still read as it was."""
    before = keys[block[0]]
    keys[keys[1]] = 5
    return [before ^ keys[2], keys[keys[3]], *block[2:]]


def fresh_array_in_a_loop(block, keys):
    """An array made inside a loop is new at every turn."""
    total = Array(1, 32)
    for i in loop(0, block[0] & 7):
        A = Array(2, 32, [1, 2])
        total[0] = total[0] + A[i]
        A[i] = block[1]
        total[0] = total[0] ^ rol(A[0] + A[1], i)
    return [total[0], *block[1:]]


def decides(block, keys):
    A = Array(3, 8, [3, 1, 2])
    with when(block[0] < keys[0]):
        A[block[1]] = block[2][8:16]
        with when(block[0] == 7):
            A[0] = 0
    return [
        A[0].extend(32),
        A[1].extend(32) + A[2].extend(32),
        select(A[0] == A[1], block[2], keys[1]),
        block[3],
    ]


def bitsliced_in_a_loop(block, keys):
    box = Table([12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2])
    A = as_array(block)
    for i in loop(0, 5):
        planes = box.bitslice(*(A[k] for k in range(4)))
        for k in range(4):
            A[k] = planes[k] + i
    return [A[k] for k in range(4)]


def linear_in_a_loop(block, keys):
    A = as_array(block)
    for i in loop(0, 6):
        A[i] = join(*MIX(*(SQUARES[x] for x in A[i + 1].bytes())))
    return [A[k] for k in range(4)]


def names_that_c_has_taken(block, keys):
    """Python names that meet those of the emitted file: parameters, tables, C's own words."""
    p, k, S, t, rol0, int_ = block[0], block[1], block[2], block[3], keys[0], keys[1]  # noqa: F841
    a = block[0]
    for r in rounds(3):
        p, k, S, t = k + 1, rol(S, 3) ^ keys[r], t + p, p
        in_ = [p, k]
        a = (p, k) if r else p + k
    p = [p, k, S, t]
    for _ in rounds(2):
        p = [p[1] ^ 1, p[2] + keys[0], p[3] ^ SQUARES[p[0][0:8]].extend(32), p[0] * in_[0]]
    return [p[0], p[1] ^ a[0], p[2], p[3]]


def uses_half_of_everything(block, keys):
    return [block[0] ^ keys[1], block[0], constant(5, 32), block[0]]


def turned_key(block, keys):
    """The key word turned by the block's, and both ways of shifting by words that stay inside."""
    a, b, c, d = block
    for k in range(4):
        a, b, c, d = rol(keys[k], a) + d, ror(b, keys[k]), c << (d & 31), keys[0] >> (b & 31)
    return [a, b, c ^ a, d]


def shifted_past_the_lane(block, keys):
    """Any amount: zero from 32 on. Lanes have no such shift, so the default must be scalar code."""
    a, b, c, d = block
    return [a << b, c >> keys[0], (a << 31) >> d[0:6], keys[1] << d[0:8]]


def multiplied(block, keys):
    a, b, c, d = block
    return [mulhi(a, b), a * c, mulhi(c, 3), d - mulhi(a, keys[0])]


def adds_the_number_of_the_round(block, keys):
    """The first round, which adds nothing, is unlike the others."""
    a, b, c, d = block
    for r in rounds(6):
        a, b, c, d = rol(b, 1) + d, c, d, a ^ r ^ keys[r % 4]
    return [a, b, c, d]


def nibbles_and_numbers(block, keys):
    state = list(block)
    for r in rounds(4):
        state = [x ^ r ^ k for x, k in zip(NIBBLES.bitslice(*state), keys, strict=True)]
        state[0] &= r * 3 + 5
    return state


def gives_keys_and_constants(block, keys):
    """Two words of what comes out are the same for all blocks."""
    a, b, c, d = block
    for r in rounds(5):
        looked_up = join(*(NIBBLES[b[low : low + 4]] for low in range(0, 32, 4)))
        a, b, c, d = b, c, d ^ keys[r % 4], a ^ looked_up ^ r * 0x01020305
    return [keys[0] ^ keys[1] & keys[2], a, constant(0xDEADBEEF, 32), b]


BODIES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "looped": (looped, as_array),
    "overwrites its key": (overwrites_its_key, as_array),
    "overwrites its key with the key": (overwrites_its_key_with_the_key, as_array),
    "reads its key and overwrites it": (reads_its_key_and_overwrites_it, as_array),
    "fresh array in a loop": (fresh_array_in_a_loop, lambda key: key),
    "decides": (decides, lambda key: key),
    "bitsliced in a loop": (bitsliced_in_a_loop, lambda key: key),
    "linear in a loop": (linear_in_a_loop, lambda key: key),
    "names that C has taken": (names_that_c_has_taken, lambda key: key),
    "half of everything": (uses_half_of_everything, lambda key: key),
    "turned key": (turned_key, lambda key: key),
    "shifted past the lane": (shifted_past_the_lane, lambda key: key),
    "multiplied": (multiplied, lambda key: key),
    "no key at all": (lambda block, keys: [x + 1 for x in block], lambda key: []),
    "no block at all": (lambda block, keys: [*keys[:2], constant(1, 32), keys[0] + 1], lambda key: key),
    "the block itself": (lambda block, keys: block, lambda key: key),
    "keys by names that are no names": (
        lambda block, K: [block[0] ^ K["int"][0], block[1] + K["a b"][0], block[2] ^ K["a_b"][0], K[5]],
        lambda key: {"int": [key[0]], "a b": [key[1]], "a_b": [key[2]], 5: key[3], "derived32": key[0]},
    ),
    "the number of the round": (adds_the_number_of_the_round, lambda key: key),
    "nibbles and numbers": (nibbles_and_numbers, lambda key: key),
    "keys and constants": (gives_keys_and_constants, lambda key: key),
    "derived keys": (
        lambda block, K: [b ^ rol(k, 3) for b, k in zip(block, K["derived32"], strict=True)],
        lambda key: {"derived32": key},
    ),
    "one array twice": (
        lambda block, K: [K[0][block[0]] ^ K[1][block[1]], *block[1:]],
        lambda key: (array := as_array(key), array),
    ),
}


def sample(program: Any, rows: int = 9) -> tuple[bytes, bytes]:
    source = np.random.default_rng(1)
    return source.bytes(program.key_bits // 8), source.bytes(program.block_bytes * rows)


def same(cipher: type[Cipher], **choices: Any) -> None:
    """The compiled program computes what the interpreter does; it compiles without a warning."""
    program = compiled(cipher, **choices)
    key, data = sample(program, 70)
    expected = compile_cipher(cipher, "interpreter").run(key, data).output
    assert program.run(key, data).output == expected


#: Ways to lay out a block, of which some are refused.
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"width": 1, "blocks": 3},
    {"width": 128, "blocks": 8},
    {"width": 512, "lookup": "gather"},
    {"rounds": "loop"},
    {"rounds": "loop", "width": 1},
    {"planes": 8, "width": 256},
    {"planes": 8, "width": 512},
    {"word": 8},
    *({"lookup": "bitslice", "width": width} for width in (1, 256, 512)),
    {"lookup": "bitslice", "rounds": "loop"},
)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.every(11)
def test_definitions(name: str) -> None:
    encrypt, expand = BODIES[name]
    cipher = toy(encrypt, expand)
    same(cipher, width=1, blocks=1)
    same(cipher)
    for choices in LAYOUTS:
        if choices.get("width", 1) > max(1, compiler.vector_bits()):
            continue  # what this CPU has no vectors for can be made, but not run
        try:
            compile_cipher(cipher, "native", **choices)
        except ScheduleError:
            continue
        same(cipher, **choices)


@pytest.mark.parametrize(
    "block",
    [words(4, u8), words(3, u8), words(6, u16, BIG), words(1, u64), words(3, u64, BIG), words(16, u8)],
    ids=str,
)
@pytest.mark.parametrize("blocks", [1, 2])
@pytest.mark.every(2)
def test_layouts(block: Any, blocks: int) -> None:
    """Every width and byte order that a block may have; blocks that fill no power of two words."""
    cipher = toy(
        lambda words, keys: [
            rol(x * 3 + k, 5) ^ y for x, y, k in zip(words, [*words[1:], words[0]], keys, strict=True)
        ],
        block=block,
        key_bits=(8 * block.bytes,),
    )
    same(cipher, blocks=blocks)


def keyed(cipher_keys: Callable[..., Any]) -> type[Cipher]:
    """A cipher that puts every byte of the block through a keyed function."""

    def encrypt(block, keys):
        return [join(*MIX(*(f[x] for f, x in zip(keys, word.bytes(), strict=True)))) for word in block]

    return toy(encrypt, cipher_keys)


def with_constants(key):
    return [tabulate(lambda x, k=k: SQUARES[x ^ 5] + k, 8) for k in key[0].bytes()]


def nested(key):
    inner = [tabulate(lambda x, k=k: SQUARES[x + k], 8) for k in key[0].bytes()]
    return [tabulate(lambda x, f=f: f[x ^ key[1][0:8]] ^ f[x], 8) for f in inner]


def applied_in_the_key_schedule(key):
    f = tabulate(lambda x: SQUARES[SQUARES[x] ^ key[0][0:8]], 8)
    late = f[key[1][0:8]]
    return [f, f, tabulate(lambda x: x + late, 8), tabulate(lambda x: f[x] ^ late, 8)]


def of_nothing_but_constants(key):
    return [tabulate(lambda x: x * 5 + 1, 8)] * 4


@pytest.mark.parametrize("depth", ["full", "partial", "minimal", "zero"])
@pytest.mark.parametrize(
    "keys", [with_constants, nested, applied_in_the_key_schedule, of_nothing_but_constants]
)
@pytest.mark.every(3)
def test_keyed_functions(keys: Callable[..., Any], depth: str) -> None:
    same(keyed(keys), keyed_tables=depth, blocks=1)


def test_keyed_function_in_a_loop() -> None:
    def encrypt(block, keys):
        A = as_array(block)
        for i in loop(0, 9):
            A[i] = A[i + 1] + keys[0][A[i][0:8]].extend(32)
        return [A[k] for k in range(4)]

    for depth in ("full", "partial", "minimal", "zero"):
        same(toy(encrypt, with_constants), keyed_tables=depth)


@pytest.mark.parametrize("fuse", [0, 8, 32, 64])
@pytest.mark.every(2)
def test_every_width_of_fusing(fuse: int) -> None:
    same(keyed(with_constants), fuse=fuse)


def test_defaults_are_legal_for_every_toy() -> None:
    """Whatever a definition is, the machine's own choice for it works."""
    for encrypt, expand in BODIES.values():
        try:
            chosen = compile_cipher(toy(encrypt, expand), "native").schedule
        except FinalistError as error:
            pytest.fail(f"the default is refused: {error}")
        assert chosen.width in WIDTHS
        assert isinstance(chosen, Schedule)


@pytest.mark.parametrize(
    ("width", "expected"), [(1, compiler.PLAIN), (256, compiler.PLAIN), (512, compiler.PLAIN_INTRINSICS)]
)
@pytest.mark.every(2)
def test_what_runs_but_once_is_compiled_quickly(width: int, expected: tuple[str, ...]) -> None:
    """Thousands of intrinsics take -O0 longer than -Og."""
    schedule = Schedule(width=width) if width == 1 else Schedule(width=width, lookup="permute")
    program = compile_cipher("rijndael", "native", "encrypt", 128, schedule)
    assert isinstance(program, NativeProgram)
    plain = program.unoptimised()
    assert (plain.flags, plain.text) == (expected, program.text)


def refusal(name: str, schedule: Schedule) -> ScheduleError | None:
    try:
        MACHINE.check(cipher(name), operation="encrypt", key_bits=128, schedule=schedule)
    except ScheduleError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("name", "choice", "expected"),
    [
        ("mars", "width=256", {"lookup=gather"}),
        ("mars", "width=512", {"lookup=gather", "lookup=permute word=32"}),
        ("mars", "lookup=permute", {"word=32"}),
        ("safer-plus", "width=256", {"lookup=permute", "lookup=bitslice"}),
        ("safer-plus", "skew=4", {"blocks=2"}),
        ("hpc", "width=128", {"lookup=gather"}),
        ("rc6", "keyed-tables=zero", set()),
        ("rc4", "width=128", set()),
        ("mars", "width=256 lookup=load", set()),
    ],
)
def test_all_ways(monkeypatch: pytest.MonkeyPatch, name: str, choice: str, expected: set[str]) -> None:
    """On a CPU with vectors of 512 bits, whatever this one has."""
    monkeypatch.setattr(compiler, "vector_bits", lambda: 512)
    schedule = parse_schedule([choice])
    error = refusal(name, schedule)
    assert error is not None and set(error.remedies()) == expected
    for text in expected:
        assert f"{text}" in str(error).partition("; legal with ")[2]
        assert refusal(name, schedule.over(parse_schedule([text]))) is None


def test_what_is_chosen_is_not_touched() -> None:
    tried: list[Schedule] = []

    def legal(schedule: Schedule) -> bool:
        tried.append(schedule)
        return False

    asked = Schedule(width=256, rounds="loop")
    assert list(remedies(asked, legal)) == []
    assert Schedule(width=256, rounds="loop", planes=1) in tried
    assert all(one.width == 256 and one.rounds == "loop" for one in tried)
    assert Schedule(width=1, rounds="loop") in _tried(Schedule(rounds="loop"))


def _tried(asked: Schedule) -> list[Schedule]:
    found: list[Schedule] = []
    list(remedies(asked, lambda schedule: bool(found.append(schedule))))
    return found


def test_of_two_that_are_legal_the_shorter_is_said() -> None:
    told = list(remedies(Schedule(), lambda schedule: schedule.lookup == "permute"))
    assert told == ["lookup=permute"]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_checked_is_what_is_compiled(seed: int) -> None:
    """The same schedules are refused with the same reasons."""
    numbers, found = Random(seed), []
    while len(found) < 30:
        name = numbers.choice(("rc6", "mars", "hpc"))
        schedule, operation = MACHINE.drawn(numbers), numbers.choice(("encrypt", "decrypt"))
        if schedule.constant_time:
            continue
        found.append(reason := refusal_of(MACHINE.compile, name, operation, schedule))
        assert refusal_of(MACHINE.check, name, operation, schedule) == reason, (
            name,
            operation,
            str(schedule),
        )
    assert "" in found and len(set(found)) > 3


def refusal_of(action: object, name: str, operation: str, schedule: Schedule) -> str:
    assert callable(action)
    try:
        action(cipher(name), operation=operation, key_bits=128, schedule=schedule)
    except ScheduleError as error:
        return error.reason
    return ""


def test_the_terms_of_a_blocks_sums_have_the_order_that_is_asked_for() -> None:
    """A round of SIMON waits for its last rotation with two terms to add, or with one."""
    by_compiler, ready = (_depth(sums) for sums in ("compiler", "ready"))
    assert ready < by_compiler


def _depth(sums: str) -> int:
    program = compile_cipher("simon", "native", width=1, blocks=1, sums=sums)
    assert isinstance(program, NativeProgram)
    return max(map(Readiness().at, program.program.kernel.results))


def test_where_sums_are_to_be_in_order_open_choices_are_those_of_scalar_code() -> None:
    assert compile_cipher("serpent", "native", sums="ready").schedule.width == 1
