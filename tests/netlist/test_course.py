"""Circuits clock by clock: registers, what is known whatever the data are, and what is not asked for."""

from __future__ import annotations

import pytest

from finalist.errors import CompilerError
from finalist.netlist.circuit import Cell, Circuit, Kind, circuit, table
from finalist.netlist.course import Control, Course
from finalist.netlist.lanes import Lanes, bits_of_lanes, lanes_of

INPUTS = frozenset({"go", "x"})


def made(*cells: Cell, registers: dict[int | str, int | str] | None = None) -> Circuit:
    """A circuit with the inputs go (bit 2) and x (bits 3 to 6), and the output y, bit 10."""
    ports = {"go": (2,), "x": (3, 4, 5, 6), "y": (10,)}
    return circuit("toy", ports, INPUTS, cells, registers or {})


def test_a_register_shows_what_it_was_given() -> None:
    found = made(registers={10: 3})
    course = Course(Control(found, [{"x": 1}, {"x": 0}, {"x": 0}]), Lanes(2), {})
    assert [course.port("y", cycle) for cycle in range(3)] == [[0], [3], [0]]


def test_control_is_known_whatever_a_register_held() -> None:
    """go clears it; without go it is what it was."""
    found = made(table("and", 0x2, (10, 2), "next"), registers={10: "next"})
    known = Control(found, [{"go": 0}, {"go": 1}, {"go": 0}]).known
    assert [row.get(10) for row in known] == [None, None, 0]


def test_data_are_never_known() -> None:
    assert 10 not in Control(made(table("buffer", 0b10, (3,), 10)), [{"go": 1}]).known[0]


def test_what_chooses_between_equals_is_not_asked_for() -> None:
    """The select hangs on a register of before the first cycle."""
    mux, held = table("mux", 0xCA, (3, 3, 20), 10), {20: 21, 21: 20}
    course = Course(Control(made(mux, registers=held), [{}, {}]), Lanes(4), {("x", 1): [5, 0, 0, 0]})
    assert course.port("y", 1) == [5]
    assert not course.made[0]


@pytest.mark.parametrize(
    ("kind", "words", "wanted"),
    [
        (Kind.ALL, ((3, 4, 5, 6),), [int(x == 15) for x in range(16)]),
        (Kind.ANY, ((3, 4, 5, 6),), [int(x != 0) for x in range(16)]),
        (Kind.PARITY, ((3, 4, 5, 6),), [x.bit_count() & 1 for x in range(16)]),
        (Kind.LESS, ((3, 4), (5, 6)), [int(x % 4 < x // 4) for x in range(16)]),
        (Kind.SUM, ((3, 4), (5, 6), ("1",)), [x % 4 + x // 4 + 1 & 3 for x in range(16)]),
        (Kind.PRODUCT, ((3, 4), (5, 6)), [(x % 4) * (x // 4) & 3 for x in range(16)]),
        (Kind.ROM, ((3, 4, 5, 6),), [x * 7 % 4 for x in range(16)]),
    ],
)
def test_kinds(kind: Kind, words: tuple[tuple[int | str, ...], ...], wanted: list[int]) -> None:
    """In lanes, and where all inputs are known."""
    outputs = (10, 11) if max(wanted) > 1 else (10,)
    cell = Cell("cell", kind, words, outputs, words=tuple(x * 7 % 4 for x in range(16)))
    found = circuit("toy", {"go": (2,), "x": (3, 4, 5, 6), "y": outputs}, INPUTS, [cell], {})
    course = Course(Control(found, [{}]), Lanes(16), {("x", 0): bits_of_lanes(range(16), 4)})
    assert lanes_of(course.port("y", 0), 16) == wanted
    known = Control(found, [{"x": x} for x in range(16)]).known
    assert [sum(row[bit] << k for k, bit in enumerate(outputs)) for row in known] == wanted


def test_a_loop_of_logic_is_refused() -> None:
    with pytest.raises(CompilerError, match="a loop of logic"):
        made(table("a", 0b10, (11,), 10), table("b", 0b10, (10,), 11))


def test_a_wire_that_is_driven_twice_is_refused() -> None:
    with pytest.raises(CompilerError, match="drives a wire twice: 10, by b last"):
        made(table("a", 0b10, (3,), 10), table("b", 0b10, (4,), 10))
