"""What the model says of each opcode is what the table of the core says."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.machines.hc05 import model
from finalist.machines.hc05.model import Parameters

#: In the order in which the table has them.
CODES = "hinzc"
#: What programs have no use for.
UNMODELLED = "hi"
MODELLED: list[Any] = [
    pytest.param(code, made, id=f"{code['mnemonic']}-{code['mode']}")
    for code in model.opcodes()
    for made in [model._modelled(code)]
    if made is not None
]


@pytest.mark.parametrize(("code", "made"), MODELLED)
def test_condition_codes_that_change(code: dict[str, str], made: Any) -> None:
    """A code that an instruction changes unsaid would be taken for the one of an earlier instruction."""
    changed = {name for name, sign in zip(CODES, code["ccr"], strict=True) if sign != "-"}
    written = {one.name for one in made.operands if one.kind in ("def", "both")}
    assert written & set(CODES) == changed - set(UNMODELLED)


def test_most_opcodes_are_modelled() -> None:
    assert 120 < len(MODELLED) <= len(model.opcodes())


def test_a_bit_to_the_carry_is_a_branch_to_the_next_instruction() -> None:
    """What the processor takes for a branch whichever way it goes is, here, an instruction without one."""
    tested = [one for one in model.instructions() if one.name == "brset"]
    assert [one.code for one in tested] == [bit << 17 for bit in range(8)]
    assert {(one.bits, one.cycles, one.flow) for one in tested} == {(24, 5, None)}
    for bit, one in enumerate(tested):
        (effect,) = one.forms[0][1]
        assert effect.target == "c"
        image = assemble(f"f:\n brset #{bit},*64,.+3\n stop\n", model.processor(Parameters()))
        assert list(image.words)[:3] == [bit << 1, 64, 0]
