"""The key's words as bits: arrays of single bits, which the key schedule fills in a loop.

A bit that the kernel complements wherever it takes it is complemented there.
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, reads_parameter
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import ArrayType, WordType, storage_bits
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice.sboxes import bits_of, side_by_side
from finalist.passes.simplify import simplify

#: A bit of the key's words: the array, the place in it, the place in the word.
Place = tuple[Node, int, int]


def run(program: Program) -> Program:
    """The program whose kernel reads bits of the key; any other key-only work moves to the key schedule."""
    kernel, complemented, arrays = _reading(program.kernel)
    expand = _filled(program, complemented, arrays)
    # What a block becomes is put together only then, or words of the key alone would move whole.
    last = max((node.phase for node in program.kernel.body), default=0)
    bits = hoist.run(program.with_graphs(expand, kernel))
    return bits.with_graphs(bits.expand, _put_together(bits.kernel, program.block.width, last))


@memoized
def _reading(old: Graph) -> tuple[Graph, set[Place], list[Node]]:
    """The kernel that reads bits of the key and gives those of the block, which bits of the key are
    complemented for it, and the arrays of words that it had them from."""
    complemented, arrays = _complements(old), _arrays(old)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is Op.LOOKUP and not key_only(node):
            return make.make(Op.LOOKUP, (whole(node.inputs[0]),), node.attr)
        place = _place(node)
        if place is None:
            return None
        array, word, bit = place
        at = make.const(word * stride(array) + bit, 32)
        read = make.make(Op.LOAD, (arrays[array], at))
        return make.make(Op.NOT, (read,)) if place in complemented else read

    def whole(word: Node) -> Node:
        """A word bit by bit, also where it is one of the key's."""
        return side_by_side(make, rewriter.all(bits_of(cutter, word)))

    make, cutter, key_only = Builder(simplify), Builder(simplify), KeyOnly()
    rewriter = Rewriter(make, visit)
    for node in old.body:
        rewriter.get(node)
    results = [bit for result in old.results for bit in rewriter.all(bits_of(cutter, result))]
    kernel = Graph(old.name, (*old.params, *arrays.values()), results, old.rounds)
    return kernel, complemented, list(arrays)


@memoized
def _put_together(kernel: Graph, width: int, phase: int) -> Graph:
    """The kernel that gives words of so many bits, in this phase, from one that gives their bits."""
    make = Builder()
    make.phase = phase
    words = (kernel.results[first : first + width] for first in range(0, len(kernel.results), width))
    results = [side_by_side(make, word) for word in words]
    return Graph(kernel.name, kernel.params, results, kernel.rounds)


def stride(array: Node) -> int:
    """From the bits of one word of an array to those of the next."""
    return storage_bits(array.width)


def _place(node: Node) -> Place | None:
    """Where a bit of the key comes from, if it is one of a word read at a fixed place."""
    if (
        node.type != WordType(1)
        or not node.inputs
        or not reads_parameter(read := node.inputs[0] if node.op is Op.SLICE else node)
    ):
        return None
    array, index = read.inputs
    bit = node.attr if node.op is Op.SLICE else 0
    return (array, index.attr % array.length, bit) if array.attr == "key" else None


def _arrays(kernel: Graph) -> dict[Node, Node]:
    """For each array of words that the kernel takes bits of, the array of its bits."""
    make = Builder(simplify)
    words = [node.inputs[0] for node in kernel.body if node.op is Op.LOOKUP] + list(kernel.results)
    cut = [bit for word in words for bit in bits_of(make, word)]
    taken = dict.fromkeys(place[0] for node in (*kernel.body, *cut) if (place := _place(node)))
    return {
        array: make.param("key", ArrayType(array.length * stride(array), 1), f"{array.name}_bits")
        for array in taken
    }


def _complements(kernel: Graph) -> set[Place]:
    """The bits that are complemented more often than not."""
    key_only, votes = KeyOnly(), Counter[Place]()
    for node in kernel.body:
        if key_only(node):
            continue
        for child in node.inputs:
            plain = child.inputs[0] if child.op is Op.NOT else child
            place = _place(plain) if plain.inputs else None
            if place is not None:
                votes[place] += 1 if child.op is Op.NOT else -1
    return {place for place, count in votes.items() if count > 0}


def _filled(program: Program, complemented: set[Place], arrays: list[Node]) -> Graph:
    """The key schedule that also fills the arrays of bits."""
    old, make = program.expand, Builder(simplify)
    by_param = dict(zip(program.key_params, old.results, strict=True))
    make.phase = max((node.phase for node in old.body), default=0)
    filled = [_bits(make, by_param[array], array, complemented) for array in arrays]
    return Graph(old.name, old.params, (*old.results, *filled), old.rounds)


def _bits(make: Builder, words: Node, param: Node, complemented: set[Place]) -> Node:
    """The bits of an array's words, one after the other."""
    step, length = stride(param), param.length * stride(param)
    words = _complemented(make, words, param, complemented)
    down = make.const(step.bit_length() - 1, 8)

    def entry(place: Node) -> Node:
        word = make.make(Op.LOAD, (words, make.make(Op.SHR, (place, down))))
        amount = make.make(Op.AND, (place, make.const(step - 1, 32)))
        return make.slice(make.make(Op.SHR, (word, amount)), 0, 1)

    return make.filled(length, 1, entry)


def _complemented(make: Builder, words: Node, param: Node, complemented: set[Place]) -> Node:
    """The words with the bits of `complemented` complemented: the same array where there are none."""
    masks = [0] * param.length
    for array, word, bit in complemented:
        if array is param:
            masks[word] |= 1 << bit
    if not any(masks):
        return words
    made = make.array([0] * param.length, param.width)
    for place, mask in enumerate(masks):
        at = make.const(place, 32)
        value = make.make(Op.XOR, (make.make(Op.LOAD, (words, at)), make.const(mask, param.width)))
        made = make.make(Op.STORE, (made, at, value))
    return made


def words_of_bits(bits: Node) -> Node | None:
    """The array of words that an array of single bits was cut from as `_bits` does; None for any other.

    ``bits[i] = words[i >> 3] >> (i & 7) & 1`` for all i, of words of at most eight bits -> ``words``.
    """
    if bits.op is not Op.RESULT or bits.inputs[0].op is not Op.LOOP:
        return None
    loop = bits.inputs[0]
    index, array = loop.region.params[0], loop.region.params[1 + bits.attr]
    stored = loop.region.results[bits.attr]
    if stored.op is not Op.STORE or stored.inputs[:2] != (array, index):
        return None
    words = _cut_from(stored.inputs[2], index)
    whole = (0, bits.length) == tuple(bound.attr for bound in loop.inputs[:2])
    if words is None or not whole or words in loop.region.params:
        return None
    return words if words.length * stride(words) == bits.length else None


def _cut_from(bit: Node, index: Node) -> Node | None:
    """The array of words that has this bit at the index, counted in bits from the first word's lowest."""
    if bit.op is not Op.SLICE or (bit.attr, bit.width) != (0, 1) or bit.inputs[0].op is not Op.SHR:
        return None
    word, amount = bit.inputs[0].inputs
    if word.op is not Op.LOAD or word.inputs[1].op is not Op.SHR or amount.op is not Op.AND:
        return None
    words, step = word.inputs[0], stride(word.inputs[0])
    (of_word, down), (of_bit, low) = word.inputs[1].inputs, amount.inputs
    if of_word is not index or of_bit is not index or {down.op, low.op} != {Op.CONST}:
        return None
    return words if (down.attr, low.attr) == (step.bit_length() - 1, step - 1) else None
