"""The round-key registers: which words of the expanded key the kernel reads, and where they are kept."""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, reads_parameter
from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Part, Signal, constant
from finalist.passes.analysis import KeyOnly

#: Bits of the port that round keys are written through.
PORT = 32


class Keys:
    """Words of the expanded key side by side in one row of registers, in the order of the arrays.

    ``fields``: (name, number, lowest bit, width) of each.
    """

    def __init__(self, kernel: Graph, block_words: int) -> None:
        self._key_only = KeyOnly()
        self._known: dict[Node, Signal] = {}
        self._constants: dict[tuple[int, int], Signal] = {}
        params = {param: rank for rank, param in enumerate(kernel.params[block_words:])}
        read = {(node.inputs[0], node.inputs[1].attr) for node in kernel.body if reads_parameter(node)}
        self.fields: list[tuple[str, int, int, int]] = []
        self._low: dict[tuple[Node, int], int] = {}
        low = 0
        for param, number in sorted(read, key=lambda word: (params[word[0]], word[1])):
            self._low[param, number] = low
            self.fields.append((param.name, number, low, param.width))
            low += param.width
        self.bits = -(-low // PORT) * PORT
        #: For each field the array, counted as the key schedule's results are, and the entry.
        self.places = [(params[p], n) for p, n in sorted(read, key=lambda word: (params[word[0]], word[1]))]

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


def stream(keys: Keys, arrays: list[list[int]]) -> list[int]:
    """What is written to the key port, one word a clock, for an expanded key: its arrays' entries."""
    total = 0
    for (rank, number), (_, _, low, _) in zip(keys.places, keys.fields, strict=True):
        total |= arrays[rank][number] << low
    return [total >> at & (1 << PORT) - 1 for at in range(0, keys.bits, PORT)]


def key_words(key: bytes) -> list[int]:
    """What is written to the key port where the key schedule is on the chip: the key, first byte highest."""
    size = PORT // 8
    return [int.from_bytes(key[at : at + size].ljust(size, b"\0"), "big") for at in range(0, len(key), size)]
