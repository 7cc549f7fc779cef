"""``python -m tools.spills LIBRARY``: vectors moved to the stack and back, counted in x86-64 code.

Where a kernel has more values alive than there are registers, the compiler keeps some in memory. How many
of its instructions do nothing else is a measure of the order of statements, and of the compiler's flags.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finalist.errors import CompilerError

_TIMEOUT = 60  # seconds
_FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(\S+)\s*(.*)$")
#: Moves of whole vectors on x86-64; an operand relative to the stack or frame pointer; vector registers.
_MOVES = re.compile(r"^v?(mov[au]p[sd]|movdq[au]\d*|lddqu)$")
_STACK = re.compile(r"\(%r[sb]p[,)]")
_VECTOR = re.compile(r"%[xyz]mm\d")


@dataclass(frozen=True, slots=True)
class Spills:
    """Counts of one function. ``stores``, ``reloads``: vectors moved to and from the stack, nothing else."""

    function: str
    instructions: int
    vector: int
    stores: int
    reloads: int

    @property
    def percent(self) -> float:
        """Of all instructions, those that move vectors to and from the stack."""
        return 100 * (self.stores + self.reloads) / self.instructions if self.instructions else 0.0


def of_library(library: Path) -> list[Spills]:
    """The counts of each function of a compiled library. Raises CompilerError without `objdump`."""
    if shutil.which("objdump") is None:
        raise CompilerError("no objdump (GNU binutils), which counts of instructions need")
    command = ["objdump", "-d", "--no-show-raw-insn", str(library)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"objdump on {library} failed: {error}") from error
    return of_listing(done.stdout)


def of_listing(text: str) -> list[Spills]:
    """The counts of each function of a disassembly, as objdump writes it."""
    found: list[Spills] = []
    for name, lines in _functions(text):
        parsed = [match.groups() for line in lines if (match := _INSTRUCTION.match(line))]
        vector = [(op, operands) for op, operands in parsed if _VECTOR.search(operands)]
        moves = [operands for op, operands in vector if _MOVES.match(op) and _STACK.search(operands)]
        stores = sum(1 for operands in moves if operands.endswith(")"))  # the target comes last
        found.append(Spills(name, len(parsed), len(vector), stores, len(moves) - stores))
    return found


def _functions(text: str) -> list[tuple[str, list[str]]]:
    functions: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        head = _FUNCTION.match(line)
        if head:
            functions.append((head[1], []))
        elif functions:
            functions[-1][1].append(line)
    return functions


def largest(found: list[Spills]) -> Spills:
    """The function with the most vector instructions: the kernel, wherever the compiler has put it."""
    if not found:
        raise CompilerError("no function was found in the disassembly")
    return max(found, key=lambda one: one.vector)


def main(arguments: Sequence[str]) -> int:
    """Prints the function with the most vector instructions of each library that is named."""
    for name in arguments:
        print(f"{name}: {(one := largest(of_library(Path(name))))}, {one.percent:.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
