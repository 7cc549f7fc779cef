"""Key schedule and kernel separately: what is proved so is right; a kernel that is right for those expanded
keys alone that a key leads to is proved with the key schedule."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.steps import Step
from finalist.language import Array, Cipher, Word, loop, u8, u64, words
from finalist.machines.native.passes.scalars.forwarding import with_forwarding
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.passes import simplify
from finalist.prove.compositional import COMPOSITIONAL
from finalist.prove.passes import Passed, prove_passes
from finalist.prove.refute import interpreted
from finalist.report.explained import passes
from finalist.schedule import parse_schedule
from tests.prove.test_passes import idle, spoiled
from tests.prove.test_streams import Shuffle


class Turns(Cipher):
    """As many iterations as the first byte of the key says make the round keys; the kernel has their sum."""

    block = words(2, u8)
    key_bits = (16,)

    def expand_key(self, key: list[Word]) -> Array:
        entries, place = Array(4, 8, [7, 1, 2, 5]), Array(1, 8)
        for k in loop(0, key[0].extend(32)):
            place[0] = place[0] + (key[1] + k[0:8])
            entries[k] = entries[k] ^ place[0]
        return entries

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [block[0] + key[0] ^ key[1], block[1] + key[2] ^ key[3]]


class Wide(Cipher):
    """Round keys are words of 64 bits: sums of the key, and differences of them."""

    block = words(1, u64)
    key_bits = (128,)

    def expand_key(self, key: list[Word]) -> Array:
        return Array.holding([key[0] + key[1], key[0] - (key[1] + key[0])])

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [(block[0] - key[0] ^ key[1]) + key[0]]


class Even(Cipher):
    """Round keys are even numbers."""

    block = words(1, u8)
    key_bits = (8,)

    def expand_key(self, key: list[Word]) -> Array:
        return Array.holding([key[0] << 1])

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [block[0] ^ key[0] & 0xFE]


class One(Cipher):
    """A block with a round key."""

    block = words(1, u8)
    key_bits = (8,)

    def expand_key(self, key: list[Word]) -> Array:
        return Array.holding([key[0]])

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [block[0] + key[0] ^ key[0]]


class Broadcast(One):
    """Two blocks, each with its own copy of the round key; the second has its complement."""

    block = words(2, u8)

    def expand_key(self, key: list[Word]) -> Array:
        return Array.holding([key[0], ~key[0]])

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [block[0] + key[0] ^ key[0], block[1] + ~key[1] ^ ~key[1]]


class FirstCopy(Broadcast):
    """Both blocks take the first copy."""

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [word + key[0] ^ key[0] for word in block]


class WrongCopy(Broadcast):
    """The second block takes its own copy for the round key."""

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        return [block[0] + key[0] ^ key[0], block[1] + key[1] ^ key[1]]


def verdict(before: Program, after: Program) -> Passed:
    (found,) = prove_passes([Step("pass", "", "file.py", before, after)])
    return found


def with_another(program: Program, op: Op, new: Op, kernel: bool = False) -> Program:
    """The program with an operation of its key schedule, or of its kernel, exchanged, wherever it stands."""
    graph = program.kernel if kernel else program.expand
    at = next(node for node in every_node(graph) if node.op is op)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return rewriter.builder.make(new, inputs) if node is at else None

    made = rewrite(graph, Builder(), visit)
    return program.with_graphs(program.expand, made) if kernel else program.with_graphs(made, program.kernel)


def test_a_key_schedule_whose_loops_depend_on_the_key() -> None:
    """One store cannot carry it out; separately it is proved, with the kernel changed as well."""
    first = traced(Turns, "encrypt", 16)
    idle = with_another(first, Op.XOR, Op.XOR)
    found = verdict(first, simplify.run(idle))
    assert (found.verdict, found.method) == ("proved", COMPOSITIONAL)


@pytest.mark.parametrize(
    ("op", "new", "kernel"),
    [(Op.XOR, Op.OR, False), (Op.ADD, Op.SUB, False), (Op.XOR, Op.ADD, True)],
)
def test_what_is_wrong_is_refuted(op: Op, new: Op, kernel: bool) -> None:
    first = traced(Turns, "encrypt", 16)
    bad = with_another(first, op, new, kernel)
    found = verdict(first, bad)
    assert (found.verdict, found.method) == ("refuted", "")
    wrong = found.counterexample
    assert wrong is not None
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    assert interpreted(first, key, data).hex() == wrong.defined != wrong.computed
    assert interpreted(bad, key, data).hex() == wrong.computed


def test_a_kernel_that_is_right_for_its_round_keys_alone() -> None:
    """It is proved with the key schedule."""
    first = traced(Even, "encrypt", 8)
    found = verdict(first, with_another(first, Op.AND, Op.OR, kernel=True))
    assert found.verdict == "refuted"

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        return inputs[0] if node.op is Op.AND else None

    kernel = rewrite(first.kernel, Builder(), visit)
    found = verdict(first, first.with_graphs(first.expand, kernel))
    assert (found.verdict, found.method) == ("proved", "")


class Places(Turns):
    """Writes at indices that the key says, next to what is read again."""

    block = words(4, u8)

    def encrypt(self, block: list[Word], key: Array) -> list[Word]:
        entries = Array.holding(block)
        for i in range(12):
            entries[(i + 1) % 4] = entries[(i + 1) % 4] ^ entries[i % 4] + key[i % 4]
            entries[key[(i + 2) % 4]] = entries[key[(i + 2) % 4]] + entries[i % 4]
        return list(entries)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_kernel_that_writes_at_places_that_are_not_known(wrong: bool) -> None:
    """With its arrays uninterpreted, where no store carries out the key schedule; with a choice the other way
    round it is refuted."""
    first = traced(Places, "encrypt", 16)
    kernel = with_forwarding(simplify.run(first).kernel)
    choices = [node for node in kernel.body if node.op is Op.SELECT]
    assert choices

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        other = (inputs[0], inputs[2], inputs[1]) if node is choices[0] else ()
        return rewriter.builder.make(Op.SELECT, other) if other else None

    after = rewrite(kernel, Builder(), visit) if wrong else kernel
    found = verdict(first, first.with_graphs(first.expand, after))
    assert (found.verdict, found.method) == (("refuted", "") if wrong else ("proved", COMPOSITIONAL))


def test_frog_with_what_was_just_written_in_registers() -> None:
    first = simplify.run(traced(cipher("frog"), "encrypt", 128))
    after = first.with_graphs(with_forwarding(first.expand), with_forwarding(first.kernel))
    assert after.kernel is not first.kernel and after.expand is not first.expand
    found = verdict(first, after)
    assert (found.verdict, found.method) == ("proved", COMPOSITIONAL)


def test_a_stream_from_any_state() -> None:
    first = traced(Shuffle, "encrypt", 32)
    spoiled_first = spoiled(first, Op.ADD, idle)
    found = verdict(first, spoiled_first)
    assert (found.verdict, found.method) == ("proved", COMPOSITIONAL)
    assert verdict(first, with_another(spoiled_first, Op.ADD, Op.SUB, kernel=True)).verdict == "refuted"


def in_limbs() -> tuple[Program, Program]:
    """A program of words of 64 bits, and what words of 32 bits make of it."""
    native = machine("native")
    _, steps, _ = passes(native, Wide, "encrypt", 128, parse_schedule(["word=32"]))
    step = next(step for step in steps if len(step.after.key_types) > len(step.before.key_types))
    return step.before, step.after


def test_an_expanded_key_in_limbs() -> None:
    """Is that of whole words, for the key schedule and for kernels under any."""
    found = verdict(*in_limbs())
    assert (found.verdict, found.method) == ("proved", COMPOSITIONAL)


@pytest.mark.parametrize("kernel", [False, True])
def test_limbs_that_are_wrong(kernel: bool) -> None:
    first, second = in_limbs()
    found = verdict(first, with_another(second, Op.ADD, Op.SUB, kernel))
    assert found.verdict == "refuted"


def test_limbs_that_are_exchanged() -> None:
    """The upper one is not the lower one."""
    first, second = in_limbs()
    low, high, *rest = second.expand.results
    expand = Graph(second.expand.name, second.expand.params, (high, low, *rest))
    found = verdict(first, second.with_graphs(expand, second.kernel))
    assert found.verdict == "refuted"


@pytest.mark.parametrize(("after", "expected"), [(FirstCopy, "proved"), (WrongCopy, "refuted")])
def test_round_keys_that_are_broadcast(after: type[Cipher], expected: str) -> None:
    """Any expanded key has the same bits wherever the key schedule has them, and their complements."""
    one, two, other = (traced(definition, "encrypt", 8) for definition in (One, Broadcast, after))
    steps = [Step("blocks", "", "file.py", one, two), Step("copies", "", "file.py", two, other)]
    blocks, copies = prove_passes(steps)
    assert (blocks.verdict, blocks.method) == ("proved", "")
    assert (copies.verdict, copies.method) == (expected, COMPOSITIONAL if expected == "proved" else "")
