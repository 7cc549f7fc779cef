"""Wirings: linear maps whose every output bit is one input bit, as the bit permutations of DES are.

Some of them are cheap as words: consecutive bits are a rotation and a slice, and a permutation that only
moves or complements the bits of a position's *number* is a few swaps of bits that lie equally far apart
(as DES's initial permutation: six bits of number, five swaps). The swap is the well-known one by three
XORs, a mask and two shifts; see H. S. Warren, Hacker's Delight, section 7-1.
"""

from __future__ import annotations

from functools import lru_cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Matrix, Node
from finalist.ir.ops import Op
from finalist.passes.matrices import apply_matrix

#: Operations of one swap; of one complement, but of the highest bit of the number, which is a rotation.
SWAP, COMPLEMENT = 6, 5


@lru_cache(maxsize=4096)
def sources(matrix: Matrix, width: int) -> tuple[int, ...] | None:
    """For each of ``width`` output bits the input bit that it is; None if the map is no wiring."""
    found = [-1] * width
    for source, column in enumerate(matrix):
        while column:
            bit = column.bit_length() - 1
            if found[bit] >= 0:
                return None
            found[bit] = source
            column ^= 1 << bit
    return None if -1 in found else tuple(found)


def run_of(bits: tuple[int, ...], width: int) -> int | None:
    """Where a run of consecutive bits begins, the first of a word of ``width`` following on its last."""
    start = bits[0]
    consecutive = len(bits) <= width and all(bit == (start + k) % width for k, bit in enumerate(bits))
    return start if consecutive else None


def consecutive(make: Builder, word: Node, start: int, width: int) -> Node:
    """``width`` bits of a word from ``start`` on, and on from its lowest bit where they pass its end."""
    if start + width <= word.width:
        return make.slice(word, start, width)
    rotated = make.make(Op.ROL, (word, make.const(word.width - start, 8)))
    return make.slice(rotated, 0, width)


# -- permutations of the bits of a position's number -------------------------------------------------

#: Swap (a, b, crossed): positions whose bits a and b are 1 and 0 with those where they are 0 and 1; if
#: crossed, where both are 0 with where both are 1. Complement (a,): positions that differ in bit a.
Step = tuple[int, int, bool] | tuple[int]


@lru_cache(maxsize=256)
def network(matrix: Matrix, width: int) -> tuple[Step, ...] | None:
    """The steps that a wiring of ``width`` bits to as many takes, if it moves bits of the number only."""
    bits = width.bit_length() - 1
    found = sources(matrix, width)
    if width != 1 << bits or found is None or sorted(found) != list(range(len(matrix))):
        return None
    moved = [0] * width
    for place, source in enumerate(found):
        moved[source] = place
    images = [moved[1 << k] ^ moved[0] for k in range(bits)]
    if any(image & (image - 1) or not image for image in images):
        return None
    if any(moved[p] != moved[0] ^ apply_matrix(tuple(images), p) for p in range(width)):
        return None
    targets = [image.bit_length() - 1 for image in images]
    return tuple(_steps(targets, [moved[0] >> target & 1 for target in targets]))


def _steps(targets: list[int], complemented: list[int]) -> list[Step]:
    """Each bit of the number to its target; what is left complemented in a cycle is its highest bit."""
    steps: list[Step] = []
    for place in reversed(range(len(targets))):
        while targets[place] != place:
            to, crossed = targets[place], complemented[place]
            steps.append((max(place, to), min(place, to), bool(crossed)))
            targets[place], complemented[place] = targets[to], complemented[to] ^ crossed
            targets[to], complemented[to] = to, 0
        if complemented[place]:
            steps.append((place,))
    return steps


def network_cost(steps: tuple[Step, ...], width: int) -> int:
    """Word operations of the steps."""
    return sum(SWAP if len(step) == 3 else 1 if 2 << step[0] == width else COMPLEMENT for step in steps)


def permuted(make: Builder, word: Node, steps: tuple[Step, ...]) -> Node:
    """The word after the steps."""
    for step in steps:
        word = (_swapped if len(step) == 3 else _complemented)(make, word, step)
    return word


def _places(width: int, bits: dict[int, int]) -> int:
    """The mask of the positions whose number has these bits."""
    return sum(1 << p for p in range(width) if all(p >> bit & 1 == v for bit, v in bits.items()))


def exchange(step: Step, width: int) -> tuple[int, int]:
    """What a step exchanges: the bits under a mask with those that lie so far above: (distance, mask)."""
    if len(step) == 1:
        (a,) = step
        return 1 << a, _places(width, {a: 0})
    a, b, crossed = step
    distance = (1 << a) + (1 << b) if crossed else (1 << a) - (1 << b)
    return distance, _places(width, {a: 0, b: 0 if crossed else 1})


def _swapped(make: Builder, word: Node, step: Step) -> Node:
    n = word.width
    far, low = exchange(step, n)
    distance = make.const(far, 8)
    apart = make.make(Op.XOR, (word, make.make(Op.SHR, (word, distance))))
    moved = make.make(Op.AND, (apart, make.const(low, n)))
    return make.make(Op.XOR, (make.make(Op.XOR, (word, moved)), make.make(Op.SHL, (moved, distance))))


def _complemented(make: Builder, word: Node, step: Step) -> Node:
    n = word.width
    far, low = exchange(step, n)
    distance, mask = make.const(far, 8), make.const(low, n)
    if 2 * far == n:
        return make.make(Op.ROL, (word, distance))
    down = make.make(Op.AND, (make.make(Op.SHR, (word, distance)), mask))
    up = make.make(Op.SHL, (make.make(Op.AND, (word, mask)), distance))
    return make.make(Op.OR, (down, up))
