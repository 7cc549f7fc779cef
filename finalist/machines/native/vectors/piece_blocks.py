"""Blocks of any number of words, of which `pieces` says where they go."""

from __future__ import annotations

from finalist.ir.graph import used
from finalist.ir.program import ByteOrder, Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.body import Body
from finalist.machines.native.vectors.lane_blocks import shuffled
from finalist.machines.native.vectors.pieces import Part, parts

#: What vectors of so many pieces are called in the text.
_NAMES = {1: "vec", 2: "vec_halves", 4: "vec_quarters"}


class PieceBlocks:
    """A word of every block in each vector, for blocks of any number of words."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body, self.kernel, self.shape, self.layout = body, program.kernel, shape, program.block
        little = self.layout.order is ByteOrder.LITTLE
        self.swap, self.order = ("vec_little", "le") if little else ("vec_big", "be")
        self.parts = parts(self.layout.count, shape.lanes, shape.lane_bits)

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        return [line for copy, part in self._parts() for line in self._load(part, copy)]

    def stores(self) -> list[str]:
        """Statements that write its results."""
        return [line for copy, part in self._parts() for line in self._store(part, copy)]

    def _parts(self) -> list[tuple[int, Part]]:
        return [(copy, part) for copy in range(self.shape.copies) for part in self.parts]

    def _load(self, part: Part, copy: int) -> list[str]:
        names, lines, needed = [], list[str](), used(self.kernel)
        for blocks in part.vectors():
            names.append(self.body.fresh("in"))
            read = self._read(self._addresses("in", part, copy, blocks), part)
            lines.append(f"    vec {names[-1]} = {read};")
        more, names = shuffled(self.body, self.shape, part.network.split, names)
        lines += more
        for word, name in zip(part.of(self.kernel.params), names, strict=True):
            self.body.define(word, copy, name)
            lines += [] if word in needed else [f"    (void){name};"]
        return lines

    def _store(self, part: Part, copy: int) -> list[str]:
        names, lines = [], list[str]()
        for word in part.of(self.kernel.results):
            names.append(self.body.fresh("out"))
            lines.append(f"    const vec {names[-1]} = {self.body.full(word, copy)};")
        more, names = shuffled(self.body, self.shape, part.network.merge, names)
        lines += more
        for name, blocks in zip(names, part.vectors(), strict=True):
            lines += self._write(self._addresses("out", part, copy, blocks), part, name)
        return lines

    def _addresses(self, pointer: str, part: Part, copy: int, blocks: tuple[int, ...]) -> list[str]:
        word, first = part.first * self.layout.width // 8, copy * self.shape.lanes
        return [f"{pointer} + {(first + block) * self.layout.bytes + word}" for block in blocks]

    def _read(self, addresses: list[str], part: Part) -> str:
        if part.words == 1:
            load = f"load{self.layout.width}{self.order}"
            return f"{{{', '.join(f'{load}({address})' for address in addresses)}}}"
        return f"{self.swap}({_NAMES[len(addresses)]}_load({', '.join(addresses)}))"

    def _write(self, addresses: list[str], part: Part, name: str) -> list[str]:
        if part.words == 1:
            store = f"store{self.layout.width}{self.order}"
            return [f"    {store}({address}, {name}[{lane}]);" for lane, address in enumerate(addresses)]
        return [f"    {_NAMES[len(addresses)]}_store({', '.join(addresses)}, {self.swap}({name}));"]
