"""The search: sets of functions, `not` gates, and small S-boxes with known minima."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit, Gate, table_columns
from tools.circuits import compiled
from tools.circuits import search as module
from tools.circuits.functions import (
    Realisation,
    functions_of,
    inputs_of,
    normal,
    ordered,
    pruned,
)

needs_cc = pytest.mark.skipif(
    compiled.compiler() is None, reason="the circuit search needs a C compiler: cc, or one named in CC"
)


def bits(x: int) -> list[int]:
    return [x >> i & 1 for i in range(3)]


# The 3-bit chi of Keccak: y[i] = x[i] ^ (~x[i+1] & x[i+2]); two gates for each output.
CHI = tuple(
    sum((v[i] ^ (1 - v[(i + 1) % 3]) & v[(i + 2) % 3]) << i for i in range(3)) for v in map(bits, range(8))
)
CHI_FLIPPED = tuple(y ^ 5 for y in CHI)
FULL_ADDER = tuple(sum(bits(x)) for x in range(8))
CHI_CIRCUIT = Circuit(
    3,
    tuple(
        gate for i in range(3) for gate in (Gate("andn", (i + 2) % 3, (i + 1) % 3), Gate("xor", i, 3 + 2 * i))
    ),
    (4, 6, 8),
)


def test_the_reference_circuit_is_chi() -> None:
    CHI_CIRCUIT.prove(CHI)


def test_functions_are_ordered_and_pruned() -> None:
    wanted = [normal(column, 3) for column in table_columns(CHI, 3)]
    whole = functions_of(CHI_CIRCUIT)
    assert len(pruned(whole, wanted, 3)) == 6
    superfluous = [*whole, inputs_of(3)[0] & inputs_of(3)[1]]
    assert set(pruned(superfluous, wanted, 3)) == set(whole) - set(inputs_of(3))
    assert ordered(wanted, 3) is None  # each needs its `andn`


@pytest.mark.parametrize("flip", range(8))
def test_every_output_mask_is_realised(flip: int) -> None:
    table = tuple(y ^ flip for y in CHI)
    columns = table_columns(table, 3)
    functions = pruned(functions_of(CHI_CIRCUIT), [normal(c, 3) for c in columns], 3)
    circuit = Realisation(functions, 3, columns).circuit(3)
    assert circuit is not None
    assert circuit.prove(table).cost <= 6 + flip.bit_count()
    assert Realisation(functions, 3, columns).circuit(0) is None or not flip


def test_a_wrong_set_is_caught_by_the_proof() -> None:
    goal = module.Found(CHI, table_columns(CHI_FLIPPED, 3), 3, 0)
    with pytest.raises(ValueError, match="the circuit maps"):
        goal.offer(pruned(functions_of(CHI_CIRCUIT), [normal(c, 3) for c in goal.columns], 3))


def test_without_compiler_the_search_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled.built.cache_clear()
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(compiled.NoCompiler, match="name one in CC"):
        module.search(CHI, 3, seconds=1)


@needs_cc
@pytest.mark.parametrize(("table", "outputs", "cost"), [(CHI, 3, 6), (FULL_ADDER, 2, 5)])
def test_known_minima_are_proved(table: tuple[int, ...], outputs: int, cost: int) -> None:
    found = module.search(table, outputs, seconds=5)
    assert found.circuit is not None
    assert found.circuit.prove(table).cost == cost == found.floor
    assert found.settled


@needs_cc
def test_free_complements_save_the_nots() -> None:
    plain = module.search(CHI_FLIPPED, 3, seconds=0.5)
    free = module.search(CHI_FLIPPED, 3, seconds=0.5, free_complements=True)
    assert plain.circuit is not None
    assert free.circuit is not None
    assert (free.circuit.cost, free.output_mask, free.input_mask) == (6, CHI_FLIPPED[0], 0)
    assert free.circuit.table() == tuple(y ^ free.output_mask for y in CHI_FLIPPED)
    assert plain.circuit.prove(CHI_FLIPPED).cost >= plain.floor == 7


@needs_cc
@pytest.mark.parametrize("table", [(0, 1), (1, 0), (1, 1), (0, 0, 0, 0), (3, 3, 3, 2)])
def test_degenerate_tables(table: tuple[int, ...]) -> None:
    found = module.search(table, 2, seconds=0.1)
    assert found.circuit is not None
    assert found.circuit.table() == table


@needs_cc
def test_a_walk_is_determined_by_its_seed() -> None:
    wanted = tuple(normal(c, 4) for c in table_columns(tuple(7 * x * x & 15 ^ x >> 1 for x in range(16)), 4))

    def steps(seed: int) -> list[module.Functions]:
        with module.Solver(4) as solver:
            walk = module.Hunt(solver, wanted, seed).walk()
            return [next(walk) for _ in range(12)]

    assert steps(5) == steps(5)
    assert steps(5) != steps(6)


@needs_cc
def test_search_improves_a_known_circuit_and_reports() -> None:
    known = Circuit(3, (*CHI_CIRCUIT.gates, Gate("or", 8, 8)), (4, 6, 9))
    lines: list[str] = []
    found = module.search(CHI, 3, seconds=2, known=known, progress=lines.append)
    assert found.circuit is not None
    assert found.circuit.cost == 6
    assert any(line.startswith("6 gates") for line in lines)


@needs_cc
def test_command_writes_a_library_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chi.json"
    words = ["--table", " ".join(map(str, CHI_FLIPPED)), "--name", "chi", "--seconds", "0.5", "-o", str(file)]
    assert module.main(words) == 0
    loaded, _ = library.load(tmp_path)
    assert loaded[CHI_FLIPPED, 3].circuit.cost <= 9
    assert loaded[tuple(y ^ CHI_FLIPPED[0] for y in CHI_FLIPPED), 3].circuit.cost == 6
    assert [stored["name"] for stored in json.loads(file.read_text())["circuits"]] == ["chi", "chi ^ 5"]
    assert "6 gates" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("table", "outputs", "message"),
    [((0,) * 32, 4, "not 32"), ((0, 1, 2), 2, "not 3"), ((0, 9), 3, "not of 3 bits")],
)
def test_refusals(table: tuple[int, ...], outputs: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        module.search(table, outputs)
