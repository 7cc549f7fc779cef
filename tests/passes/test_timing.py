"""The timing label follows secrets to addresses, branches and durations, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.language import LITTLE, Array, Cipher, loop, rounds, tabulate, u32, when, words
from finalist.language.definition import trace
from finalist.passes.pipeline import lower
from finalist.passes.rounds.roll import rolled
from finalist.passes.timing import (
    CONSTANT,
    LABELS,
    PLAIN,
    TABLE,
    VARIABLE,
    Execution,
    addresses,
    durations,
    leaks,
    secrets,
    timing,
    worst,
)
from tests.graphs import examples, graphs


def timing_of(graph: Graph, execution: Execution = PLAIN) -> str:
    """The label of one graph."""
    return worst(*(leak.label for leak in leaks(graph, execution)))


class Plain(Cipher):
    block = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key: Any) -> Any:
        return key

    def encrypt(self, block: Any, keys: Any) -> Any:
        a, b = block
        for r in rounds(8):
            a, b = b, a + (b ^ keys[r % 2])
        return [a, b]

    decrypt = encrypt


class SecretPlace(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table = Array(4, 32, [3, 1, 4, 1])
        return [block[0] ^ table[block[1]], block[1]]


class PublicPlace(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table, sums = Array(4, 32, [3, 1, 4, 1]), Array(1, 32)
        for i in loop(0, 4):
            sums[0] = sums[0] + table[i] * block[1]
        return [block[0] ^ sums[0], block[1]]


class PublicCounter(Plain):
    """A place that a loop hands on, and that no secret has touched."""

    def encrypt(self, block: Any, keys: Any) -> Any:
        table, place, sums = Array(4, 32, [3, 1, 4, 1]), Array(1, 32), Array(1, 32)
        for _ in loop(0, 4):
            sums[0] = sums[0] + table[place[0]] * block[1]
            place[0] = place[0] * 5 + 1
        return [block[0] ^ sums[0], block[1]]


class SecretCounter(Plain):
    """A place that is public in the first turn, and secret in the ones after."""

    def encrypt(self, block: Any, keys: Any) -> Any:
        table, place, sums = Array(4, 32, [3, 1, 4, 1]), Array(1, 32), Array(1, 32)
        for _ in loop(0, 4):
            sums[0] = sums[0] + table[place[0]]
            place[0] = place[0] + block[1]
        return [block[0] ^ sums[0], block[1]]


class SecretWrite(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        table = Array(4, 32)
        table[block[1]] = block[0]
        return [block[0] ^ table[0], block[1]]


class SecretBranch(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        sums = Array(1, 32)
        with when(block[0] == keys[0]):
            sums[0] = block[1]
        return [block[0] ^ sums[0], block[1]]


class SecretCount(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        sums = Array(1, 32)
        for i in loop(0, block[1]):
            sums[0] = sums[0] + i
        return [block[0] ^ sums[0], block[1]]


class KeyPlace(Plain):
    def expand_key(self, key: Any) -> Any:
        table = Array(4, 32, [3, 1, 4, 1])
        return [key[0] ^ table[key[1]], key[1]]


class Division(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        return [block[0] % (block[1] | 1), block[1]]


class DivisionByTen(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        return [block[0] % 10, block[1]]


class TableOfTheKey(Plain):
    def encrypt(self, block: Any, keys: Any) -> Any:
        function = tabulate(lambda x: x ^ keys[0][0:8], 8)
        return [block[0] ^ function[block[1][0:8]].extend(32), block[1]]


@pytest.mark.parametrize(
    ("definition", "label", "reason"),
    [
        (Plain, CONSTANT, ""),
        (PublicPlace, CONSTANT, ""),
        (PublicCounter, CONSTANT, ""),
        (DivisionByTen, CONSTANT, ""),
        (SecretPlace, TABLE, "its kernel has a read of an array of 4 at a secret place"),
        (SecretCounter, TABLE, "its kernel has a read of an array of 4 at a secret place"),
        (SecretWrite, TABLE, "its kernel has a write to an array of 4 at a secret place"),
        (KeyPlace, TABLE, "its key schedule has a read of an array of 4 at a secret place"),
        (SecretBranch, VARIABLE, "its kernel has a secret condition"),
        (SecretCount, VARIABLE, "its kernel has a loop with a secret number of iterations"),
        (Division, VARIABLE, "its kernel has a division of secret words"),
    ],
)
def test_where_secrets_go(definition: type[Cipher], label: str, reason: str) -> None:
    found = timing(trace(definition, "encrypt", 64))
    assert found.label == label
    said, _, line = found.reason.partition(" (")
    assert said == reason
    assert not reason or __file__ in line


def test_each_part_has_its_own_label() -> None:
    found = timing(trace(KeyPlace, "encrypt", 64))
    assert (found.key_schedule, found.kernel) == (TABLE, CONSTANT)
    found = timing(trace(SecretBranch, "encrypt", 64))
    assert (found.key_schedule, found.kernel) == (CONSTANT, VARIABLE)


def test_tables_of_the_key_are_read_at_secret_places() -> None:
    """Filled at public ones; a function that is not tabulated has no place."""
    program = trace(TableOfTheKey, "encrypt", 64)
    assert timing(lower(program, keying_depth="zero")).label == CONSTANT
    found = timing(lower(program, keying_depth="full"))
    assert (found.key_schedule, found.kernel) == (CONSTANT, TABLE)
    assert "a read of 'table0' at a secret place" in found.reason


@pytest.mark.parametrize(
    ("name", "label"),
    [("rc6", CONSTANT), ("serpent", CONSTANT), ("rijndael", TABLE), ("mars", TABLE), ("frog", VARIABLE)],
)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.every(3)
def test_ciphers(name: str, label: str, operation: str) -> None:
    assert timing(lower(trace(cipher(name), operation, 128))).label == label


@pytest.mark.parametrize("name", ["rc6", "rijndael"])
def test_rounds_in_a_loop_are_no_other(name: str) -> None:
    """The turn of a loop is public, a lookup inside of it is as secret as outside."""
    kernel = lower(trace(cipher(name), "encrypt", 128)).kernel
    assert timing_of(rolled(kernel)) == timing_of(kernel)


def test_the_worst_of_labels() -> None:
    assert worst() == CONSTANT
    assert worst(TABLE, CONSTANT) == TABLE
    assert worst(CONSTANT, VARIABLE, TABLE) == VARIABLE


# -- each rule alone ---------------------------------------------------------------------------------

MAKE = Builder()
SECRET = MAKE.param("memory", WordType(32), "x")
KEYS = MAKE.param("key", ArrayType(4, 32), "keys")
#: A word that is not known before the program runs, and still no secret.
TURN = MAKE.param("index", WordType(32), "i")
PUBLIC = MAKE.make(Op.MUL, [TURN, TURN])
T = TableData(tuple(range(256)), 8, "T")


def label(node: Node, execution: Execution = PLAIN) -> str:
    """The label of a loop that does no more than this in each of four turns."""
    carried = MAKE.param("carried", WordType(node.width), "c")
    result = MAKE.make(Op.XOR, [carried, node])
    bounds = [MAKE.const(0, 32), MAKE.const(4, 32)]
    made = MAKE.make(Op.LOOP, [*bounds, MAKE.const(0, node.width)], Region([TURN, carried], [result]))
    return timing_of(Graph("g", [SECRET, KEYS], MAKE.results(made)), execution)


def byte(node: Node) -> Node:
    return MAKE.slice(node, 0, 8)


def bit(node: Node) -> Node:
    return MAKE.slice(node, 0, 1)


def conditional(condition: Node) -> Node:
    carried = MAKE.param("carried", WordType(32), "v")
    region = Region([carried], [MAKE.make(Op.ADD, [carried, TURN])])
    return MAKE.results(MAKE.make(Op.WHEN, [bit(condition), PUBLIC], region))[0]


def inner_loop(turns: Node) -> Node:
    carried = MAKE.param("carried", WordType(32), "v")
    index = MAKE.param("index", WordType(32), "j")
    region = Region([index, carried], [MAKE.make(Op.ADD, [carried, index])])
    return MAKE.results(MAKE.make(Op.LOOP, [MAKE.const(0, 32), turns, PUBLIC], region))[0]


def stored(place: Node, value: Node) -> Node:
    array = MAKE.array([0] * 4, 32)
    return MAKE.make(Op.LOAD, [MAKE.make(Op.STORE, [array, place, value]), TURN])


RULES: list[tuple[str, Callable[[Node], Node], str]] = [
    ("lookup", lambda x: MAKE.make(Op.LOOKUP, [byte(x)], T), TABLE),
    ("load", lambda x: MAKE.make(Op.LOAD, [MAKE.array([1, 2, 3, 4], 32), x]), TABLE),
    ("load of the key", lambda x: MAKE.make(Op.LOAD, [KEYS, x]), TABLE),
    ("store", lambda x: stored(x, PUBLIC), TABLE),
    ("store of a value", lambda x: stored(PUBLIC, x), CONSTANT),
    ("when", conditional, VARIABLE),
    ("loop", inner_loop, VARIABLE),
    ("division", lambda x: MAKE.make(Op.REM, [x, PUBLIC]), VARIABLE),
    ("division by", lambda x: MAKE.make(Op.REM, [PUBLIC, x]), VARIABLE),
    ("division by a constant", lambda x: MAKE.make(Op.REM, [x, MAKE.const(10, 32)]), CONSTANT),
    ("select", lambda x: MAKE.make(Op.SELECT, [bit(x), x, PUBLIC]), CONSTANT),
    ("comparison", lambda x: MAKE.make(Op.LT, [x, PUBLIC]), CONSTANT),
    ("equality", lambda x: MAKE.make(Op.EQ, [x, PUBLIC]), CONSTANT),
    ("rotation", lambda x: MAKE.make(Op.ROL, [PUBLIC, x]), CONSTANT),
    ("shift", lambda x: MAKE.make(Op.SHL, [PUBLIC, x]), CONSTANT),
    ("multiplication", lambda x: MAKE.make(Op.MUL, [x, x]), CONSTANT),
    ("high product", lambda x: MAKE.make(Op.MULHI, [x, PUBLIC]), CONSTANT),
]


@pytest.mark.parametrize(("made", "expected"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_rules(made: Callable[[Node], Node], expected: str) -> None:
    assert label(made(SECRET)) == expected
    assert label(made(MAKE.make(Op.LOAD, [KEYS, TURN]))) == expected
    assert label(made(PUBLIC)) == CONSTANT


def test_what_a_machine_gives_away_is_a_parameter() -> None:
    """A table that is read without an address; a shift that takes a turn of a loop for each place."""
    lookup = MAKE.make(Op.LOOKUP, [byte(SECRET)], T)
    assert label(lookup, Execution(addresses=lambda node: ())) == CONSTANT
    inside = MAKE.make(Op.LOAD, [KEYS, MAKE.extend(lookup, 32)])
    only_lookups = Execution(addresses=lambda node: () if node.op is Op.LOOKUP else addresses(node))
    assert label(inside, only_lookups) == TABLE
    slow = Execution(durations=lambda node: (*durations(node), *node.inputs[1:] * (node.op is Op.SHL)))
    assert label(MAKE.make(Op.SHL, [PUBLIC, SECRET]), slow) == VARIABLE
    assert label(MAKE.make(Op.SHL, [SECRET, PUBLIC]), slow) == CONSTANT


def test_a_secret_condition_is_in_what_it_decided() -> None:
    """What it leaves behind is as secret as the condition, though each of its values is public."""
    decided = conditional(SECRET)
    graph = Graph("g", [SECRET, TURN], [MAKE.make(Op.LOAD, [MAKE.array([1, 2], 32), decided])])
    assert [leak.label for leak in leaks(graph)] == [VARIABLE, TABLE]
    assert decided in secrets(graph)


def test_turns_of_a_secret_loop_are_secret() -> None:
    carried = MAKE.param("carried", WordType(32), "v")
    index = MAKE.param("index", WordType(32), "j")
    region = Region([index, carried], [MAKE.make(Op.XOR, [carried, index])])
    made = MAKE.make(Op.LOOP, [MAKE.const(0, 32), SECRET, MAKE.const(0, 32)], region)
    found = secrets(Graph("g", [SECRET], MAKE.results(made)))
    assert {index, carried} <= found


# -- random graphs -----------------------------------------------------------------------------------


@examples
@given(graphs())
def test_a_label_is_that_of_the_leaks(graph: Graph) -> None:
    found = {leak.label for leak in leaks(graph)}
    assert timing_of(graph) == max((CONSTANT, *found), key=LABELS.index)


@examples
@given(graphs())
def test_no_more_is_given_away_where_less_is_looked_at(graph: Graph) -> None:
    """A machine that hides addresses, durations or both never has the worse label."""
    no_addresses = timing_of(graph, Execution(addresses=lambda node: ()))
    nothing = timing_of(graph, Execution(addresses=lambda node: (), durations=lambda node: ()))
    assert nothing == CONSTANT
    assert no_addresses in (CONSTANT, VARIABLE)
    assert LABELS.index(no_addresses) <= LABELS.index(timing_of(graph))


@examples
@given(graphs(), st.data())
def test_a_planted_flow_is_found(graph: Graph, data: st.DataObject) -> None:
    """A lookup at any word that a secret has reached is a leak, and the label never gets better by it."""
    secret = secrets(graph)
    words = [n for n in (*graph.params, *graph.body) if n in secret and isinstance(n.type, WordType)]
    make, target = Builder(), data.draw(st.sampled_from(words))
    small = target if target.width <= 8 else make.slice(target, 0, 8)
    planted = make.make(Op.LOOKUP, [small], TableData((0,) * (1 << small.width), 8, "PLANTED"))
    longer = Graph("g", graph.params, [*graph.results, planted])
    assert planted in {leak.node for leak in leaks(longer)}
    assert timing_of(longer) == worst(timing_of(graph), TABLE)


@examples
@given(graphs())
def test_nothing_is_secret_without_a_secret(graph: Graph) -> None:
    """With constants for its parameters a graph has no leak left, whatever it does."""
    make = Builder()
    known = {
        param: make.array([3] * param.length, param.width)
        if isinstance(param.type, ArrayType)
        else make.make(Op.LOAD, [make.array([1], param.width), make.const(0, 32)])
        for param in graph.params
    }
    rewriter = Rewriter(make)
    rewriter.map.update(known)
    for node in graph.body:
        rewriter.get(node)
    open_graph = Graph("g", (), rewriter.all(graph.results))
    assert not secrets(open_graph)
    assert timing_of(open_graph) == CONSTANT


@examples
@given(graphs())
def test_rebuilding_makes_no_label_worse(graph: Graph) -> None:
    """It may drop a condition that decides nothing; what is left leaks no more than before."""
    again = rewrite(graph, Builder())
    assert LABELS.index(timing_of(again)) <= LABELS.index(timing_of(graph))
    assert {leak.node for leak in leaks(again)} <= set(every_node(again))
