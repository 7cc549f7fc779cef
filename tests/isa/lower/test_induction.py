"""Numbers that move with a loop: which are affine in the iteration's, and which of them only say where."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.lower.induction import Affine, Induction, found_in, inside

MAKE = Builder()
INDEX = MAKE.param("index", WordType(32), "i")
WORD = MAKE.param("carried", WordType(32), "w")
ARRAY = MAKE.param("carried", ArrayType(10, 32), "a")


def number(value: int, width: int = 32) -> Node:
    return MAKE.const(value, width)


def found(*results: Node, first: int = 0, last: int = 4) -> Induction:
    return found_in(Region([INDEX, WORD, ARRAY], results), first, last)


FORMS: list[tuple[Callable[[], Node], Affine | None]] = [
    (lambda: MAKE.make(Op.ADD, (INDEX, number(3))), (1, 3)),
    (lambda: MAKE.make(Op.ADD, (INDEX, number(-1))), (1, -1)),
    (lambda: MAKE.make(Op.SUB, (INDEX, number(3))), (1, -3)),
    (lambda: MAKE.make(Op.MUL, (MAKE.make(Op.ADD, (INDEX, number(2))), number(3))), (3, 6)),
    (lambda: MAKE.make(Op.SHL, (MAKE.make(Op.ADD, (INDEX, number(1))), number(2, 8))), (4, 4)),
    (lambda: MAKE.make(Op.SHL, (INDEX, number(32, 8))), None),
    (lambda: MAKE.make(Op.XOR, (INDEX, number(3))), None),
    (lambda: MAKE.make(Op.ADD, (INDEX, WORD)), None),
    (lambda: MAKE.make(Op.ADD, (WORD, number(3))), None),
    (lambda: MAKE.make(Op.NOT, (INDEX,)), None),
    (lambda: MAKE.slice(INDEX, 0, 8), (1, 0)),
    (lambda: MAKE.slice(INDEX, 0, 2), None),  # 4 does not fit
    (lambda: MAKE.slice(INDEX, 1, 8), None),
    (lambda: MAKE.extend(INDEX, 64), (1, 0)),
    (lambda: MAKE.extend(MAKE.make(Op.ADD, (INDEX, number(-1))), 64), None),  # wraps where it is extended
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 8), number(200, 8))), (1, 200)),  # bytes have no sign
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 9), number(511, 9))), (1, -1)),
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 9), number(255, 9))), (1, 255)),
]


@pytest.mark.parametrize("case", range(len(FORMS)))
def test_forms(case: int) -> None:
    make, form = FORMS[case]
    node = make()
    assert found(node).affine.get(node) == form


def test_the_last_iteration_decides_what_fits() -> None:
    bits = MAKE.slice(INDEX, 0, 2)
    assert found(bits, last=3).affine[bits] == (1, 0)
    assert bits not in found(bits, last=4).affine
    down = MAKE.extend(MAKE.make(Op.SUB, (INDEX, number(2))), 64)
    assert found(down, first=2).affine[down] == (1, -2)
    assert down not in found(down, first=1).affine


def test_inside() -> None:
    assert inside((2, 1), 0, 4, 10) and not inside((2, 2), 0, 4, 10)
    assert inside((-1, 4), 0, 4, 5) and not inside((-1, 3), 0, 4, 5)
    assert inside((-1, 4), 0, 4, 5) and not inside((-1, 4), 0, 4, 4)
    assert inside((1, 0), 0, 0, 1) and not inside((1, -1), 0, 3, 9)


# -- what need not be computed ----------------------------------------------------------------------------


def test_places_of_loads_and_stores() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    stored = MAKE.make(Op.STORE, (ARRAY, INDEX, entry))
    made = found(WORD, stored)
    assert made.places == {place}
    assert not made.counted


def test_a_place_that_is_wanted_as_a_word_is_computed_and_what_it_is_made_of() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    further = MAKE.make(Op.ADD, (place, number(1)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    made = found(MAKE.make(Op.XOR, (entry, further)))
    assert further in made.affine and made.places == set() and made.counted


@pytest.mark.parametrize("result", [True, False])
def test_a_result_is_wanted(result: bool) -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    made = found(*([place] if result else []), entry)
    assert (place not in made.places) == made.counted == result


def test_a_value_that_is_stored_is_wanted() -> None:
    value = MAKE.make(Op.ADD, (INDEX, number(5)))
    assert found(MAKE.make(Op.STORE, (ARRAY, INDEX, value))).counted


def test_a_place_that_may_be_outside_is_computed() -> None:
    """It is taken modulo the entries there."""
    place = MAKE.make(Op.ADD, (INDEX, number(6)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    assert found(entry, last=3).places == {place}
    assert found(entry, last=4).places == set()


def test_what_an_inner_loop_reads_is_computed() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    inner, word = MAKE.param("index", WordType(32), "j"), MAKE.param("carried", WordType(32), "v")
    body = Region([inner, word], [MAKE.make(Op.XOR, (word, place))])
    (after,) = MAKE.loop(number(0), number(3), [WORD], body)
    assert found(after).places == set()
    bounds = MAKE.loop(INDEX, number(9), [WORD], Region([inner, word], [MAKE.make(Op.NOT, (word,))]))
    assert found(*bounds).counted


def test_what_has_several_values_is_no_number() -> None:
    """Its operands may look like those of a sum."""
    for node in (
        MAKE.make(Op.TUPLE, (INDEX, number(7))),
        MAKE.make(
            Op.WHEN, (MAKE.slice(INDEX, 0, 1), number(7)), Region([WORD], [MAKE.make(Op.NOT, (WORD,))])
        ),
    ):
        assert found(*MAKE.results(node)).counted


def test_a_place_that_is_not_in_memory_is_computed() -> None:
    """No pointer reaches it: where it is, an index says which entry."""
    at = MAKE.make(Op.ADD, (INDEX, number(2)))
    read = MAKE.make(Op.LOAD, (ARRAY, at))
    region = Region([INDEX, WORD, ARRAY], [MAKE.make(Op.XOR, (read, WORD)), ARRAY])
    assert found_in(region, 0, 4).places == {at}
    apart = found_in(region, 0, 4, lambda array: array is ARRAY)
    assert not apart.places and apart.counted
