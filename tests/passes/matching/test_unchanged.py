"""What kernels and key schedules become in registers is what it was, step by step."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers import rijndael
from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.steps import watching
from finalist.ir.types import WordType
from finalist.machines.native.whole_blocks.instructions import x86
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.machines.tracing import traced
from finalist.passes.matching.affine import Forms, affine, affine_after, mapped
from finalist.passes.matching.normal import normal_form
from finalist.passes.pipeline import lower
from finalist.passes.simplify import simplify
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

#: The S-box, its inverse, twice it, and an affine map as a table.
TABLES = (
    rijndael.S.data,
    rijndael.S.inverse().data,
    TableData(tuple(2 * y & 0xFF ^ 7 for y in rijndael.S.data.values), 8, "D"),
    TableData(tuple(x ^ x >> 2 ^ 9 for x in range(256)), 8, "A"),
)


@pytest.mark.parametrize(("operation", "bits"), [("encrypt", 128), ("decrypt", 192)])
def test_a_cipher_pass_by_pass(operation: str, bits: int) -> None:
    with watching() as steps:
        lower(traced(cipher("rijndael"), operation, bits), instructions=instructions())
    made = {f"{place} {step.name}": step.after for place, step in enumerate(steps)}
    unchanged(f"matching-{operation}", made)


def test_forms_of_words() -> None:
    """Of what is done to bytes of a word, to lookups and to constants; None where it is not linear."""
    made = {}
    for seed in range(24):
        source, make = random.Random(seed), Builder(simplify)
        words = [make.param("memory", WordType(8), f"x{k}") for k in range(3)]
        words.append(make.make(Op.LOOKUP, (words[0],), rijndael.S.data))
        for _ in range(10):
            op = source.choice(
                [Op.XOR, Op.ROL, Op.SHL, Op.SHR, Op.AND, Op.NOT, Op.LINEAR, Op.JOIN, Op.LOOKUP]
            )
            a, b = source.sample(words, 2)
            if op is Op.LOOKUP:
                words.append(make.make(op, (a,), source.choice(TABLES)))
            elif op is Op.LINEAR:
                words.append(make.linear([tuple(source.getrandbits(8) for _ in range(8))], [a], 8))
            elif op is Op.JOIN:
                words.append(make.slice(make.make(op, (a, b)), source.randrange(9), 8))
            else:
                number = make.const(source.getrandbits(3), 8)
                operands = (a,) if op is Op.NOT else (a, number if op is not Op.XOR else b)
                words.append(make.make(op, operands))
        forms = Forms((rijndael.S.data,))
        rows = [forms(word) for word in words]
        leaves = [[(leaf.start, leaf.width, leaf.index) for leaf in forms.within(row[0])] for row in rows]
        made[str(seed)] = rows, leaves
    unchanged("matching-forms", made)


def test_tables_that_are_affine() -> None:
    box = rijndael.S.data
    tables = {
        "map": tuple(x ^ x << 1 & 0xFF ^ 0x63 for x in range(256)),
        "after": tuple(y ^ y >> 3 ^ 5 for y in box.values),
        "neither": tuple(x * x % 256 for x in range(256)),
    }
    made = {}
    for name, values in tables.items():
        table = TableData(values, 8, "T")
        found = affine(table)
        made[name] = found, affine_after(table, box)
        if found is not None:
            made[f"{name} mapped"] = mapped(found, tuple(1 << k for k in range(1, 9)), 8)
    unchanged("matching-affine", made)


def test_normal_forms_of_instructions() -> None:
    made = {}
    for one in x86():
        form = normal_form(one)
        told = {name: getattr(form, name, None) for name in ("moves", "rows", "inverse")}
        made[str(one)] = type(form).__name__, told
    unchanged("matching-instructions", made)
