"""Making registers: from rows over words of the key, and from bytes of other registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.ir.builder import Builder
from finalist.ir.graph import Matrix, Node
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.matching.affine import ONE, Forms, Leaf, Rows
from finalist.passes.matching.normal import BYTE, InstructionSet, applied

_WORD = 32


class Registers:
    """Makes registers from rows: of bytes of the key where they are such, else by maps."""

    def __init__(self, forms: Forms, instructions: InstructionSet) -> None:
        self.forms = forms
        self.instructions = instructions
        self._rewriter: Rewriter | None = None

    def register(self, make: Builder, rows: Rows) -> Node:
        """The register with these rows: its words are parts of the key's, or maps of such registers."""
        if not self._plain(rows):
            for map_ in self.instructions.maps:
                before = applied(map_.inverse, rows)
                if self._plain(before):
                    return make.make(Op.INSTRUCTION, (self._joined(make, before),), map_.instruction)
        return self._joined(make, rows)

    def _plain(self, rows: Rows) -> bool:
        """Whether every byte is a byte of some word of the key, and a constant."""
        return all(self._byte(rows[low : low + BYTE]) is not None for low in range(0, len(rows), BYTE))

    def _byte(self, rows: Rows) -> tuple[Leaf | None, int] | None:
        """The leaf, and where in it these consecutive bits begin; no leaf for a constant."""
        plain = [row & ~ONE for row in rows]
        if not any(plain):
            return None, 0
        if plain[0] & (plain[0] - 1) or any(row != plain[0] << bit for bit, row in enumerate(plain)):
            return None
        (leaf,) = self.forms.within(plain[0]) or (None,)
        low = plain[0].bit_length() - 1 - leaf.start if leaf else 0
        return (leaf, low) if leaf and low + len(rows) <= leaf.width else None

    def _joined(self, make: Builder, rows: Rows) -> Node:
        return make.make(
            Op.TUPLE, [self._word(make, rows[low : low + _WORD]) for low in range(0, len(rows), _WORD)]
        )

    def _word(self, make: Builder, rows: Rows) -> Node:
        constant = make.const(sum((row & ONE) << bit for bit, row in enumerate(rows)), _WORD)
        word = self._of_bytes(make, rows) or self._of_maps(make, rows)
        return make.make(Op.XOR, (word, constant))

    def _of_bytes(self, make: Builder, rows: Rows) -> Node | None:
        """The word put together from bytes of the key."""
        parts = []
        for low in range(0, len(rows), BYTE):
            byte = self._byte(rows[low : low + BYTE])
            if byte is None:
                return None
            leaf, start = byte
            parts.append(make.slice(self._new(make, leaf), start, BYTE) if leaf else make.const(0, BYTE))
        return make.make(Op.JOIN, parts)

    def _of_maps(self, make: Builder, rows: Rows) -> Node:
        """The word as a linear map of words of the key."""
        support = ONE
        for row in rows:
            support |= row
        leaves = self.forms.within(support)
        if not leaves:
            return make.const(0, len(rows))
        matrices = [_columns(rows, leaf) for leaf in leaves]
        return make.linear(matrices, [self._new(make, leaf) for leaf in leaves], len(rows))

    def _new(self, make: Builder, leaf: Leaf) -> Node:
        """The leaf's word in the graph being made."""
        if self._rewriter is None or self._rewriter.builder is not make:
            self._rewriter = Rewriter(make)
        return self._rewriter.get(leaf.node)


def _columns(rows: Sequence[int], leaf: Leaf) -> Matrix:
    """For each bit of the leaf the word of the rows that have it."""
    return tuple(
        sum((row >> (leaf.start + bit) & 1) << place for place, row in enumerate(rows))
        for bit in range(leaf.width)
    )


# -- sums of bytes of registers ---------------------------------------------------------------------------

#: A byte of one of some registers: which of them, and its place in it.
Byte = tuple[int, int]


@dataclass(frozen=True)
class Sum:
    """For each byte of a register which bytes of others it is the XOR of, and a constant."""

    terms: tuple[tuple[Byte, ...], ...]
    constants: tuple[int, ...]

    @property
    def newest(self) -> int:
        """The last register that anything is taken of; -1 if none is."""
        return max((source for byte in self.terms for source, _ in byte), default=-1)

    def divided(self) -> tuple[Sum, Sum]:
        """The constants alone, and the rest."""
        size = len(self.terms)
        return Sum(((),) * size, self.constants), Sum(self.terms, (0,) * size)

    def shuffles(self) -> list[tuple[int, tuple[int | None, ...]]]:
        """Registers and which of their bytes go where, so that their XOR is the sum without the constants."""
        found = []
        for source in sorted({source for byte in self.terms for source, _ in byte}):
            taken = [sorted((p for s, p in byte if s == source), reverse=True) for byte in self.terms]
            for k in range(max(map(len, taken))):
                found.append((source, tuple(p[k] if k < len(p) else None for p in taken)))
        return found


def summed(make: Builder, instructions: InstructionSet, total: Sum, sources: Sequence[Node]) -> Node:
    """The register of a sum."""
    own = tuple(range(len(total.terms)))
    parts = [_constant(make, total.constants)] if any(total.constants) else []
    for source, places in total.shuffles():
        register = sources[source]
        if places != own:
            register = make.make(Op.INSTRUCTION, (register,), instructions.shuffle(places))
        parts.append(register)
    while len(parts) > 1:
        a, b, *rest = parts
        parts = [*rest, make.make(Op.INSTRUCTION, (a, b), instructions.addition.instruction)]
    return parts[0] if parts else _constant(make, total.constants)


def _constant(make: Builder, constants: Sequence[int]) -> Node:
    words = (constants[low : low + 4] for low in range(0, len(constants), 4))
    values = (sum(byte << BYTE * k for k, byte in enumerate(word)) for word in words)
    return make.make(Op.TUPLE, [make.const(value, _WORD) for value in values])
