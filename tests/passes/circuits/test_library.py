"""The stored circuits: each is proved when loaded, and damage is noticed."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit, Gate, table_columns

SERPENT_S0 = (3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12)
MAJORITY = {
    "name": "majority",
    "table": [0, 0, 0, 1, 0, 1, 1, 1],
    "outputs": 1,
    "inputs": 3,
    "gates": [["xor", 0, 1], ["and", 0, 1], ["and", 2, 3], ["or", 4, 5]],
    "out": [6],
    "cost": 4,
    "found_by": "textbook",
}


def write(folder: Path, *records: dict) -> Path:
    (folder / "some.json").write_text(json.dumps({"circuits": records}))
    return folder


def test_shipped_circuits_load_and_are_found() -> None:
    for ternary, shipped in enumerate(library.load(library.DATA)):
        assert len(shipped) >= 16
        for (table, outputs), (circuit, _) in shipped.items():
            assert library.find(table, outputs, bool(ternary)) == circuit
            assert circuit.columns() == table_columns(table, outputs)
            assert circuit.ternary == ternary


def test_serpent_is_there_and_small() -> None:
    circuit = library.find(SERPENT_S0, 4)
    assert circuit is not None
    assert circuit.cost <= 14


def test_shipped_records_are_in_their_written_form() -> None:
    for file in (
        file for folder in (library.DATA, library.SHALLOW) for file in Path(str(folder)).glob("*.json")
    ):
        for stored in json.loads(file.read_text())["circuits"]:
            circuit = Circuit.from_json(stored)
            again = library.record(stored["name"], tuple(stored["table"]), circuit, stored["found_by"])
            assert again == stored


def test_unknown_table_is_not_found() -> None:
    assert library.find((0,) * 16, 4) is None
    assert library.find_masked((0,) * 16, 4) is None


def test_masked_circuit_computes_the_masked_table() -> None:
    found = library.find_masked(SERPENT_S0, 4)
    plain = library.find(SERPENT_S0, 4)
    assert found is not None
    assert plain is not None
    circuit, a, b = found
    assert circuit.table() == tuple(SERPENT_S0[x ^ a] ^ b for x in range(16))
    assert circuit.cost <= plain.cost


def test_smaller_of_two_records_wins(tmp_path: Path) -> None:
    longer = copy.deepcopy(MAJORITY)
    longer.update(gates=[*longer["gates"], ["or", 6, 6]], out=[7], cost=5)
    loaded, _ = library.load(write(tmp_path, longer, MAJORITY))
    assert loaded[tuple(MAJORITY["table"]), 1].circuit.cost == 4


def test_gates_of_three_inputs_are_kept_beside_the_others(tmp_path: Path) -> None:
    file, ternary = tmp_path / "new.json", {**MAJORITY, "gates": [["lut3", 0, 1, 2, 0xE8]], "out": [3]}
    for new in (MAJORITY, {**ternary, "cost": 1}):
        library.keep(file, new)
    two, three = library.load(tmp_path)
    assert [kept[tuple(MAJORITY["table"]), 1].circuit.cost for kept in (two, three)] == [4, 1]


def test_outputs_are_found_in_any_order() -> None:
    order = (2, 0, 3, 1)
    turned = tuple(sum((y >> bit & 1) << k for k, bit in enumerate(order)) for y in SERPENT_S0)
    assert library.find(turned, 4) is None
    found = library.find_masked(turned, 4)
    assert found is not None
    circuit, _, mask = found
    assert circuit.table() == tuple(y ^ mask for y in turned)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gates": [["or", 0, 1], ["and", 0, 1], ["xor", 2, 3], ["or", 4, 5]]}, "maps 1 to 1"),
        ({"table": [1, 0, 0, 1, 0, 1, 1, 1]}, "maps 0 to 0, the table to 1"),
        ({"cost": 3}, "cost 3 promised, but there are 4"),
        ({"outputs": 2}, "2 outputs promised, 1 listed"),
        ({"out": [7]}, "output list reads register 7"),
        ({"gates": [["nand", 0, 1]]}, "unknown gate 'nand'"),
        ({"table": [0, 0, 0, 1]}, "8 entries, the table 4"),
    ],
)
def test_planted_damage_names_file_and_record(tmp_path: Path, change: dict, message: str) -> None:
    damaged = {**copy.deepcopy(MAJORITY), **change}
    with pytest.raises(library.LibraryError, match=rf"some\.json, record 1: .*{message}"):
        library.load(write(tmp_path, MAJORITY, damaged))


@pytest.mark.parametrize("field", library.FIELDS)
def test_missing_field_is_named(tmp_path: Path, field: str) -> None:
    damaged = {key: value for key, value in MAJORITY.items() if key != field}
    with pytest.raises(library.LibraryError, match=f"missing {field}"):
        library.load(write(tmp_path, damaged))


def test_every_changed_gate_of_a_shipped_circuit_is_noticed(tmp_path: Path) -> None:
    circuit = library.find(SERPENT_S0, 4)
    assert circuit is not None
    for k, gate in enumerate(circuit.gates):
        op = "xor" if gate.op != "xor" else "or"
        gates = (*circuit.gates[:k], Gate(op, gate.a, gate.b), *circuit.gates[k + 1 :])
        changed = Circuit(4, gates, circuit.outputs)
        if changed.table() == SERPENT_S0:
            continue  # the operands never disagree there
        with pytest.raises(library.LibraryError, match="record 0"):
            library.load(write(tmp_path, library.record("S0", SERPENT_S0, changed, "a fault")))


def test_keep_adds_improves_and_never_worsens(tmp_path: Path) -> None:
    file = tmp_path / "new.json"
    longer = {**MAJORITY, "gates": [*MAJORITY["gates"], ["or", 6, 6]], "out": [7], "cost": 5}
    for new, cost in ((longer, 5), (MAJORITY, 4), (longer, 4)):
        library.keep(file, new)
        assert [stored["cost"] for stored in json.loads(file.read_text())["circuits"]] == [cost]
    assert library.load(tmp_path)[0][tuple(MAJORITY["table"]), 1].circuit.cost == 4


def test_keep_refuses_a_wrong_record(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="maps 0 to 0"):
        library.keep(tmp_path / "new.json", {**MAJORITY, "table": [1] * 8})
