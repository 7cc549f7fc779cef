"""Which routines call which, how deep, and calls that need not return."""

from __future__ import annotations

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.calls import Calls, routines, without_returns
from finalist.isa.shrink.outline import outline
from finalist.isa.simulate.simulator import Simulator
from tests.isa.shrink.test_outline import CARD, back, call, stop
from tests.processors.accumulator import PROCESSOR as PLAIN


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


def ran(made: Code) -> tuple[bytes, int]:
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
    assert ran(made)[0] == ran(plain)[0]
    assert ran(made)[1] == ran(plain)[1] - 2 * 4


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
    assert ran(made)[0] == ran(plain)[0]


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
    assert ran(plain)[0] == ran(deep)[0] == ran(flat)[0]
    assert ran(deep)[1] < ran(flat)[1] < ran(plain)[1]


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
    assert ran(small)[0] == ran(plain)[0]
    assert ran(small)[1] == ran(plain)[1] - 4 * 4 + 4
