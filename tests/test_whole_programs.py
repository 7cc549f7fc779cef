"""A few ciphers from definition to answer on each software machine: quick, and through every folder.

Not optimised, since what is asked is whether the text is right.
"""

from __future__ import annotations

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.machines.native.run import NativeProgram
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler

pytestmark = needs_compiler

NATIVE = [
    ("rijndael", "encrypt", {"blocks": 1, "width": 1, "lookup": "load"}),
    ("rijndael", "decrypt", {"blocks": 2, "width": 1, "lookup": "load", "rounds": "loop"}),
    ("twofish", "encrypt", {"blocks": 1, "width": 1, "keyed_tables": "minimal"}),
    ("serpent", "decrypt", {"width": 128, "planes": 1, "rounds": "loop"}),
    ("mars", "encrypt", {"blocks": 1, "width": 1, "key_schedule": "loop"}),
    ("blowfish", "decrypt", {"blocks": 1, "width": 1}),
    ("rc4", "encrypt", {}),
]
SIMULATED = [("rc6", "encrypt", "plx", {"rounds": "loop"}), ("des", "decrypt", "plx", {})]


@pytest.mark.parametrize(
    ("name", "operation", "choices"), NATIVE, ids=lambda value: str(value).replace(" ", "")
)
def test_native(name: str, operation: str, choices: dict[str, object]) -> None:
    definition = cipher(name)
    bits = definition.usual_key_bits()
    program = api.compile(definition, "native", operation, bits, **choices)  # type: ignore[arg-type]
    assert isinstance(program, NativeProgram)
    assert check_known_answers(program.unoptimised(), vectors_of(definition))


@pytest.mark.parametrize(("name", "operation", "machine", "choices"), SIMULATED, ids=str)
def test_simulated(name: str, operation: str, machine: str, choices: dict[str, object]) -> None:
    definition = cipher(name)
    bits = definition.usual_key_bits()
    program = api.compile(definition, machine, operation, bits, **choices)  # type: ignore[arg-type]
    assert check_known_answers(program, vectors_of(definition))
