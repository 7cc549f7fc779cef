"""Rounds, arrays, loops and decisions."""

from __future__ import annotations

from types import FrameType

from finalist.ir.ops import Op
from finalist.language import Array, constant, loop, rol, rounds, select, when
from finalist.language.trace import tracing
from tests.language.toy import compute, toy, traced


def test_rounds_are_marked() -> None:
    def encrypt(block, keys):
        a, *rest = block
        for r in rounds(1, 4):
            a = rol(a, 1) ^ keys[r]
        for _ in rounds(2, 0, -1):
            a = a + 1
        return [a, *rest]

    kernel = traced(toy(encrypt)).kernel
    assert kernel.rounds == ((1, 3), (5, 2))  # what lies between has a phase of its own
    phases = [node.phase for node in kernel.body if node.op in (Op.XOR, Op.ADD)]
    assert phases == [1, 2, 3, 5, 6]


def test_who_watches_is_told_where_rounds_begin() -> None:
    """The phase of each, and which of which rounds it is; at last that of what follows."""

    class Watcher:
        told: list[tuple[int, tuple[int, int] | None]] = []

        def boundary(self, frame: FrameType, phase: int, turn: tuple[int, int] | None) -> None:
            self.told.append((phase, turn))

    with tracing(Watcher()):
        for _ in rounds(5, 8):
            pass
        for _ in rounds(2):
            pass
    first = [(1, (1, 5)), (2, (1, 6)), (3, (1, 7)), (4, None)]
    assert Watcher.told == [*first, (5, (2, 0)), (6, (2, 1)), (7, None)]


def test_rounds_may_be_left_early_or_never_entered() -> None:
    def encrypt(block, keys):
        for r in rounds(8):
            if r == 3:
                break
        for _ in rounds(0):
            pass
        for _ in rounds(2):
            continue
        return block

    assert [count for _, count in traced(toy(encrypt)).kernel.rounds] == [4, 0, 2]


def test_values_keep_the_names_of_the_definition() -> None:
    def encrypt(block, keys):
        left, right = block[0] + 1, [block[1] + 2, block[2] + 3]
        for _ in rounds(2):
            left, right = right[0] + left, [right[1] ^ 1, left]
        return [left, *right, block[3]]

    names = {node.name for node in traced(toy(encrypt)).kernel.body}
    assert {"left", "right0_", "right1_"} <= names


def test_arrays() -> None:
    def function(x, y):
        A = Array(4, 32, [10, 20, 30, 40])
        before = A[1]
        A[x] = y  # 6 is place 2, modulo the length
        A[0] = 5
        return [before, A[x], A[2], A[0], A[3], constant(len(A) + A.width, 32)]

    assert compute(function, 6, 99) == [20, 99, 99, 5, 40, 36]


def test_arrays_of_narrow_words() -> None:
    def function(x):
        A = Array(3, 5)
        A[x[0:2]] = x[0:5]
        return [A[1], A[0]]

    assert compute(function, 0b11101) == [0b11101, 0]


def test_an_array_of_words_at_hand() -> None:
    def function(x, y):
        A = Array.holding([x, y, x + y])
        A[1] = A[2] + 1
        return [*A, constant(len(A) + A.width, 32)]

    assert compute(function, 3, 4) == [3, 8, 7, 35]


def test_an_array_goes_through_python_as_a_sequence() -> None:
    def function(x):
        A = Array(3, 32, [1, 2, 3])
        A[1] = x
        return list(A)

    assert compute(function, 9) == [1, 9, 3]


def test_loops_count_to_where_the_words_say() -> None:
    def function(start, stop):
        total = Array(2, 32)
        for i in loop(start, stop):
            total[0] = total[0] + i
            total[1] = total[1] + 1
        return [total[0], total[1]]

    assert compute(function, 3, 6) == [12, 3]
    assert compute(function, 6, 3) == [0, 0]


def test_loops_in_loops() -> None:
    def function(n):
        total = Array(1, 32)
        for i in loop(0, n):
            for j in loop(0, i):
                total[0] = total[0] + i * j
        return total[0]

    assert compute(function, 5) == [sum(i * j for i in range(5) for j in range(i))]


def test_loop_in_a_round_and_in_a_decision() -> None:
    def function(x):
        A = Array(1, 32)
        for r in rounds(3):
            with when(x > r):
                for i in loop(0, 4):
                    A[0] = A[0] + i
        return A[0]

    assert compute(function, 2) == [12]


def test_decisions() -> None:
    def function(x, y):
        A = Array(2, 32, [1, 2])
        with when(x == y):
            A[0] = x
            with when(x > 5):
                A[1] = A[0] + 1
        return [A[0], A[1]]

    assert compute(function, 9, 9) == [9, 10]
    assert compute(function, 4, 4) == [4, 2]
    assert compute(function, 9, 8) == [1, 2]


def test_a_name_bound_in_a_loop_may_have_been_bound_before() -> None:
    """As long as no turn reads what the turn before had bound."""

    def function(x):
        A, t = Array(4, 32), x + 1
        A[3] = t
        for i in loop(0, 3):
            t = i * 2
            A[i] = t
        t = A[2] + A[3]
        return [t]

    assert compute(function, 10) == [15]


def test_a_literal_is_no_name() -> None:
    """A name that stands for 0 is not read by writing 0."""

    def function(x):
        A, carry = Array(4, 32), constant(0, 32)
        for i in loop(0, 3):
            carry = select(x > i, x, 0)
            A[i] = carry + 0
        return A[1]

    assert compute(function, 10) == [10]


def test_an_array_made_in_a_loop_is_new_at_every_turn() -> None:
    def function(x):
        total = Array(1, 32)
        for i in loop(0, 3):
            A = Array(2, 32, [1, 2])
            A[i] = A[i] + x
            total[0] = total[0] + A[0]
        return total[0]

    assert compute(function, 10) == [11 + 1 + 11]


def test_reading_an_array_in_a_loop_does_not_carry_it() -> None:
    def encrypt(block, keys):
        T, A = Array(4, 32, [5, 6, 7, 8]), Array(1, 32)
        for i in loop(0, 4):
            A[0] = A[0] + T[i]
        return [A[0], *block[1:]]

    (node,) = [n for n in traced(toy(encrypt)).kernel.body if n.op is Op.LOOP]
    assert len(node.region.results) == 1
