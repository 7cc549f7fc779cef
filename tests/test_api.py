"""`finalist.compile`: what it takes, what it refuses, and that all machines agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import (
    CompilerError,
    DataError,
    DefinitionError,
    KeyLengthError,
    ScheduleError,
    UnknownNameError,
)
from finalist.ir.execute import interpret
from finalist.machines.registry import machine, machine_names
from finalist.machines.tracing import traced
from finalist.vectors.load import vectors_of
from tests.graphs import bytes_for, random_program
from tests.machines.fpga.simulators import needs
from tests.marks import needs_compiler

EXAMPLES = Path(__file__).parent.parent / "examples"
#: What a machine's programs are run by, where that may be missing.
NEEDS = {"native": needs_compiler, "fpga": needs("verilog")}
#: Machines whose generators take long on programs of many words.
SLOW = ("hc05", "c62x")


def with_slow_ones_checked() -> list[Any]:
    """All machines, the slow ones in the second tier."""
    return [pytest.param(name, marks=[pytest.mark.check] * (name in SLOW)) for name in machine_names()]


def with_needs() -> list[Any]:
    """The same, each with what runs its programs."""
    slow = dict.fromkeys(SLOW, pytest.mark.check)
    return [pytest.param(name, marks=(NEEDS | slow).get(name, ())) for name in machine_names()]


MACHINES = with_needs()


class TestNames:
    def test_ciphers_and_machines(self) -> None:
        assert finalist.ciphers() == cipher_names()
        assert finalist.machines() == machine_names()

    @pytest.mark.parametrize(
        "first", ["finalist", "finalist.ciphers.catalogue", "finalist.machines.registry"]
    )
    def test_whatever_is_imported_first(self, first: str) -> None:
        """They are packages, too."""
        call = f"import {first}, finalist; print(finalist.ciphers()[0], finalist.machines()[0])"
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [cipher_names()[0], machine_names()[0]]

    def test_all_is_there(self) -> None:
        assert {name for name in finalist.__all__ if getattr(finalist, name) is None} == set()
        assert set(finalist.__all__) <= set(dir(finalist))
        with pytest.raises(AttributeError, match="has no attribute 'cypher'"):
            finalist.cypher  # type: ignore[attr-defined]  # noqa: B018

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ({"machine": None}, "machine is NoneType; accepted: a name"),
            ({"key_bits": "128"}, "key_bits is str; accepted: a number of bits"),
            ({"schedule": "blocks=2"}, "schedule is str; accepted: a Schedule, or its words as keywords"),
        ],
    )
    def test_an_argument_of_another_type(self, given: dict[str, Any], told: str) -> None:
        with pytest.raises(finalist.FinalistError, match=told):
            finalist.compile("rc6", **given)

    def test_no_cipher(self) -> None:
        with pytest.raises(DefinitionError, match="int is no cipher; accepted: a class derived from Cipher"):
            finalist.compile(int)  # type: ignore[call-overload]


@pytest.mark.parametrize("machine", MACHINES)
class TestPrograms:
    @pytest.mark.every(2)
    def test_describes_itself(self, machine: str) -> None:
        program = finalist.compile("rijndael", machine, "decrypt", 192)
        told = (program.cipher, program.operation, program.key_bits, program.block_bytes)
        assert told == ("rijndael", "decrypt", 192, 16)
        assert program.text

    @pytest.mark.every(4)
    def test_runs_a_known_answer(self, machine: str) -> None:
        row = vectors_of(cipher("rijndael"))[0]
        assert finalist.compile("rijndael", machine).run(row.key, row.plaintext).output == row.ciphertext
        back = finalist.compile("rijndael", machine, "decrypt")
        assert back.run(row.key, row.ciphertext).output == row.plaintext

    @pytest.mark.every(2)
    def test_no_data_is_no_error(self, machine: str) -> None:
        program = finalist.compile("rijndael", machine)
        assert program.run(bytes(16), b"").output == b""
        assert program.run_many([], []) == []

    @pytest.mark.parametrize("size", [1, 15, 17, 31])
    def test_data_of_no_whole_blocks(self, machine: str, size: int) -> None:
        with pytest.raises(DataError, match=f"data of {size} bytes; accepted: a multiple of 16"):
            finalist.compile("rijndael", machine).run(bytes(16), bytes(size))

    @pytest.mark.parametrize("size", [size for size in range(65) if size != 16])
    def test_keys_of_another_length(self, machine: str, size: int) -> None:
        program = finalist.compile("rijndael", machine)
        with pytest.raises(KeyLengthError, match=f"key of {size} bytes; this program takes 16"):
            program.run(bytes(size), bytes(16))

    def test_keys_of_another_length_among_many(self, machine: str) -> None:
        with pytest.raises(KeyLengthError):
            finalist.compile("rijndael", machine).run_many([bytes(16), bytes(24)], [bytes(16)] * 2)

    @pytest.mark.parametrize("kind", [bytearray, memoryview])
    def test_other_kinds_of_bytes(self, machine: str, kind: Any) -> None:
        program = finalist.compile("rijndael", machine)
        data = bytes(range(32))
        assert program.run(kind(bytes(16)), kind(data)).output == program.run(bytes(16), data).output


class TestArguments:
    def test_a_class_a_name_or_a_path(self, tmp_path: Path) -> None:
        texts = {finalist.compile(one, "interpreter").text for one in ("rc6", cipher("rc6"))}
        assert len(texts) == 1
        speck = EXAMPLES / "speck.py"
        assert (
            finalist.compile(speck, "interpreter").cipher
            == finalist.compile(str(speck), "interpreter").cipher
        )

    def test_the_key_length_is_by_default_the_first(self) -> None:
        assert finalist.compile("rc6", "interpreter").key_bits == 128

    @needs_compiler
    def test_choices_go_before_the_schedule(self) -> None:
        schedule = finalist.Schedule(blocks=4, width=1)
        program = finalist.compile("rc6", schedule=schedule, blocks=2)
        assert (program.schedule.blocks, program.schedule.width) == (2, 1)

    @needs_compiler
    def test_the_schedule_leaves_nothing_open(self) -> None:
        assert {"blocks", "width"} <= set(finalist.compile("rc6").schedule.chosen())

    @needs_compiler
    def test_the_same_program_comes_back(self) -> None:
        assert finalist.compile("rc6", blocks=2) is finalist.compile("rc6", blocks=2)

    @pytest.mark.parametrize(
        ("arguments", "error", "said"),
        [
            ({"cipher": "desx"}, UnknownNameError, "unknown cipher 'desx'"),
            ({"machine": "abacus"}, UnknownNameError, "unknown machine 'abacus'"),
            ({"operation": "hash"}, UnknownNameError, "unknown operation 'hash'"),
            ({"key_bits": 0}, KeyLengthError, "rc6 has no 0-bit keys; accepted: 8 to 2040 in steps of 8"),
            ({"key_bits": 129}, KeyLengthError, "no 129-bit keys"),
            ({"colour": "red"}, ScheduleError, "unknown schedule word 'colour'"),
            ({"blocks": "two"}, ScheduleError, "blocks=two"),
            ({"blocks": True}, ScheduleError, "blocks=True"),
            ({"blocks": 2.0}, ScheduleError, "blocks=2.0"),
            ({"cipher": "no/such/file.py"}, DefinitionError, "no definition file"),
        ],
    )
    def test_wrong_ones(self, arguments: dict[str, Any], error: type[Exception], said: str) -> None:
        with pytest.raises(error, match=said):
            finalist.compile(**{"cipher": "rc6", "machine": "interpreter", **arguments})

    def test_no_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        finalist.api._compiled.cache_clear()
        monkeypatch.setenv("CC", "/nonexistent")
        with pytest.raises(CompilerError, match="CC='/nonexistent' is no program that can be run"):
            finalist.compile("mars").run(bytes(16), bytes(16))


class TestTraced:
    """In place of a cipher."""

    @pytest.mark.parametrize("machine", with_slow_ones_checked())
    def test_a_traced_cipher_is_the_cipher(self, machine: str) -> None:
        made = finalist.compile(traced(cipher("rijndael"), "decrypt", 192), machine)
        assert (made.cipher, made.operation, made.key_bits) == ("rijndael", "decrypt", 192)
        assert made.text == finalist.compile("rijndael", machine, "decrypt", 192).text

    @pytest.mark.parametrize("machine", [one for one in MACHINES if one.values[0] != "fpga"])
    def test_one_that_no_definition_was_traced_for(self, machine: str) -> None:
        program = random_program("no definition")
        keys, data = bytes_for(program, 3)
        made = finalist.compile(program, machine)
        expected = interpret(program, keys[:1], data).tobytes()
        assert made.run(keys[0].tobytes(), data.tobytes()).output == expected

    def test_it_has_schedules(self) -> None:
        program = traced(cipher("rijndael"), "encrypt", 128)
        assert finalist.compile(program, "native", width=1, blocks=3).schedule.blocks == 3
        assert finalist.compile(program, "fpga", schedule=finalist.Schedule(language="vhdl")).text[:2] == "--"
        with pytest.raises(ScheduleError, match="lookup=ptlu"):
            finalist.compile(program, "native", lookup="ptlu")

    @pytest.mark.check
    def test_both_directions_in_hardware(self) -> None:
        one, other = (traced(cipher("rc6"), operation, 128) for operation in ("encrypt", "decrypt"))
        schedule = finalist.Schedule(directions="both")
        fpga: Any = machine("fpga")
        assert fpga.program(one, schedule, other).text == fpga.program(other, schedule, one).text
        with pytest.raises(ScheduleError, match="directions=both of one program: accepted with a cipher"):
            finalist.compile(one, "fpga", directions="both")

    @pytest.mark.parametrize(
        ("arguments", "error", "said"),
        [
            (
                {"operation": "decrypt"},
                UnknownNameError,
                "operation=decrypt of a program: accepted is",
            ),
            ({"key_bits": 192}, KeyLengthError, "key_bits=192 of a program: accepted is its own, 128"),
            ({"tuned": "long"}, ScheduleError, "tuned=long: nothing is tuned for a program"),
            ({"machine": "abacus"}, UnknownNameError, "unknown machine 'abacus'"),
        ],
    )
    def test_wrong_ones(self, arguments: dict[str, Any], error: type[Exception], said: str) -> None:
        program = traced(cipher("rc6"), "encrypt", 128)
        with pytest.raises(error, match=said):
            finalist.compile(program, **arguments)
        finalist.compile(program, "interpreter", operation="encrypt", key_bits=128)  # type: ignore[call-overload]
