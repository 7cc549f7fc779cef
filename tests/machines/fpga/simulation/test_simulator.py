"""The simulators: which one is taken, that they agree, and what they leave behind."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import CompilerError
from finalist.machines.fpga import tools
from finalist.machines.fpga.simulation import cxx, simulator, verilator
from finalist.machines.fpga.simulation.simulator import SIMULATORS, Simulator, is_here
from finalist.machines.registry import machine
from tests.machines.fpga.simulators import needs
from tests.machines.fpga.toy import TOY

EACH = [
    pytest.param(
        one, id=one.NAME, marks=pytest.mark.skipif(not is_here(one), reason=f"{one.NAME}: {one.INSTALL}")
    )
    for one in SIMULATORS
]
needs_verilator = pytest.mark.skipif(not is_here(verilator), reason=f"Verilator: {verilator.INSTALL}")


def only(monkeypatch: pytest.MonkeyPatch, *chosen: Simulator) -> None:
    monkeypatch.setattr(simulator, "SIMULATORS", chosen)


def agrees(language: str) -> bool:
    """Whether a toy's blocks come out as the interpreter has them."""
    draw = random.Random(3)
    keys, blocks = [draw.randbytes(8)] * 5, [draw.randbytes(4) for _ in range(5)]
    program = compile_cipher(TOY, "fpga", language=language, architecture="PP-2")
    return program.run_many(keys, blocks) == compile_cipher(TOY, "interpreter").run_many(keys, blocks)


@pytest.mark.parametrize("one", EACH)
def test_each_that_is_here_runs_a_design(one: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, one)
    assert agrees(one.LANGUAGE)
    assert one.version()


class Fake:
    """A simulator that is here, or is not."""

    LANGUAGE = "verilog"

    def __init__(self, name: str, *, here: bool) -> None:
        self.NAME, self.INSTALL, self._here = name, f"get {name}", here

    def find(self) -> str:
        if not self._here:
            raise CompilerError("not here")
        return self.NAME


def test_the_first_that_is_here_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes: list[Any] = [Fake("a", here=False), Fake("b", here=True), Fake("c", here=True)]
    only(monkeypatch, *fakes)
    assert simulator.simulator("verilog").NAME == "b"
    only(monkeypatch, fakes[0], *[Fake("d", here=False)])  # type: ignore[list-item]
    with pytest.raises(CompilerError, match=r"no simulator of verilog is installed: a \(get a\); or d \(get"):
        simulator.simulator("verilog")


@needs("verilog")
def test_figures_say_by_what_they_were_had() -> None:
    assert machine("fpga").describe() == {"simulator": simulator.simulator("verilog").version()}


@needs_verilator
def test_a_simulation_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, verilator)
    assert agrees("verilog")
    monkeypatch.setattr(cxx, "build", None)
    assert agrees("verilog")


class TestKept:
    @pytest.fixture(autouse=True)
    def empty(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
        monkeypatch.setenv("CXX", sys.executable)
        return tmp_path

    def test_equal_texts_are_one_file(self, empty: Path) -> None:
        made: list[Path] = []

        def make(target: Path) -> None:
            made.append(target)
            target.write_text("made")

        first = cxx.kept("x", ["a", "b"], make)
        assert cxx.kept("x", ["a", "b"], make) == first
        assert cxx.kept("x", ["ab"], make) != first
        assert len(made) == len(list(empty.glob("x-*"))) == 2
        assert first.read_text() == "made"

    def test_nothing_is_left_of_what_fails(self, empty: Path) -> None:
        def fail(target: Path) -> None:
            target.write_text("half")
            raise CompilerError("it failed")

        with pytest.raises(CompilerError, match="it failed"):
            cxx.kept("x", [], fail)
        assert list(empty.glob("*")) == []


@pytest.mark.parametrize("chosen", ["no-such-compiler -O1", "'", " "])
def test_a_wrong_compiler_is_named(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", chosen)
    with pytest.raises(CompilerError, match="CXX="):
        cxx.command()


def test_compilers_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the system, then that of the wheel; where there is none, what installs one."""
    monkeypatch.delenv("CXX", raising=False)
    here: Callable[[str], str | None] = {"clang++": "/bin/clang++"}.get
    monkeypatch.setattr(cxx.shutil, "which", here)
    assert cxx.command() == ("clang++",)
    monkeypatch.setattr(cxx.shutil, "which", lambda name: None)
    monkeypatch.setattr(cxx.importlib.util, "find_spec", lambda name: object())
    assert cxx.command() == (sys.executable, "-m", "ziglang", "c++")
    monkeypatch.setattr(cxx.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CompilerError, match=r"no C\+\+ compiler: apt install g\+\+"):
        cxx.command()


def test_a_program_sees_the_variables_that_it_is_given() -> None:
    command = [sys.executable, "-c", "import os; print(os.environ['FINALIST_X'], 'PATH' in os.environ)"]
    assert tools.run(command, seconds=60, variables={"FINALIST_X": "y"}) == "y True\n"
