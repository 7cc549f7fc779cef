"""What a program says of itself: how its words lie in memory, what the parts of its key are called."""

from __future__ import annotations

from finalist.ir.program import ByteOrder, Layout
from tests.graphs import random_program

LITTLE, BIG = ByteOrder.LITTLE, ByteOrder.BIG


def test_bytes_are_packed_where_they_fill_words() -> None:
    assert Layout(16, 8, BIG).packed() == Layout(4, 32, LITTLE)
    assert Layout(6, 8, LITTLE).packed() == Layout(6, 8, LITTLE)
    assert Layout(4, 32, BIG).packed() == Layout(4, 32, BIG)


def test_names_of_the_expanded_key() -> None:
    program = random_program(0)
    assert program.key_names == tuple(node.name for node in program.kernel.params[2:])
    assert [t.length for t in program.key_types] == [node.length for node in program.expand.results]
