"""Kernels as hardware computes them: the same function, of operations that logic has."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.fpga.datapath import lower
from finalist.machines.tracing import traced as trace
from finalist.passes.simplify import simplify

EDGES = [0, 1, 2, 3, 5]


def values(width: int, count: int = 60) -> np.ndarray:
    top = (1 << width) - 1
    drawn = np.random.default_rng(width).integers(0, 1 << min(width, 63), count, dtype=np.uint64)
    edges = [edge & top for edge in EDGES] + [top, top - 1, top >> 1]
    return np.concatenate([np.array(edges, np.uint64), drawn & np.uint64(top)])


def run(results: list[Node], params: list[Node], inputs: list[np.ndarray]) -> list[np.ndarray]:
    graph = Graph("test", params, results)
    typed = [
        value.astype(interpreter.dtype(param.width)) for value, param in zip(inputs, params, strict=True)
    ]
    return interpreter.run(graph, typed)


@pytest.mark.parametrize("width", [8, 13, 16, 31, 32])
def test_a_square_is_a_product_with_itself(width: int) -> None:
    make = Builder(simplify)
    x = make.param("memory", WordType(width), "x")
    (found,) = run([lower.square(make, x)], [x], [values(width)])
    squares = [int(v) ** 2 & (1 << width) - 1 for v in values(width)]
    assert found.tolist() == squares


@pytest.mark.parametrize("op", [Op.ROL, Op.ROR, Op.SHL, Op.SHR, Op.MUL, Op.MULHI])
@pytest.mark.parametrize("width", [8, 16, 32])
def test_what_logic_lacks_is_the_same_function(op: Op, width: int) -> None:
    plain = Builder()
    a, b = (plain.param("memory", WordType(width), name) for name in "ab")
    node = plain.make(op, (a, b))
    graph = lower.rewrite(Graph("test", [a, b], [node]), Builder(simplify), lower._expand)
    ops = {one.op for one in graph.body if not (one.op is Op.ROL and one.inputs[1].op is Op.CONST)}
    fixed = {Op.SHL, Op.SHR, Op.ROR}
    assert not ops & {Op.MUL, Op.MULHI, Op.ROL}
    assert all(one.inputs[1].op is Op.CONST for one in graph.body if one.op in fixed)
    left = values(width)
    right = np.roll(left, 7)
    if op in (Op.SHL, Op.SHR, Op.ROL, Op.ROR):
        right = np.arange(len(left), dtype=np.uint64) & np.uint64((1 << width) - 1)
    (wanted,) = run([node], [a, b], [left, right])
    (found,) = run(list(graph.results), [a, b], [left, right])
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("factor", [0, 1, 3, 7, 12, 0x9D, 0xFF, 0xFE, 0x80, 0x55])
def test_products_with_constants(factor: int) -> None:
    make = Builder(simplify)
    x = make.param("memory", WordType(8), "x")
    (found,) = run([lower._multiple(make, x, factor)], [x], [values(8)])
    assert np.broadcast_to(found, values(8).shape).tolist() == [int(v) * factor & 0xFF for v in values(8)]


def test_the_square_in_a_product_is_found() -> None:
    """Half as many additions as a product of two words has."""
    rc6, mars = (lower.lower(trace(cipher(name), "encrypt", 128)) for name in ("rc6", "mars"))

    def adders(graph: Graph, rounds: int) -> float:
        return sum(1 for node in graph.body if node.op is Op.ADD) / rounds

    assert adders(rc6.kernel, 20) / 2 < 18 < 30 < adders(mars.kernel, 16)


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        *((name, "encrypt") for name in ("cast-256", "crypton-v05", "deal", "des", "dfc", "e2", "loki97")),
        *((name, "encrypt") for name in ("magenta", "mars", "rc6", "safer-plus", "serpent")),
        *((name, "decrypt") for name in ("crypton-v1", "mars", "rijndael", "twofish")),
    ],
)
@pytest.mark.every(8)
def test_ciphers_stay_what_they_are(name: str, operation: str) -> None:
    found = cipher(name)
    traced = trace(found, operation, found.usual_key_bits())
    draw = np.random.default_rng(1)
    keys = draw.integers(0, 256, (3, traced.key.bytes), np.uint8)
    data = draw.integers(0, 256, (3, traced.block.bytes), np.uint8)
    assert (interpret(lower.lower(traced), keys, data) == interpret(traced, keys, data)).all()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rc4", "hand on a state"),
        ("blowfish", "reads an array at a place that depends on the data .*blowfish.py"),
        ("hpc", "reads an array at a place that depends on the data .*hpc_rounds/medium.py"),
        ("frog", "writes to an array .*frog.py"),
    ],
)
def test_what_has_no_data_path_says_why(name: str, reason: str) -> None:
    found = cipher(name)
    with pytest.raises(ScheduleError, match=f"{name} has no data path: .*{reason}"):
        lower.lower(trace(found, "encrypt", found.usual_key_bits()))
