"""What the instructions mean, against the CPU that has them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.graph import Graph
from finalist.ir.verify import verify
from finalist.machines.native.whole_blocks import registers
from finalist.machines.native.whole_blocks.instructions import Places, Spelled, shuffle, x86
from finalist.toolchain import compiler
from tests.marks import needs_compiler

BYTES = 16
ROWS = 64
MOVES: tuple[Places, ...] = (
    (None, *range(15)),
    (*(None,) * 12, 0, 1, 2, 3),
    (*range(5, 16), *(None,) * 5),
    (12, 13, 14, 15, 0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11),
    (15, 0, None, 3, 7, 7, 7, None, 8, 9, 10, 11, 12, 13, 14, 0),
    (None,) * 16,
)
ALL = (*x86(), *map(shuffle, MOVES))


def meant(instruction: Spelled, operands: Iterable[np.ndarray]) -> np.ndarray:
    """The instruction's meaning on registers, shape (rows, bytes)."""
    graph = Graph(instruction.name, instruction.meaning.params, instruction.meaning.results)
    words = [word for register in operands for word in register.view("<u4").T]
    found = interpreter.run(graph, words)
    return np.stack([np.broadcast_to(word, ROWS).astype("<u4") for word in found], axis=1).view(np.uint8)


def test_meanings_are_well_formed() -> None:
    for instruction in ALL:
        assert instruction.meaning.closed
        verify(Graph(instruction.name, instruction.meaning.params, instruction.meaning.results))
        assert sum(instruction.operands) == len(instruction.meaning.params)


def test_moves_are_written_by_the_shortest_instruction() -> None:
    names = [str(shuffle(places)) for places in MOVES]
    assert names == ["pslldq", "pslldq", "psrldq", "pshufd", "pshufb", "pshufb"]


def test_equal_moves_are_one_instruction() -> None:
    assert shuffle(MOVES[0]) is shuffle(MOVES[0])


@needs_compiler
@pytest.mark.parametrize("bits", [128, 256, 512])
def test_the_cpu_does_what_is_meant(bits: int, tmp_path: Path) -> None:
    known = [i for i in ALL if bits in i.forms and not compiler.lacking(i.forms[bits].macros)]
    if not known or compiler.vector_bits() < bits:
        pytest.skip(f"this CPU has no such instructions of {bits} bits")
    values = np.random.default_rng(bits).integers(0, 256, (2, ROWS, BYTES), dtype=np.uint8)
    found = run(program(known, bits), values.tobytes(), tmp_path)
    rows = np.frombuffer(found, np.uint8).reshape(len(known), ROWS, BYTES)
    for instruction, got in zip(known, rows, strict=True):
        want = meant(instruction, values[: len(instruction.operands)])
        assert np.array_equal(got, want), instruction.name


def program(instructions: list[Spelled], bits: int) -> str:
    """Each instruction on all rows, those of two registers at a time where the width is theirs."""
    kind, step = registers.FILES[bits].type, bits // 8
    texts = [
        f"    for (size_t i = 0; i < {ROWS * BYTES}; i += {step}) {{\n"
        f"        {kind} a = load{bits}(in + i), b = load{bits}(in + {ROWS * BYTES} + i); (void)b;\n"
        f"        store{bits}(out, {instruction.forms[bits].text.format('a', 'b')});\n"
        f"        fwrite(out, {step}, 1, stdout);\n    }}"
        for instruction in instructions
    ]
    head = "#include <stdint.h>\n#include <stdio.h>\n"
    return (
        head
        + registers.prelude(bits, ("__SSE4_1__",))
        + f"static uint8_t in[{2 * ROWS * BYTES}], out[64];\nint main(void)\n{{\n"
        + "    if (fread(in, sizeof in, 1, stdin) != 1) return 1;\n"
        + "\n".join(texts)
        + "\n}\n"
    )


def run(text: str, data: bytes, folder: Path) -> bytes:
    source, target = folder / "one.c", folder / "one"
    source.write_text(text)
    flags = ("-std=gnu11", "-O1", "-march=native", "-Wall", "-Wextra", "-Werror")
    subprocess.run([*compiler.command(), *flags, "-o", str(target), str(source)], check=True)
    return subprocess.run([target], input=data, capture_output=True, check=True).stdout
