"""The machine: vectors on the simulator, parameters and schedules, and what is refused."""

from __future__ import annotations

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import DataError, KeyLengthError, ScheduleError, UnknownNameError
from finalist.isa.assembly.decoder import disassemble
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.plx.machine import Plx
from finalist.machines.plx.parameters import Parameters, parsed
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers, check_monte_carlo
from finalist.vectors.load import monte_carlo_of, vectors_of

#: Ciphers that between them need every kind of code: tables, products, wide words, loops, states.
SOME = [
    ("rijndael", "decrypt", "plx:with=aes32"),
    ("rijndael", "encrypt", "plx:word=128,with=ptlu"),
    ("blowfish", "encrypt", "plx:word=64,with=ptlu"),
    ("mars", "decrypt", "plx:multiplier=16"),
    ("rc6", "encrypt", "plx:word=64,issue=4/2"),
    ("rc4", "encrypt", "plx:with=ptlu"),
    ("hpc", "decrypt", "plx:word=64"),
    ("serpent", "encrypt", "plx:with=andn"),
    ("rc2", "encrypt", "plx:with=ptlu"),
]


def compiled(
    name: str, machine: str = "plx", operation: str = "encrypt", **choices: str | int
) -> SimulatedProgram:
    program = api.compile(name, machine, operation, **choices)  # type: ignore[arg-type]
    assert isinstance(program, SimulatedProgram)
    return program


@pytest.mark.parametrize(("name", "operation", "machine"), SOME)
@pytest.mark.every(4)
def test_vectors(name: str, operation: str, machine: str) -> None:
    program = compiled(name, machine, operation)
    own = [row for row in vectors_of(find_cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, own[:4])


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", ["blowfish", "dfc", "rijndael", "rc6", "twofish"])
@pytest.mark.every(3)
def test_key_schedules_as_loops(name: str, operation: str) -> None:
    """Blowfish's and DFC's loops read arrays that are shorter than there are iterations, again and again."""
    looped = compiled(name, operation=operation, key_schedule="loop")
    assert check_known_answers(looped, vectors_of(find_cipher(name)))


@pytest.mark.parametrize("name", ["blowfish", "dfc", "rijndael", "rc6", "twofish"])
@pytest.mark.every(2)
def test_loops_are_shorter(name: str) -> None:
    assert len(compiled(name, key_schedule="loop").text) < len(compiled(name).text)


@pytest.mark.parametrize("name", ["frog", "magenta"])
def test_key_schedules_that_repeat_nothing(name: str) -> None:
    with pytest.raises(ScheduleError, match=f"key-schedule=loop is not legal for {name}: nothing in its key"):
        compiled(name, key_schedule="loop")
    with pytest.raises(ScheduleError, match="key-schedule=chip: accepted: loop, unroll"):
        compiled(name, key_schedule="chip")


def test_a_monte_carlo_chain() -> None:
    """Ten thousand blocks one after the other, which takes a fast simulator."""
    rows = [row for row in monte_carlo_of(find_cipher("rc6")) if row.direction == "encrypt"]
    assert check_monte_carlo(compiled("rc6"), [row for row in rows if len(row.key) == 16][:1]) == 1


def test_the_text_is_what_runs() -> None:
    """A changed line changes the output, and the words of the text are those of its disassembly."""
    program = compiled("rc4")
    before, _, block = program.text.partition(".part block")
    changed = f"{before}.part block{block.replace('xor r', 'or r', 1)}"
    other = SimulatedProgram(program.program, program.schedule, program.processor, changed, program.blocks)
    data = b"\xff" * 16
    assert other.run(bytes(16), data).output != program.run(bytes(16), data).output
    assert disassemble(program.image.words, program.processor).count("\n") > len(program.image.words)


def test_the_same_input_gives_the_same_text() -> None:
    machine = Plx(parsed("with=ptlu"))
    texts = {
        machine.compile(find_cipher("rc4"), operation="encrypt", key_bits=128, schedule=Schedule()).text
        for _ in range(2)
    }
    assert len(texts) == 1
    assert "/" not in texts.pop().partition("setup")[2].replace("1/1", "")


def test_sizes() -> None:
    program = compiled("rc4", blocks=3)
    whole = program.run(bytes(16), bytes(7)).output
    for size in range(7):
        assert program.run(bytes(16), bytes(size)).output == whole[:size]


def test_bad_keys_and_data() -> None:
    program = compiled("rc6")
    with pytest.raises(KeyLengthError, match="key of 15 bytes; this program takes 16"):
        program.run(bytes(15), bytes(16))
    with pytest.raises(DataError, match="data of 15 bytes; accepted: a multiple of 16"):
        program.run(bytes(16), bytes(15))


def test_cycles() -> None:
    program = compiled("rc6")
    run = program.run(bytes(16), bytes(32))
    assert run.cycles == 2 * run.figures["cycles a block"] == 2 * program.cycles_a_block
    assert run.figures["cycles of the key"] > run.cycles


def test_wider_machines_are_never_slower() -> None:
    issues = ("1/1", "2/1", "2/2", "4/2", "8/2")
    cycles = [compiled("rc4", f"plx:issue={issue}").cycles_a_block for issue in issues]
    assert cycles == sorted(cycles, reverse=True)


def test_optimising_is_worth_it() -> None:
    assert compiled("rc4", optimise="on").cycles_a_block < compiled("rc4").cycles_a_block


# -- parameters --------------------------------------------------------------------------------------


def test_parameters_are_written_as_they_are_read() -> None:
    for text in (
        "",
        "issue=4/2",
        "issue=2/1,word=64,multiplier=32,with=ptlu+extract",
        "tables=4,entries=32,with=ptlu",
        "word=64,cache=8192/32/2/20,with=ptlu",
    ):
        assert str(parsed(text)) == text
    assert parsed("issue=2") == Parameters(issue=2, ports=1)
    assert find_machine("plx:word=64,issue=4/2").name == "plx:issue=4/2,word=64"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word=48", "word=48; accepted: 32, 64, 128"),
        ("issue=2/4", "issue=2/4; accepted: N or N/PORTS"),
        ("issue=0", "issue=0; accepted"),
        ("speed=2", "unknown parameter 'speed=2'; accepted: word, shifters"),
        ("with=fly", "with=fly; accepted: ptlu, extract, andn, aes32, xperm8, shuffle"),
        ("multiplier=32", "multiplier=32 with word=32; accepted: 0 or 16"),
        ("entries=64", "entries=64 with word=32; accepted: at most 32"),
        ("entries=16", "entries=16; accepted: 0, 32, 64, 128"),
        ("latency=fast", "latency=fast; accepted: 1, 2"),
        ("cache=3000/32/2/20", "cache=3000/32/2/20; accepted: SIZE/LINE/WAYS/PENALTY"),
    ],
)
def test_bad_parameters(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        find_machine(f"plx:{text}")


def test_machines_without_parameters() -> None:
    with pytest.raises(UnknownNameError, match="interpreter has no parameters"):
        find_machine("interpreter:word=64")


# -- schedules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "choices", "message"),
    [
        ("rc6", {"width": 128}, "width=128 is not legal for rc6 on words of 32 bits; accepted: 1"),
        ("rc6", {"planes": 2}, "planes=2"),
        ("rc6", {"word": 32}, "word=32"),
        ("rc6", {"fuse": 32}, "fuse=32 is not legal for rc6: it has no linear map"),
        ("rc6", {"keyed_tables": "zero"}, "keyed-tables=zero is not legal for rc6: it has no keyed function"),
        ("rc4", {"rounds": "loop"}, "rounds=loop is not legal for rc4: it has no round"),
        ("rijndael", {"rounds": 9}, "rounds=9 is not legal for rijndael_encrypt: no such rounds are equal"),
        ("rijndael", {"lookup": "ptlu"}, "lookup=ptlu: this processor lacks the instruction"),
        ("rijndael", {"lookup": "gather"}, "lookup=gather: plx has load, and ptlu"),
        ("rc6", {"blocks": 65}, "blocks=65: accepted is 1 to 64"),
    ],
)
def test_refusals_say_why(name: str, choices: dict[str, str | int], message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        compiled(name, **choices)


def test_nothing_is_left_open() -> None:
    assert str(compiled("rijndael").schedule) == "blocks=1 lookup=load fuse=32 rounds=loop optimise=off"
    assert str(compiled("rc4", "plx:with=ptlu").schedule) == "blocks=4 lookup=ptlu optimise=off"


def test_words_side_by_side() -> None:
    """Four words a register: a round is four lookups of four bytes, and takes no mask."""
    program = compiled("rijndael", "plx:word=128,with=ptlu")
    assert str(program.schedule).startswith("blocks=1 width=128 lookup=ptlu")
    loop = program.text.partition(".part block")[2].partition("loop")[2].partition("bne")[0]
    assert (loop.count("ptlu.4.4"), loop.count("load.128"), loop.count("and ")) == (4, 1, 0)
    alone = compiled("rijndael", "plx:word=128,with=ptlu", width=1)
    assert program.cycles_a_block < alone.cycles_a_block


def test_words_side_by_side_without_parallel_lookup() -> None:
    program = compiled("rc6", "plx:word=64", operation="decrypt", width=64)
    own = [row for row in vectors_of(find_cipher("rc6")) if len(row.key) == 16]
    assert check_known_answers(program, own[:4])
    assert "load.64" in program.text.partition(".part block")[2]


@pytest.mark.check
def test_blocks_side_by_side() -> None:
    """A block in each lane: rounds of nothing but sums and rotations take four times as long for one."""
    one = compiled("serpent", "plx:word=128", rounds="unroll")
    four = compiled("serpent", "plx:word=128", blocks=4)
    assert str(four.schedule).startswith("blocks=4 width=128 rounds=unroll")
    assert four.cycles_a_block < one.cycles_a_block / 3
    own = [row for row in vectors_of(find_cipher("serpent")) if len(row.key) == 16]
    assert check_known_answers(four, own[:4])


@pytest.mark.check
def test_blocks_side_by_side_are_different() -> None:
    """Each has its own lane, in rounds of each kind, and a call's last blocks may be missing."""
    program = compiled("mars", "plx:word=128,with=ptlu", operation="decrypt", blocks=4, rounds="unroll")
    assert "width=128" in str(program.schedule)
    data = bytes(k * k % 251 for k in range(16 * 7))
    expected = api.compile("mars", "interpreter", "decrypt").run(bytes(range(16)), data).output
    assert program.run(bytes(range(16)), data).output == expected


def test_blocks_side_by_side_have_their_rounds_written_out() -> None:
    wide = "plx:word=128"
    with pytest.raises(
        ScheduleError, match="width=128 is not legal for blowfish on words of 128 bits; accepted: 1"
    ):
        compiled("blowfish", wide, width=128)
    with pytest.raises(ScheduleError, match="rounds written out; accepted with rounds=unroll"):
        compiled("blowfish", wide, width=128, blocks=4, rounds="loop")
    assert "rounds=unroll" in str(compiled("blowfish", wide, width=128, blocks=4).schedule)


def test_loops_within_a_loop_are_refused() -> None:
    with pytest.raises(ScheduleError, match="rounds=nested: accepted: loop, unroll, or the rounds in one"):
        compiled("deal", rounds="nested")


def test_lookup_by_memory_on_a_processor_with_tables() -> None:
    program = compiled("rijndael", "plx:with=ptlu", lookup="load")
    assert "ptlu" not in program.text.partition("\n\n")[2]
    assert program.cycles_a_block == compiled("rijndael").cycles_a_block


def work(program: SimulatedProgram) -> str:
    """The text of the work on a block."""
    return program.text.partition(".part block")[2].partition(".part")[0]


@pytest.mark.parametrize(("word", "bytes_"), [(32, 4), (64, 8), (128, 8)])
@pytest.mark.every(2)
def test_a_stream_is_joined_by_lookups(word: int, bytes_: int) -> None:
    """Each byte is looked up at its place in the word, past blank tables; no shift is left."""
    program = compiled("rc4", f"plx:word={word},with=ptlu", blocks=16)
    text = work(program)
    assert [text.count(f"ptlu.{place}.1.") for place in range(2, bytes_ + 1)] == [16 // bytes_] * (bytes_ - 1)
    assert text.count("slli") == 0
    own = [row for row in vectors_of(find_cipher("rc4")) if len(row.key) == 16]
    assert check_known_answers(program, own[:2])


def test_the_loop_of_a_stream_counts() -> None:
    assert "bne" in work(compiled("rc4"))
    assert "bne" not in work(compiled("rc6", rounds="unroll"))


def test_products_in_wide_registers_need_no_mask() -> None:
    """Nor does a loop's word that is made of one: what stands above it is not looked at."""
    text = work(compiled("rc6", "plx:word=64"))
    assert "mul.lo" in text
    assert "and " not in text.partition("loop")[2]
