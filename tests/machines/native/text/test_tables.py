"""Tables in C: what stands there is the table, alone or in one structure."""

from __future__ import annotations

import re

import pytest

from finalist.api import compile as compile_cipher
from finalist.ir.graph import TableData
from finalist.machines.native.text.tables import TOGETHER, reach, table_text, together

SMALL = TableData(tuple(range(16)), 4, "S", "from nowhere")
WIDE = TableData(tuple(0x10203 * n for n in range(256)), 32, "wide")


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(found, 16) for found in re.findall(r"0x[0-9a-f]+", text))


@pytest.mark.parametrize(("least", "kind"), [(0, "uint8_t"), (32, "uint32_t")])
def test_a_table_by_itself(least: int, kind: str) -> None:
    text = table_text("S", SMALL, least)
    assert text.startswith(f"/* from nowhere */\nstatic const {kind} S[16] = {{")
    assert numbers(text) == SMALL.values


def test_several_in_one_structure() -> None:
    text = together({"S": SMALL, "T": WIDE})
    members, values = text.split("} all_tables = {")
    assert re.findall(r"(\w+) (\w+)\[(\d+)\];", members) == [
        ("uint8_t", "S", "16"),
        ("uint32_t", "T", "256"),
    ]
    small, wide = values.split(".T = {")
    assert (numbers(small), numbers(wide)) == (SMALL.values, WIDE.values)


def test_a_function_that_reads_none_has_no_pointer() -> None:
    assert reach(["    x = k->S[0];"]) == []
    assert any(f"*{TOGETHER} = &all_tables;" in line for line in reach([f"    x = {TOGETHER}->S[0];"]))


#: Cipher, words of the schedule, whether its tables are together.
CASES = [
    ("rijndael", {"width": 1, "blocks": 2}, True),
    ("rijndael", {"width": 1, "blocks": 1}, False),
    ("rijndael", {"width": 1, "blocks": 2, "fuse": 0}, False),  # it has one
    ("rijndael", {"width": 1, "blocks": 2, "lookup": "scan"}, False),
    ("loki97", {"width": 1, "blocks": 2}, False),  # it has two
    ("mars", {"width": 128, "blocks": 8, "lookup": "gather"}, False),
]


@pytest.mark.parametrize(("cipher", "choices", "wanted"), CASES)
def test_where_tables_are_together(cipher: str, choices: dict[str, int | str], wanted: bool) -> None:
    text = compile_cipher(cipher, **choices).text  # type: ignore[arg-type]
    assert ("} all_tables = {" in text) == (f" {TOGETHER}->" in text) == wanted


def test_what_the_key_schedule_alone_reads_stays_by_itself() -> None:
    text = compile_cipher("rijndael", operation="decrypt", width=1, blocks=2).text
    assert "static const uint8_t S[256]" in text
