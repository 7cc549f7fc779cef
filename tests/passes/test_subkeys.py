"""Round keys computed where they are used: the same cipher, with the key alone as its expanded key."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache, partial

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Array, Word, loop
from finalist.language.definition import OPERATIONS, trace
from finalist.passes.analysis import KeyOnly
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from finalist.passes.subkeys import computed, settled
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.catalogue import USUAL
from tests.language.toy import toy
from tests.marks import needs_compiler
from tests.passes.meaning import keeps_program

#: Of these the round keys come from arrays that the whole key schedule works on, or that are read anywhere.
REFUSED = ("blowfish", "frog", "hpc", "rc4")
LEGAL = sorted(set(USUAL) - set(REFUSED))


@cache
def traced(name: str, operation: str = "encrypt") -> Program:
    return trace(cipher(name), operation, cipher(name).usual_key_bits())


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.every(3)
def test_the_meaning_stays(name: str, operation: str) -> None:
    before = traced(name, operation)
    after = keeps_program(computed, before)
    assert [t.length * t.width for t in after.key_types] == [before.key_bits]
    assert after.key_names[0].endswith("key")


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.every(4)
def test_passes_move_nothing_to_the_key_schedule(name: str) -> None:
    """But for the tables of keyed functions."""
    before = computed(traced(name))
    after = keeps_program(partial(lower, keying_depth="zero"), before)
    assert [t.length * t.width for t in after.key_types] == [before.key_bits]


def test_tables_of_keyed_functions_may_be_stored() -> None:
    after = keeps_program(lower, computed(traced("twofish")))
    assert [(t.length, t.width) for t in after.key_types if t.length == 256] == [(256, 32)] * 4


def test_a_round_key_is_made_in_the_round_that_uses_it() -> None:
    """So that a program of few registers need not hold all of them."""
    after = computed(traced("rijndael"))
    box = {node.attr for node in after.kernel.body if node.op is Op.LOOKUP}
    of_key = KeyOnly()
    phases = Counter(node.phase for node in after.kernel.body if node.attr in box and of_key(node))
    assert set(phases.values()) == {4}
    assert len(phases) == 10


def test_what_several_rounds_take_may_stay_stored() -> None:
    """Twofish's S-box key, of which there would be a copy in working memory all the time."""
    after = keeps_program(partial(computed, shared=False), traced("twofish"))
    sizes = dict(zip(after.key_names, (t.length * t.width for t in after.key_types), strict=True))
    assert (sizes["key1_8"], sizes["key"]) == (64, 128)
    assert "key1_8" not in computed(traced("twofish")).key_names


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(ScheduleError, match=f"subkeys=computed is not legal for {name}: "):
        computed(traced(name))


def test_round_keys_out_of_a_loop_are_refused_with_the_line() -> None:
    def expand(key: list[Word]) -> list[Word]:
        words = Array(4, 32)
        for i in loop(0, 4):
            words[i] = key[0] + i
        return [words[2], words[3]]

    def encrypt(block: list[Word], keys: list[Word]) -> list[Word]:
        return [block[0] ^ keys[0], block[1] + keys[1], *block[2:]]

    with pytest.raises(ScheduleError, match=r"from memory that all of its key schedule fills \(.*\.py:\d+\)"):
        computed(trace(toy(encrypt, expand), "encrypt", 128))


@needs_compiler
@pytest.mark.parametrize("machine", ["native", "plx"])
@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.every(15, first=4)
def test_machines(name: str, machine: str) -> None:
    """The published vectors, each direction on one of the machines; with vectors or without is its choice."""
    operation = OPERATIONS[(LEGAL.index(name) + (machine == "plx")) % 2]
    bits = cipher(name).usual_key_bits()
    program = api.compile(cipher(name), machine, operation, bits, subkeys="computed")
    assert "subkeys=computed" in program.text
    assert check_known_answers(program, vectors_of(cipher(name)))


@needs_compiler
@pytest.mark.parametrize("name", ["rc6", "serpent", "rijndael", "twofish"])
@pytest.mark.every(2)
def test_in_vectors(name: str) -> None:
    lookup = None if name in ("rc6", "serpent") else "gather"
    program = api.compile(name, width=256, lookup=lookup, subkeys="computed")
    assert check_known_answers(program, vectors_of(cipher(name)))


def test_stored_is_what_there_is_anyway() -> None:
    plain, asked = api.compile("rc6", width=1), api.compile("rc6", width=1, subkeys="stored")
    assert asked.text.replace(" -s subkeys=stored", "").replace(" subkeys=stored", "") == plain.text


@pytest.mark.parametrize(
    "choice", [{"lookup": "match"}, {"lookup": "bitslice"}, {"lookup": "permute"}, {"word": 8}, {"planes": 4}]
)
def test_layouts_that_read_round_keys_from_memory_are_refused(choice: dict[str, object]) -> None:
    (word,) = choice
    with pytest.raises(ScheduleError, match=f"subkeys=computed is not legal with {word}="):
        api.compile("rijndael", subkeys="computed", **choice)  # type: ignore[arg-type]


def test_hardware_has_no_such_choice() -> None:
    with pytest.raises(ScheduleError, match="subkeys=computed: fpga has no such choice"):
        api.compile("rc6", "fpga", subkeys="computed")


@cache
def program(shared: bool) -> Program:
    return computed(trace(cipher("twofish"), "encrypt", 128), shared=shared)


def loops(made: Program) -> list[int]:
    kernel = rolled(made.kernel, 1)
    return [node.inputs[1].attr for node in kernel.body if node.op is Op.LOOP]


@pytest.mark.check
def test_a_round_whose_constant_is_zero_is_like_the_others() -> None:
    """Of round keys that are written out, one has nothing to add where a table's entry is 0."""
    assert loops(program(shared=False)) == [15]  # and the first, whose whitening shares entries with it
    assert max(loops(program(shared=True)), default=0) < 15


def test_arrays_of_numbers_are_taken_out_again() -> None:
    before = program(shared=False)
    looped = dataclasses.replace(before, kernel=rolled(before.kernel, 1))
    assert [name for name in looped.key_names if name.startswith("numbers")] == ["numbers8"]
    after = keeps_program(settled, looped)
    assert [name for name in after.key_names if name.startswith("numbers")] == []


def test_an_entry_is_read_for_each_operation_that_wants_it() -> None:
    after = settled(program(shared=False))
    reads = [n for n in after.kernel.body if n.op is Op.LOOKUP and n.inputs[0].op is Op.CONST]
    takers = {read: sum(read in node.inputs for node in after.kernel.body) for read in reads}
    assert len(reads) == 160 and set(takers.values()) == {1}


def test_other_arrays_of_constants_stay() -> None:
    """Only one whose entries are their places is known by its contents."""
    before = program(shared=False)
    *others, numbers = before.expand.results
    attr = (*numbers.attr[:5], 6, *numbers.attr[6:])
    wrong = dataclasses.replace(
        before,
        expand=Graph(
            "expand", before.expand.params, [*others, Builder().array(attr, 8)], before.expand.rounds
        ),
    )
    assert settled(wrong) is wrong


def test_nothing_is_read_of_an_array_that_is_gone() -> None:
    after = settled(program(shared=False))
    arrays = {node.inputs[0].name for node in every_node(after.kernel) if node.op is Op.LOAD}
    assert arrays == {"key", "key1_8"}


def test_where_nothing_is_to_be_alike_what_is_read_is_a_constant() -> None:
    after = keeps_program(lambda one: settled(one, apart=False), program(shared=False))
    assert not [n for n in after.kernel.body if n.op is Op.LOOKUP and n.inputs[0].op is Op.CONST]
