"""Figures are of programs that have just matched, and say what they depend on. Speeds are never asserted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from finalist import api, stored
from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError, KeyLengthError, ScheduleError, UnknownNameError, VectorError
from finalist.language import LITTLE, Cipher, u32, words
from finalist.machines.base import MODES
from finalist.machines.native.binary import Binary
from finalist.measure import bench as module
from finalist.measure.arguments import MeasurementError
from finalist.measure.bench import QUANTITIES, bench, match
from finalist.measure.clock import ticks_per_second
from finalist.measure.results import Row
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from finalist.vectors.modes import check_mode
from finalist.version import VERSION
from tests.marks import needs_compiler

SECONDS = 0.002


def figures(name: str = "rc6", **options: Any) -> list[Row]:
    return list(bench(cipher(name), "native", key_bits=128, seconds=SECONDS, data_bytes=4096, **options))


@needs_compiler
class TestFigures:
    def test_every_quantity_in_both_directions(self) -> None:
        rows = figures(modes=MODES)
        both = {(quantity, operation) for quantity in QUANTITIES for operation in ("encrypt", "decrypt")}
        # Counter mode and output feedback are the same in both directions.
        one_way = {("ctr", "decrypt"), ("ofb", "decrypt")}
        assert {(row.quantity, row.operation) for row in rows} == both - one_way
        assert len(rows) == module.figures_of(2, len(MODES)) - 2
        for row in rows:
            assert (row.cipher, row.key_bits, row.machine) == ("rc6", 128, "native")
            assert row.ticks >= 0 and math.isclose(row.core_cycles, row.ticks / row.ticks_per_cycle)
            assert row.processor and row.compiler and row.flags and row.commit
            assert row.timing == "constant-time"

    def test_what_has_no_key_has_no_set_up(self) -> None:
        rows = bench(cipher("xoodoo"), "native", key_bits=0, operations=["encrypt"], seconds=SECONDS)
        quantities = {row.quantity for row in rows}
        assert "key set-up" not in quantities and {"bulk", "latency"} <= quantities

    def test_units_and_rates(self) -> None:
        of = {row.quantity: row for row in figures(operations=["encrypt"], modes=MODES)}
        units = {quantity: row.unit for quantity, row in of.items()}
        assert units == {
            "key set-up": "per call",
            "single call": "per call",
            "latency": "per block",
            "bulk": "per byte",
            "ctr": "per byte",
            "cbc": "per byte",
            "cfb": "per byte",
            "cfb8": "per byte",
            "ofb": "per byte",
        }
        assert of["key set-up"].mbit_per_s is None
        for quantity, bits in (("latency", 128), ("bulk", 8), ("ctr", 8), ("cbc", 8)):
            row = of[quantity]
            assert row.mbit_per_s is not None
            assert math.isclose(row.mbit_per_s * 1e6 * row.ticks, bits * ticks_per_second())

    def test_latency_is_of_one_block_and_bulk_of_the_schedule(self) -> None:
        rows = figures(operations=["encrypt"], schedule=Schedule(blocks=4, width=128), modes=MODES)
        for row in rows:
            one = row.quantity in ("single call", "latency", "cbc", "cfb", "cfb8", "ofb")
            assert ("blocks=1 width=1" if one else "blocks=4 width=128") in row.schedule
            assert row.data_bytes == (4096 if row.quantity in ("bulk", *MODES) else 16)

    def test_another_program_may_have_the_single_blocks(self) -> None:
        """A schedule for many blocks may have no form of one block, or not the quickest."""
        single = Schedule(blocks=1, width=1, rounds="loop")
        rows = figures(operations=["encrypt"], schedule=Schedule(blocks=8, width=256), single=single)
        for row in rows:
            one = row.quantity in ("single call", "latency")
            assert ("blocks=1 width=1 rounds=loop" if one else "blocks=8 width=256") in row.schedule

    @pytest.mark.parametrize(
        ("modes", "measured"),
        [((), set()), (("ecb",), {"bulk"}), (("ctr",), {"ctr"}), (("cbc",), {"cbc"}), (("cfb",), {"cfb"})],
    )
    def test_modes_are_those_asked_for(self, modes: tuple[str, ...], measured: set[str]) -> None:
        of_blocks = {"key set-up", "single call", "latency"}
        assert {row.quantity for row in figures(operations=["encrypt"], modes=modes)} == of_blocks | measured

    def test_a_stream_has_one(self) -> None:
        assert {row.quantity for row in figures("rc4", modes=MODES)} == set(QUANTITIES) - set(MODES)

    def test_tables_are_said(self) -> None:
        loads = Schedule(lookup="load")
        rows = figures("rijndael", operations=["encrypt"], schedule=loads)
        assert {row.timing for row in rows} == {"table lookups"}

    @pytest.mark.parametrize(("asked", "taken"), [(1, 16), (16, 16), (100, 96)])
    def test_bytes_are_whole_blocks(self, asked: int, taken: int) -> None:
        rows = bench(
            cipher("rc6"), "native", key_bits=128, operations=["encrypt"], data_bytes=asked, seconds=SECONDS
        )
        assert {row.data_bytes for row in rows if row.quantity == "bulk"} == {taken}

    def test_a_schedule_without_a_one_block_form(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = stored.compiled

        def refusing(*arguments: Any) -> Any:
            if arguments[4].blocks == 1:
                raise ScheduleError("no single blocks")
            return real(*arguments)

        monkeypatch.setattr(stored, "compiled", refusing)
        assert {row.quantity for row in figures(operations=["encrypt"])} == {"key set-up", "bulk", "ctr"}


@needs_compiler
class TestNoFigureWithoutAMatch:
    def test_wrong_vectors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "vectors_of", lambda found: vectors_of(cipher("serpent")))
        rows: list[Row] = []
        with pytest.raises(VectorError, match="rc6 encrypt"):
            rows.extend(bench(cipher("rc6"), "native", key_bits=128, seconds=SECONDS))
        assert rows == []

    def test_a_wrong_mode(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def miscounting(self: Any, key: Any, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
            out, after = real(self, key, counter, data)
            return out[:-1] + data[-1:], after

        real = Binary.ctr
        monkeypatch.setattr(Binary, "ctr", miscounting)
        with pytest.raises(VectorError, match="rc6 encrypt in mode ctr"):
            figures(operations=["encrypt"])

    def test_no_vectors(self) -> None:
        class Bare(Cipher):
            block = words(2, u32, LITTLE)
            key_bits = (64,)

            def expand_key(self, key: Any) -> Any:
                return key

            def encrypt(self, block: Any, keys: Any) -> Any:
                return [block[0] ^ keys[0], block[1] ^ keys[1]]

            decrypt = encrypt

        with pytest.raises(VectorError, match="bare has no vectors for 64-bit keys"):
            list(bench(Bare, "native", key_bits=64, seconds=SECONDS))

    def test_each_program_measured_has_been_checked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The one-block program is another program, so its own match is what counts for its figures."""
        events: list[str] = []

        def checking(program: Any, rows: Any) -> int:
            events.append(f"checked {program.schedule.blocks}")
            return check_known_answers(program, rows)

        def checking_mode(program: Any, mode: str, rows: Any) -> None:
            events.append(f"checked {mode} {program.schedule.blocks}")
            check_mode(program, mode, rows)

        monkeypatch.setattr(module, "check_known_answers", checking)
        monkeypatch.setattr(module, "check_mode", checking_mode)
        options = {"operations": ["encrypt"], "schedule": Schedule(blocks=4, width=1)}
        for row in bench(cipher("rc6"), "native", key_bits=128, seconds=SECONDS, **options):  # type: ignore[arg-type]
            events.append(row.quantity)
        first = ["checked 4", "checked ctr 4", "key set-up", "bulk", "ctr"]
        assert events == [*first, "checked 1", "single call", "latency"]

    def test_a_wrong_one_block_program(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(program: Any, rows: Any) -> int:
            if program.schedule.blocks == 1:
                raise VectorError("wrong")
            return check_known_answers(program, rows)

        monkeypatch.setattr(module, "check_known_answers", failing)
        rows = bench(cipher("rc6"), "native", key_bits=128, seconds=SECONDS)
        assert [next(rows).quantity for _ in range(3)] == ["key set-up", "bulk", "ctr"]
        with pytest.raises(VectorError, match="wrong"):
            next(rows)


class TestErrors:
    def test_a_machine_without_compiled_code(self) -> None:
        with pytest.raises(MeasurementError, match="no compiled code"):
            list(bench(cipher("rc6"), "interpreter", key_bits=128, seconds=SECONDS))

    def test_no_compiler(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CC", "/nonexistent")
        with pytest.raises(CompilerError, match="CC='/nonexistent'"):
            figures()

    @needs_compiler
    @pytest.mark.parametrize("seconds", [0, -1.0, math.nan, math.inf])
    def test_seconds(self, seconds: float) -> None:
        with pytest.raises(MeasurementError, match="seconds"):
            list(bench(cipher("rc6"), "native", key_bits=128, seconds=seconds))

    @needs_compiler
    def test_modes(self) -> None:
        with pytest.raises(UnknownNameError, match="unknown mode 'xts'; accepted: ecb, ctr, cbc"):
            figures(modes=["xts"])

    @needs_compiler
    def test_key_bits(self) -> None:
        with pytest.raises(KeyLengthError, match="129"):
            list(bench(cipher("rc6"), "native", key_bits=129))


class TestCommit:
    @pytest.fixture(autouse=True)
    def fresh(self) -> Any:
        module.commit.cache_clear()
        yield
        module.commit.cache_clear()

    def test_no_checkout(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "a" / "b").mkdir(parents=True)
        monkeypatch.setattr(module, "__file__", str(tmp_path / "a" / "b" / "bench.py"))
        assert module.commit() == VERSION

    def test_no_git(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "")
        assert module.commit() == VERSION


@needs_compiler
def test_match_takes_a_key_of_the_programs_length() -> None:
    program = api.compile("rc6", "native", "encrypt", 256)
    assert len(match(program, vectors_of(cipher("rc6"))).key) == 32
