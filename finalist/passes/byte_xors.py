"""XORs of bytes as XORs of words with their bytes permuted.

``y[i] = S[x[i]] ^ S[x[(i + 1) % 4]]`` for i = 0 .. 3 -> ``t = T0[x[0]] ^ T1[x[1]] ^ T2[x[2]] ^ T3[x[3]]``,
``y = t ^ ror(t, 8)``. It applies to a binary matrix of bytes, as ARIA's with seven ones in each row, whose
blocks of four by four are XORs of permutations of an instruction or two on a word: rotations by whole bytes,
the bytes reversed, and both (the dihedral group of order 8). Tables get entries as wide as the word (see
`fuse`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain, combinations, product

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, users_of
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.matrices import identity
from finalist.passes.simplify import simplify

_BYTE, _BYTES = 8, 4
#: Bits of the words that bytes are added in.
WORD = _BYTE * _BYTES

#: A permutation of a word's bytes: whether they are reversed, and by how many they are rotated left then.
_Move = tuple[bool, int]
_MOVES: tuple[_Move, ...] = tuple(product((False, True), range(_BYTES)))
#: A binary matrix of 4 x 4: for each byte of a word those of another that are XORed into it, as bits.
_Square = tuple[int, ...]


def run(program: Program) -> Program:
    """The program with such layers of its kernel, and of its key schedule, on words."""
    return program.with_graphs(on_words(program.expand), on_words(program.kernel))


def on_words(graph: Graph) -> Graph:
    """The graph with layers of XORs of looked-up bytes on words, where that takes fewer operations."""
    layers = [layer for layer in _layers(graph) if layer.pays]
    if not layers:
        return graph
    layer_of = {node: (layer, place) for layer in layers for place, node in enumerate(layer.xors)}
    words: dict[int, list[Node]] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node not in layer_of:
            return None
        layer, place = layer_of[node]
        made = words.get(id(layer)) or words.setdefault(id(layer), layer.words(rewriter))
        byte = rewriter.builder.slice(made[place // _BYTES], place % _BYTES * _BYTE, _BYTE)
        return _xor_of(rewriter.builder, [byte, *rewriter.all(layer.others[place])])

    return rewrite(graph, Builder(simplify), visit)


# -- layers --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Layer:
    """As many XORs as bytes, each byte in several: ``others`` are terms of one alone, as round keys."""

    xors: tuple[Node, ...]
    bytes: tuple[Node, ...]
    others: tuple[tuple[Node, ...], ...]
    #: For each word of results the words of bytes, each so permuted, that it is the XOR of.
    terms: tuple[tuple[tuple[int, _Move], ...], ...]
    #: XORs that it takes byte by byte.
    apart: int

    @property
    def pays(self) -> bool:
        moves = sum(_cost(move) for _, move in {term for terms in self.terms for term in terms})
        return moves + sum(map(len, self.terms)) < self.apart

    def words(self, rewriter: Rewriter) -> list[Node]:
        """The words of results, without the other terms."""
        make, given = rewriter.builder, rewriter.all(self.bytes)
        whole = [_joined(make, given[at : at + _BYTES]) for at in range(0, len(given), _BYTES)]
        moved = {
            term: _moved(make, whole[term[0]], term[1])
            for term in dict.fromkeys(chain.from_iterable(self.terms))
        }
        return [_xor_of(make, [moved[term] for term in terms]) for terms in self.terms]


def _layers(graph: Graph) -> Iterator[_Layer]:
    """Groups of XORs with bytes in common, in the order in which the definition has them."""
    forms = _forms(graph)
    inner = {node: nodes for node, nodes in users_of(graph.body).items() if node in forms}
    wanted = set(graph.results) | {
        node for node, users in inner.items() if any(user not in forms for user in users)
    }
    xors = [node for node in forms if node in wanted]
    uses = Counter(byte for node in xors for byte in forms[node])
    for group in _connected(xors, {node: [x for x in forms[node] if uses[x] > 1] for node in xors}):
        layer = _layer(group, forms, uses)
        if layer is not None:
            yield layer


def _forms(graph: Graph) -> dict[Node, frozenset[Node]]:
    """The terms of each XOR of bytes."""
    forms: dict[Node, frozenset[Node]] = {}
    for node in graph.body:
        if node.op is Op.XOR and node.width == _BYTE:
            a, b = (forms.get(child, frozenset([child])) for child in node.inputs)
            forms[node] = a ^ b
    return forms


def _connected(xors: Sequence[Node], shared: dict[Node, list[Node]]) -> list[list[Node]]:
    """The connected components of XORs that have bytes in common."""
    group_of: dict[Node, list[Node]] = {}
    for node in xors:
        known = {id(group_of[x]): group_of[x] for x in shared[node] if x in group_of}
        merged = [*chain.from_iterable(known.values()), node]
        for member in merged:
            group_of.update(dict.fromkeys(shared[member], merged))
    groups = {id(group): group for group in group_of.values()}
    return [sorted(group, key=lambda node: node.serial) for group in groups.values()]


def _layer(group: Sequence[Node], forms: dict[Node, frozenset[Node]], uses: Counter[Node]) -> _Layer | None:
    found = {x for node in group for x in forms[node] if uses[x] > 1}
    given = sorted(found, key=lambda node: node.serial)
    if len(given) != len(group) or len(group) % _BYTES or any(x.op is not Op.LOOKUP for x in given):
        return None
    columns = [_column(group, word, forms) for word in _fours(given)]
    if not all(columns):
        return None
    terms = tuple(
        tuple((word, move) for word, column in enumerate(columns) for move in column[row])
        for row in range(len(columns))
    )
    others = tuple(tuple(sorted(forms[node] - found, key=lambda x: x.serial)) for node in group)
    apart = sum(len(forms[node] & found) - 1 for node in group)
    return _Layer(tuple(group), tuple(given), others, terms, apart)


def _fours(nodes: Sequence[Node]) -> list[Sequence[Node]]:
    return [nodes[at : at + _BYTES] for at in range(0, len(nodes), _BYTES)]


def _column(
    xors: Sequence[Node], word: Sequence[Node], forms: dict[Node, frozenset[Node]]
) -> tuple[tuple[_Move, ...], ...]:
    """For each word of results how one of bytes is permuted for it; empty where that takes others.

    Of the shortest alternatives those that share most permutations.
    """
    squares = [
        tuple(sum((byte in forms[node]) << k for k, byte in enumerate(word)) for node in four)
        for four in _fours(xors)
    ]
    ways = product(*(_squares().get(square, ()) for square in squares))
    return min(ways, key=lambda way: sum(map(_cost, set(chain.from_iterable(way)))), default=())


# -- permutations of a word's bytes --------------------------------------------------------------------------


@cache
def _squares() -> dict[_Square, list[tuple[_Move, ...]]]:
    """For each XOR of such permutations, as a matrix, the shortest alternatives."""
    found: dict[_Square, list[tuple[_Move, ...]]] = {}
    for moves in chain.from_iterable(combinations(_MOVES, count) for count in range(len(_MOVES) + 1)):
        square = tuple(_added(1 << _source(move, to) for move in moves) for to in range(_BYTES))
        ways = found.setdefault(square, [])
        if not ways or len(moves) == len(ways[0]):
            ways.append(moves)
    return found


def _added(bits: Iterable[int]) -> int:
    return reduce(lambda a, b: a ^ b, bits, 0)


def _source(move: _Move, to: int) -> int:
    reverse, by = move
    at = (to - by) % _BYTES
    return _BYTES - 1 - at if reverse else at


def _cost(move: _Move) -> int:
    reverse, by = move
    return reverse + (by > 0)


def _moved(make: Builder, word: Node, move: _Move) -> Node:
    reverse, by = move
    if reverse:
        parts = [make.slice(word, low, _BYTE) for low in range(WORD - _BYTE, -1, -_BYTE)]
        word = make.make(Op.JOIN, parts)
    return make.make(Op.ROL, (word, make.const(by * _BYTE, _BYTE))) if by else word


def _joined(make: Builder, given: Sequence[Node]) -> Node:
    """A word of bytes as a linear map, which `fuse` has tables for."""
    matrices = [tuple(column << at * _BYTE for column in identity(_BYTE)) for at in range(_BYTES)]
    return make.linear(matrices, given, WORD)


def _xor_of(make: Builder, terms: Sequence[Node]) -> Node:
    return reduce(lambda a, b: make.make(Op.XOR, (a, b)), terms)
