"""What the model says of each opcode is what the table of the core says."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.machines.hc05 import model

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
