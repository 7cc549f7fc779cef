"""Key schedules that are carried out once for several kernels: when they are the same, and from where on."""

from __future__ import annotations

import pytest

from finalist.isa.simulate.run import SimulatedProgram
from finalist.prove.blocks import Blocks
from finalist.prove.memory import as_bytes
from finalist.prove.words import NotCoveredError, Words
from tests.prove.faults import with_text
from tests.prove.programs import made

ALIKE = "rc6:r=1"


def begun(kind: str = "plx") -> tuple[Blocks, SimulatedProgram]:
    program, good = made(kind, ALIKE)
    words = Words()
    key, data = (as_bytes(words, name, 16) for name in ("key", "data"))
    return Blocks(program, words, key, data), good


@pytest.mark.parametrize("kind", ["plx", "c62x"])
def test_another_kernel(kind: str) -> None:
    proof, good = begun(kind)
    assert proof.another(*made(kind, ALIKE, "decrypt")) is None  # nothing is carried out yet
    assert proof.carried_out(good)[0].bytes == proof.defined().bytes
    other = proof.another(*made(kind, ALIKE, "decrypt"))
    assert other is not None
    assert other.words is proof.words
    assert other.keyed is proof.keyed
    output, (run,) = other.carried_out(made(kind, ALIKE, "decrypt")[1])
    assert output.bytes == other.defined().bytes != proof.defined().bytes
    assert run.executed > len(proof.after(good).visited)


def continues(proof: Blocks, program: SimulatedProgram) -> bool:
    """Whether another program starts from what the first one's key schedule has left."""
    other = proof.another(proof.traced, program)
    assert other is not None
    assert other.words is proof.words
    return other.after(program) is proof.after(program)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expand_key:\n", "    xor r1, r1, r1\nexpand_key:\n"),
        ("    trap\n", "    or r1, r1, r1\n    trap\n"),
        (".place end 0x0", ".place end 0x8000"),
        (".order little", ".order big"),
        ("    .values 0x", "    .values 0x1"),
    ],
    ids=["another begin", "another end", "another place", "another order", "other contents"],
)
def test_another_key_schedule(old: str, new: str) -> None:
    """Any difference, whether or not it makes one."""
    proof, good = begun()
    proof.carried_out(good)
    assert continues(proof, with_text(good, good.text))
    assert good.text.count(old)
    assert not continues(proof, with_text(good, good.text.replace(old, new, 1)))


def test_a_key_schedule_that_goes_through_the_kernel_is_another_with_it() -> None:
    """What is compared is all code up to wherever it went."""
    proof, good = begun()
    head, trap, tail = good.text.partition("    trap\n")
    text = f"{head}    beq r0, r0, out\nback:\n{trap}{tail}out:\n    beq r0, r0, back\n"
    proof.carried_out(with_text(good, text))
    assert continues(proof, with_text(good, text))
    assert not continues(proof, with_text(good, text.replace("    rotri ", "    srli ")))
    assert continues(proof, with_text(good, text + "    trap\n"))


def test_another_call_begins_with_the_memory_after_the_key_schedule() -> None:
    """And with its own words in whatever nothing has written."""
    proof, good = begun()
    after = proof.after(good)
    before = dict(after.memory.bytes)
    first = proof.carried_out(good)[0].bytes
    assert proof.carried_out(good)[0].bytes == first
    assert {at: after.memory.bytes[at] for at in before} == before
    assert proof.after(good) is after


def test_another_definition() -> None:
    """Of another number of rounds, which expands another key."""
    proof, good = begun()
    proof.carried_out(good)
    assert proof.another(made("plx", "rc6:r=2")[0], good) is None


def test_a_key_schedule_that_is_not_carried_out_is_not_there() -> None:
    proof, good = begun()
    proof.words.begin(0)
    with pytest.raises(NotCoveredError):
        proof.carried_out(good)
    assert proof.another(proof.traced, good) is None
