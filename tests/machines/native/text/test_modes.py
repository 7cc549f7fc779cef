"""What moves a stream cipher's counters on, in C: of one word, of several, of part of one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.program import Counter
from finalist.language.definition import trace
from finalist.machines.native.text.modes import counting, counting_name
from finalist.passes.counters import counted


@pytest.mark.parametrize(
    ("name", "bits", "lines"),
    [
        ("chacha20", 384, ["k->counter_a1[0] = (uint32_t)(k->counter_a1[0] + blocks);"]),
        (
            "salsa20",
            256,
            [
                "const uint64_t n = (k->counter_a1_lo[0] | (uint64_t)k->counter_a1_hi[0] << 32) + blocks;",
                "k->counter_a1_lo[0] = (uint32_t)(n);",
                "k->counter_a1_hi[0] = (uint32_t)(n >> 32);",
            ],
        ),
    ],
)
def test_words_of_a_counter(name: str, bits: int, lines: list[str]) -> None:
    made = counting(name, counted(trace(cipher(name), "encrypt", bits)), str)
    assert made.startswith(f"static inline void {counting_name(name)}({name}_key *k, uint64_t blocks)\n{{")
    assert [line.strip() for line in made.splitlines()[1:]] == [*_braced(lines), "}"]


def _braced(lines: list[str]) -> list[str]:
    return ["{", "{", *lines, "}"] if len(lines) > 1 else ["{", *lines]


def test_steps_are_multiplied() -> None:
    program = counted(trace(cipher("chacha20"), "encrypt", 384))
    (counter,) = program.counters
    stepping = replace(program, counters=(Counter(counter.arrays, counter.entry, counter.bits, 3),))
    assert "counter_a1[0] + 3u * blocks" in counting("chacha20", stepping, str)
