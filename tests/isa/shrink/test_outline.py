"""Outlining: what is worth a subroutine, byte by byte, and how deep calls go."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.outline import Calling, Calls, executions, outline, routines, without_returns
from finalist.isa.simulate.simulator import Simulator
from finalist.machines.hc05.model import Parameters, processor
from tests.isa.shrink.test_shrink import code, ran
from tests.processors.accumulator import PROCESSOR as PLAIN

#: Of two bytes each.
LOAD, STORE, ADD = ("lda *{m}", 64), ("sta *{m}", 65), ("add *{m}", 66)
#: What keeps equal instructions from being one long piece.
BETWEEN = [("com *{m}", 70 + k) for k in range(9)]


def between(*pieces: list[tuple[str, int]]) -> Code:
    """Pieces with something else between any two."""
    lines = [line for k, piece in enumerate(pieces) for line in (*piece, BETWEEN[k])]
    return code(*lines)


def names(made: Code) -> list[list[str]]:
    return [[one.instruction.name for one in block.body] for block in made.blocks]


@pytest.mark.parametrize(
    ("length", "count", "pays"),
    [
        (2, 2, False),
        (4, 2, True),  # 8 bytes less, 2 calls of 3 and 1 of the return more
        (3, 2, False),  # 6 less, 7 more
        (2, 4, False),  # 12 less, 13 more
        (2, 5, False),  # 16 less, 16 more: not worth it
        (2, 6, True),
    ],
)
def test_bytes_are_counted(length: int, count: int, pays: bool) -> None:
    made = between(*[[LOAD, ADD, STORE, ("inc *{m}", 67)][:length]] * count)
    before = ran(made)[1]
    outline(made, CARD, 1000)
    assert (len(made.blocks) > 1) is pays
    assert (ran(made)[1] < before) is pays


def test_the_longest_piece_is_taken() -> None:
    piece = [LOAD, ADD, STORE, ADD, ("sta *{m}", 68)]
    made = between(piece, piece)
    outline(made, CARD, 1000)
    assert names(made)[0] == ["jsr", "com", "jsr", "com", "stop"]
    assert names(made)[1] == ["lda", "add", "sta", "add", "sta", "rts"]
    assert made.blocks[1].label == "piece0"


def test_operands_have_to_be_the_same() -> None:
    made = between(*([LOAD, ADD, STORE, ("inc *{m}", 100 + k)] for k in range(2)))
    outline(made, CARD, 1000)
    assert len(made.blocks) == 1


def test_pieces_of_pieces() -> None:
    """The call in one is an instruction like others."""
    small = [LOAD, ADD, STORE, ADD]
    large = [("inc *{m}", 80), *small, ("inc *{m}", 81), ("inc *{m}", 82)]
    pieces = [large, small, large, small, small]
    made, plain = between(*pieces), between(*pieces)
    outline(made, CARD, 1000)
    assert Calls.of(made).deepest == 2
    assert ran(made)[0] == ran(plain)[0]
    assert ran(made)[1] < ran(plain)[1]


def test_pieces_of_code_that_has_pieces_already() -> None:
    """Each has a label of its own: with one for two, a piece would call itself."""
    small = [LOAD, ADD, STORE, ADD]
    large = [("inc *{m}", 80), *small, ("inc *{m}", 81), ("inc *{m}", 82)]
    made, plain = between(small, small, small, large, large), between(small, small, small, large, large)
    outline(made, CARD, 1000, deeper=9)
    first = {block.label for block in made.blocks}
    outline(made, CARD, 1000)
    assert {block.label for block in made.blocks} > first
    assert len({block.label for block in made.blocks}) == len(made.blocks)
    assert ran(made)[0] == ran(plain)[0]


def test_a_piece_ends_at_a_branch() -> None:
    """No branch is part of one, and none reaches over the end of a block."""

    def block(label: str) -> Block:
        body = code(LOAD, ADD, STORE).blocks[0].body
        branch = next(one for one in CARD.instructions if one.syntax == "bne {to}")
        return Block(label, [*body[:-1], Ins(branch, [0, label])])

    made = Code([block("a"), block("b"), Block("end", [stop()])])
    outline(made, CARD, 1000)
    assert len(made.blocks) == 3


def test_equal_instructions_do_not_overlap() -> None:
    """Nine in a row are two pieces of four."""
    made = code(*[("rol *{m}", 64)] * 9)
    plain = code(*[("rol *{m}", 64)] * 9)
    outline(made, CARD, 1000)
    assert ran(made)[0] == ran(plain)[0]
    assert names(made)[0].count("jsr") * (len(made.blocks[1].body) - 1) + names(made)[0].count("rol") == 9


def test_what_calls_and_returns() -> None:
    found = Calling.of(CARD)
    assert found is not None
    assert (found.call.syntax, found.back.syntax) == ("jsr {to}", "rts")
    assert Calling.of(PLAIN) is None


def test_pieces_have_a_bound() -> None:
    """Of what is longer a part is taken: a piece and its return."""
    piece = [("inc *{m}", 60 + k) for k in range(81)]
    made = between(piece, piece)
    outline(made, CARD, 1000)
    assert [len(found) for found in names(made)[1:]] == [80]


CARD = processor(Parameters())
BY_SYNTAX = {one.syntax: one for one in CARD.instructions}


def call(label: str) -> Ins:
    return Ins(BY_SYNTAX["jsr {to}"], [label])


def ins(syntax: str) -> Ins:
    one = BY_SYNTAX[syntax]
    return Ins(one, [0] * len(one.operands))


def back() -> Ins:
    return ins("rts")


def stop() -> Ins:
    return ins("stop")


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_loop_is_taken_to_have_sixteen_iterations(depth: int) -> None:
    assert executions(Code([Block("only", [stop()], depth)])) == {"only": 16**depth}


def test_a_routine_is_executed_as_often_as_it_is_called() -> None:
    blocks = [
        Block("start", [call("routine")]),
        Block("loop", [call("routine")], depth=1),
        Block("end", [stop()]),
        Block("routine", []),
        Block("inner", [back()], depth=1),
    ]
    assert executions(Code(blocks)) == {"start": 1, "loop": 16, "end": 1, "routine": 17, "inner": 17 * 16}


def test_calls_of_calls() -> None:
    blocks = [
        Block("start", [call("outer"), call("outer"), stop()]),
        Block("outer", [call("inner"), call("inner"), call("inner"), back()]),
        Block("inner", [back()]),
    ]
    assert executions(Code(blocks)) == {"start": 1, "outer": 2, "inner": 6}


def test_two_operations_share_a_routine() -> None:
    """In one run of one of them it is called half as often; but not less than once."""
    blocks = [
        Block("one", [call("routine")] * 3 + [stop()], entry="encrypt"),
        Block("two", [call("routine"), stop()], entry="decrypt"),
        Block("routine", [call("seldom"), back()]),
        Block("seldom", [back()]),
        Block("never", [back()]),
    ]
    found = executions(Code(blocks))
    assert (found["routine"], found["seldom"], found["never"]) == (2, 1, 1)


def test_what_calls_itself_ends() -> None:
    blocks = [Block("start", [call("loop"), stop()]), Block("loop", [call("loop"), back()])]
    assert executions(Code(blocks)) == {"start": 1, "loop": 1}


def test_a_loop_that_is_known_is_executed_as_often_as_that() -> None:
    blocks = [Block("known", [ins("rts")], 1, trips=8), Block("inner", [stop()], 2, trips=3)]
    assert executions(Code(blocks)) == {"known": 8, "inner": 48}


def add(number: int) -> Ins:
    one = next(one for one in CARD.instructions if one.syntax == "inc *{m}")
    return Ins(one, [number if o.kind == "imm" else 0 for o in one.operands])


def nested() -> Code:
    """start -> first -> second -> third, which is called from elsewhere as well."""
    return Code(
        [
            Block("start", [add(80), call("first"), call("third"), stop()]),
            Block("third", [add(83), back()]),
            Block("first", [add(81), call("second"), back()]),
            Block("second", [add(82), call("third"), add(84), call("third"), back()]),
        ]
    )


def ran_calls(made: Code) -> tuple[bytes, int]:
    """Memory after a run, and bytes of code."""
    image = assemble("\n".join(code_lines(made, CARD)), CARD)
    simulator = Simulator(image, CARD, ("start",))
    memory = bytearray(512)
    machine = simulator.machine()
    simulator.run("start", memory, machine)
    return bytes(memory[:0xE0]), len(image.words)


def test_return_addresses_on_the_stack() -> None:
    found = Calls.of(nested())
    # `first` and `second` end with a call, which leaves nothing on the stack.
    assert [found.depth(name) for name in ("start", "first", "second", "third")] == [2, 1, 1, 0]
    assert [found.above(name) for name in ("start", "first", "second", "third")] == [0, 1, 1, 2]
    assert found.deepest == 2
    assert Calls().deepest == 0


def test_depth_over_several_blocks() -> None:
    assert Calls.of(Code([Block("a", [stop()])])).deepest == 0
    blocks = [
        Block("a", [call("b")]),
        Block("more", [call("c"), stop()]),
        Block("b", [back()]),
        Block("c", []),
        Block("rest", [call("d"), add(80), back()]),
        Block("d", [call("b"), add(80), back()]),
    ]
    assert Calls.of(Code(blocks)).deepest == 3
    assert Calls.of(Code(blocks[:4])).deepest == 1


def test_routines_go_to_where_they_return() -> None:
    blocks = [Block("a", [stop()]), Block("b", []), Block("c", [back()]), Block("d", [back()])]
    assert routines(Code(blocks)) == {"a": "a", "b": "b", "c": "b", "d": "d"}


def test_calls_before_a_return_are_jumps_or_nothing() -> None:
    plain, made = nested(), nested()
    without_returns(made, CARD)
    names = {block.label: [one.instruction.name for one in block.body] for block in made.blocks}
    assert names["first"] == ["inc"] and names["second"] == ["inc", "jsr", "inc"]
    assert [block.label for block in made.blocks] == ["start", "first", "second", "third"]
    assert ran_calls(made)[0] == ran_calls(plain)[0]
    assert ran_calls(made)[1] == ran_calls(plain)[1] - 2 * 4


def test_of_two_that_end_alike_one_jumps() -> None:
    def code() -> Code:
        return Code(
            [
                Block("start", [call("a"), call("b"), stop()]),
                Block("a", [add(81), call("c"), back()]),
                Block("b", [add(82), call("c"), back()]),
                Block("c", [add(83), back()]),
            ]
        )

    plain, made = code(), code()
    without_returns(made, CARD)
    assert [block.label for block in made.blocks] == ["start", "a", "c", "b"]
    assert [one.instruction.name for one in made.blocks[3].body] == ["inc", "jmp"]
    assert ran_calls(made)[0] == ran_calls(plain)[0]


def test_a_processor_without_jumps_to_any_place_is_left_alone() -> None:
    made = nested()
    without_returns(made, PLAIN)
    assert [len(block.body) for block in made.blocks] == [len(block.body) for block in nested().blocks]


def test_what_would_make_calls_deeper_must_save_more() -> None:
    """Of a piece with a call in it the part before and the part behind, if depth is worth so much."""

    def code() -> Code:
        piece = [*(add(70 + k) for k in range(6)), call("inner"), *(add(80 + k) for k in range(6))]
        return Code(
            [
                Block("start", [*piece, add(90), *piece, stop()]),
                Block("inner", [add(60), back()]),
            ]
        )

    plain, deep, flat = code(), code(), code()
    outline(deep, CARD, 1000)
    outline(flat, CARD, 1000, deeper=32)
    assert Calls.of(deep).deepest == 2
    assert Calls.of(flat).deepest == 1
    assert ran_calls(plain)[0] == ran_calls(deep)[0] == ran_calls(flat)[0]
    assert ran_calls(deep)[1] < ran_calls(flat)[1] < ran_calls(plain)[1]


def test_a_piece_that_ends_with_a_call_costs_no_return() -> None:
    """Two instructions before a call, four times: 4 bytes each against 3, and the jump."""

    def made() -> Code:
        piece = [add(70), add(71), call("inner")]
        lines = [one for k in range(4) for one in (*piece, add(90 + k))]
        return Code([Block("start", [*lines, stop()]), Block("inner", [add(60), back()])])

    plain, small = made(), made()
    outline(small, CARD, 0)  # not a cycle may be lost
    assert len(small.blocks) == 3
    without_returns(small, CARD)
    assert ran_calls(small)[0] == ran_calls(plain)[0]
    assert ran_calls(small)[1] == ran_calls(plain)[1] - 4 * 4 + 4
