"""The round-key registers: which words of the expanded key the kernel reads, and where they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from finalist.errors import ScheduleError
from finalist.ir.graph import Node, reads_parameter
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.fpga.keys.expansion import Place, straight
from finalist.machines.fpga.signals import Part, Signal, constant
from finalist.passes.analysis import KeyOnly

#: Bits of the port that round keys are written through.
PORT = 32


class Keys:
    """Words of the expanded key side by side in one row of registers, in the order of the arrays.

    Of two programs of one cipher, those of the first, then what the second has beside them.
    ``fields``: (name, number, lowest bit, width) of each; ``places``: for each the number of its program, of
    the array, counted as the key schedule's results are, and the entry.
    """

    def __init__(self, *programs: Program) -> None:
        self._key_only = KeyOnly()
        self._known: dict[Node, Signal] = {}
        self._constants: dict[tuple[int, int], Signal] = {}
        self.fields: list[tuple[str, int, int, int]] = []
        self.places: list[Place] = []
        self._low: dict[tuple[Node, int], int] = {}
        read = [(which, *word) for which, program in enumerate(programs) for word in _read(program)]
        places = [(which, rank, number) for which, rank, _, number in read]
        low, held = 0, dict[object, int]()
        for (which, rank, param, number), value in zip(read, _values(programs, places), strict=True):
            if value not in held:
                held[value] = low
                name = f"{programs[which].operation}_{param.name}" if which else param.name
                self.fields.append((name, number, low, param.width))
                self.places.append((which, rank, number))
                low += param.width
            self._low[param, number] = held[value]
        self.bits = -(-low // PORT) * PORT

    def signal(self, node: Node) -> Signal | None:
        """A word that depends on nothing but the key; None for any other."""
        if node.op is Op.CONST:
            return self._constants.setdefault((node.attr, node.width), constant(node.attr, node.width))
        if not self._key_only(node):
            return None
        if node not in self._known:
            self._known[node] = self._made(node)
        return self._known[node]

    def _made(self, node: Node) -> Signal:
        if reads_parameter(node):
            low = self._low[node.inputs[0], node.inputs[1].attr]
            return Signal(Part.KEY, (), node.width, low, f"{node.inputs[0].name}_{node.inputs[1].attr}")
        inputs = [self.signal(child) for child in node.inputs]
        return Signal(
            node.op, [i for i in inputs if i is not None], node.width, node.attr, node.name, node.line
        )


def _read(program: Program) -> list[tuple[int, Node, int]]:
    """The words of the expanded key that a kernel reads: (number of the array, array, entry), in order."""
    params = {param: rank for rank, param in enumerate(program.key_params)}
    read = {(node.inputs[0], node.inputs[1].attr) for node in program.kernel.body if reads_parameter(node)}
    return sorted(((params[param], param, number) for param, number in read), key=lambda r: (r[0], r[2]))


def _values(programs: Sequence[Program], places: Sequence[Place]) -> Sequence[object]:
    """What tells words apart: of several programs their values, as far as those can be compared."""
    if len(programs) > 1:
        with suppress(ScheduleError):
            return straight(programs, places).results
    return places


def stream(keys: Keys, arrays: Sequence[Sequence[list[int]]]) -> list[int]:
    """What is written to the key port, one word a clock, for the expanded keys of each program: their
    arrays' entries."""
    total = 0
    for (which, rank, number), (_, _, low, _) in zip(keys.places, keys.fields, strict=True):
        total |= arrays[which][rank][number] << low
    return [total >> at & (1 << PORT) - 1 for at in range(0, keys.bits, PORT)]


def key_words(key: bytes) -> list[int]:
    """What is written to the key port where the key schedule is on the chip: the key, first byte highest."""
    size = PORT // 8
    return [int.from_bytes(key[at : at + size].ljust(size, b"\0"), "big") for at in range(0, len(key), size)]
