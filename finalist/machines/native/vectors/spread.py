"""Byte planes a lane: eight planes of 32-bit words, with the bytes of a lane moved one to a lane.

Words cut into eight planes hold a group of blocks in each byte, and move by whole bytes only. If byte q
of the four lanes of every 128 bits is gathered in lane q, a rotation by bytes is a shuffle of lanes with
the pattern in the instruction, and a shift a shift of the whole 128 bits. All else works as before, as
long as nothing depends on bits that cross from byte to byte; that is checked here.

Networks of shuffles bring blocks in memory to one word of every block in each vector, and back; a vector is a
list of element numbers there, so that a network is checked where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from finalist.ir.builder import mask
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import BITWISE, Op
from finalist.machines.native.text.dialect import Text, Vector
from finalist.passes.analysis import KeyOnly

GROUPS = 4
_BITS = 8


class SpreadVector(Vector):
    """Vectors of 32-bit lanes whose bytes are spread over the lanes of 128 bits."""

    def expression(self, node: Node, operands: list[Text]) -> Text:
        if node.op in (Op.SHL, Op.SHR, Op.ROL) and node.inputs[1].attr % _BITS == 0:
            name = {Op.SHL: "vec_shl", Op.SHR: "vec_shr", Op.ROL: "vec_rol"}[node.op]
            return Text(f"{name}{node.inputs[1].attr}({operands[0].code})")
        return super().expression(node, operands)

    def entry(self, array: str, index: str) -> Text:
        """A key word, its byte q in lane q: from the copy that the key schedule makes."""
        return Text(f"vec_key({array}_lanes + {GROUPS} * ({index}))")


def spread_key(name: str, length: int) -> list[str]:
    """C statements that write each word of an array of the key again, its byte q filling word q of four."""
    return [
        f"    for (size_t i = 0; i < {length}; i++) {{",
        f"        const vec_four word = (vec_four){{0}} + k->{name}[i];",
        "        const vec_four bytes = (word >> (vec_four){0, 8, 16, 24} & 0xffu) * 0x01010101u;",
        f"        memcpy(k->{name}_lanes + {GROUPS} * i, &bytes, sizeof bytes);",
        "    }",
    ]


def eligible(kernel: Graph, lane_bits: int, planes: int) -> bool:
    """Whether a kernel on planes keeps its meaning with the bytes spread."""
    if lane_bits != GROUPS * _BITS or planes != _BITS:
        return False
    shared = KeyOnly()
    needed = demanded(kernel)
    return _same_in_bytes(kernel.results) and all(
        _fits(node, shared, needed.get(node, 0)) for node in kernel.body
    )


def _same_in_bytes(words: Iterable[Node]) -> bool:
    """Whether of constants all bytes are the same, so that they may stay as they are."""
    constants = (word.attr for word in words if word.op is Op.CONST)
    return all(value == (value & 0xFF) * 0x01010101 for value in constants)


def _fits(node: Node, shared: KeyOnly, needed: int) -> bool:
    if shared(node):
        return node.op is Op.LOAD and node.inputs[1].op is Op.CONST
    if node.op in BITWISE:
        return _same_in_bytes(node.inputs)
    if node.op not in (Op.SHL, Op.SHR, Op.ROL) or node.inputs[1].op is not Op.CONST:
        return False
    amount = node.inputs[1].attr
    if amount % _BITS == 0:
        return True
    if node.op is Op.ROL or amount > _BITS:
        return False
    # Bits that leave their byte must be zeros, or nobody may look at where they arrive.
    stay = mask(_BITS - amount) * 0x01010101
    up, down = stay << amount, stay
    leaving, arriving = (~down, ~up) if node.op is Op.SHL else (~up, ~down)
    return needed & arriving == 0 or _possible(node.inputs[0]) & leaving == 0


def demanded(graph: Graph) -> dict[Node, int]:
    """For each word the bits that anything depends on."""
    needed: dict[Node, int] = {node: mask(node.width) for node in graph.results}
    for node in reversed(graph.body):
        own = needed.get(node, 0)
        for child, bits in _passed(node, own):
            needed[child] = needed.get(child, 0) | bits
    return needed


def _passed(node: Node, own: int) -> list[tuple[Node, int]]:
    """What a node's operands must be right in, for the node to be right in the bits ``own``."""
    if node.op is Op.AND:
        a, b = node.inputs
        return [(a, own & _possible_constant(b)), (b, own & _possible_constant(a))]
    if node.op in BITWISE:
        return [(child, own) for child in node.inputs]
    if node.op in (Op.SHL, Op.SHR) and node.inputs[1].op is Op.CONST:
        amount, word = node.inputs[1].attr, node.inputs[0]
        return [(word, own >> amount if node.op is Op.SHL else own << amount & mask(word.width))]
    return [(child, mask(child.width)) for child in node.inputs]


def _possible(node: Node) -> int:
    """The bits that can be ones."""
    if node.op is Op.CONST:
        return int(node.attr)
    if node.op is Op.AND:
        return _possible_constant(node.inputs[0]) & _possible_constant(node.inputs[1])
    return mask(node.width)


def _possible_constant(node: Node) -> int:
    return int(node.attr) if node.op is Op.CONST else mask(node.width)


#: One shuffle: the two vectors it takes (by position) and the elements of their concatenation it keeps.
Shuffle = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Network:
    """Steps of shuffles; each step turns all vectors into as many new ones.

    ``split``: from blocks as they lie in memory to words. ``merge``: the way back.
    """

    split: tuple[tuple[Shuffle, ...], ...]
    merge: tuple[tuple[Shuffle, ...], ...]


def network(words: int, lanes: int, lane_bits: int) -> Network:
    """The network for blocks of ``words`` words (a power of two), a word a lane."""
    inner = 128 // lane_bits
    # Shuffles within 128 bits are one cheap instruction; they suffice where a block fits there.
    group = inner if words <= inner <= lanes else lanes
    count = words.bit_length() - 1
    split = [_unzip(words, lanes, group)] * count
    if lane_bits < _UNZIPPED and group == inner:
        # Each step turns the bits of a place's number (vector, then element) by one, and so does its
        # inverse the other way round.
        split = [_zip(words, lanes, group)] * (group.bit_length() - 1)
    return Network(tuple(split), (_zip(words, lanes, group),) * count)


#: Bits of the narrowest elements of which vector units have an instruction that takes every second one.
_UNZIPPED = 32


def _unzip(count: int, lanes: int, group: int) -> tuple[Shuffle, ...]:
    """Even elements of each pair of vectors, then the odd ones, group by group."""
    made = []
    for odd in (0, 1):
        kept = tuple(
            side * lanes + start + k
            for start in range(0, lanes, group)
            for side in (0, 1)
            for k in range(odd, group, 2)
        )
        made += [(pair, pair + 1, kept) for pair in range(0, count, 2)]
    return tuple(made)


def _zip(count: int, lanes: int, group: int) -> tuple[Shuffle, ...]:
    """The inverse of `_unzip`."""
    made = []
    for pair in range(count // 2):
        for half in (0, group // 2):
            kept = tuple(
                side * lanes + start + half + k
                for start in range(0, lanes, group)
                for k in range(group // 2)
                for side in (0, 1)
            )
            made.append((pair, pair + count // 2, kept))
    return tuple(made)


def simulate(steps: tuple[tuple[Shuffle, ...], ...], vectors: list[list[int]]) -> list[list[int]]:
    """What the steps do to vectors of element numbers."""
    for step in steps:
        vectors = [[(vectors[a] + vectors[b])[k] for k in kept] for a, b, kept in step]
    return vectors
