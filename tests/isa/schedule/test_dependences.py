"""Dependences of a basic block: which there are, and how many cycles each takes."""

from __future__ import annotations

from collections.abc import Iterable

from finalist.isa.code import Ins
from finalist.isa.schedule.dependences import Edge, latency, of_registers, of_words
from tests.processors.vliw import processor

P = processor()
ADD, MUL, LOAD, STORE = (P.by_name[name][0] for name in ("add", "mul", "ld32", "st32"))


def on_words(body: list[Ins], *lasting: int) -> set[tuple[int, int, int]]:
    return triples(of_words(body, set(lasting)))


def on_registers(body: list[Ins]) -> set[tuple[int, int, int]]:
    for ins in body:
        ins.files = tuple("a" if o.is_register else "" for o in ins.instruction.operands)
    return triples(of_registers(body, P))


def triples(edges: Iterable[Edge]) -> set[tuple[int, int, int]]:
    return {(one.source, one.target, one.distance) for one in edges}


def test_a_read_waits_for_the_latency_of_what_it_reads() -> None:
    body = [Ins(MUL, [5, 1, 2]), Ins(LOAD, [6, 1, 0]), Ins(ADD, [7, 5, 6])]
    assert on_words(body) == {(0, 2, 2), (1, 2, 4)} == on_registers(body)
    assert (latency(body[0], 5), latency(body[1], 6)) == (2, 4)


def test_registers_are_written_after_what_was_there_was_read_and_arrived() -> None:
    """A load may even be issued before the read, which sees the old value while that is in flight."""
    body = [Ins(ADD, [5, 1, 2]), Ins(ADD, [6, 5, 1]), Ins(LOAD, [5, 1, 0]), Ins(ADD, [5, 1, 1])]
    assert on_registers(body) == {(0, 1, 1), (1, 2, -3), (0, 2, -2), (2, 3, 4)}
    assert on_words(body, 5) == on_registers(body)


def test_words_without_registers_have_no_such_dependences() -> None:
    assert on_words([Ins(ADD, [6, 5, 1]), Ins(ADD, [5, 1, 1])]) == set()


def test_accesses_to_one_array_keep_their_order() -> None:
    """A load finds in its cycle what was there before; of stores the last stands for those before it."""
    body = [Ins(STORE, [1, 2, 0]), Ins(LOAD, [5, 2, 0]), Ins(STORE, [3, 2, 0]), Ins(STORE, [4, 2, 0])]
    for ins in body:
        ins.access = "array"
    assert on_words(body) == {(0, 1, 1), (0, 2, 1), (1, 2, 0), (2, 3, 1)}
    body[2].access = "another"
    assert on_words(body) == {(0, 1, 1), (0, 3, 1), (1, 3, 0)}
